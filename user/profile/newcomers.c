// SPDX-License-Identifier: BSD-2-Clause
#include "profile/newcomers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trace/follow.h"

struct newcomers {
	struct options nodes; /* as they were asked for, but others do not hear of who comes and goes */
	struct attach_request nothing;
	struct follow *follow;
	uint64_t serial; /* of the newest node that the follower had */
};

static bool is_never_needed(const void *data, const char *probe, const struct attachment *so_far)
{
	(void)data;
	(void)probe;
	(void)so_far;
	return false;
}

struct newcomers *newcomers_new(const struct kernel *kernel, const struct options *nodes, struct loader *loader)
{
	struct newcomers *newcomers = calloc(1, sizeof(*newcomers));

	if (!newcomers)
		return NULL;
	newcomers->nodes = *nodes;
	newcomers->nodes.is_beside = true;
	newcomers->nothing = (struct attach_request){
		.loader = loader,
		.kernel = kernel,
		.glob = "*",
		.is_needed = is_never_needed,
	};
	newcomers->follow = follow_new(&newcomers->nothing, &newcomers->nodes);
	if (newcomers->follow)
		return newcomers;
	free(newcomers);
	return NULL;
}

void newcomers_free(struct newcomers *newcomers)
{
	if (!newcomers)
		return;
	follow_free(newcomers->follow);
	free(newcomers);
}

void newcomers_only_tree(struct newcomers *newcomers, pid_t root)
{
	follow_only_tree(newcomers->follow, root);
}

void newcomers_refused(pid_t pid, int err)
{
	if (err != -ESRCH && err != -ENOENT)
		pr_warn("cannot profile process %d: %s", (int)pid,
			err == -E2BIG ? "it has more code than a VM has" : strerror(-err));
}

static void consider(pid_t pid, newcomers_visitor *visit, void *data)
{
	const char *why = "";
	struct target *target;
	int err = target_open(pid, &target, &why);

	if (!err)
		err = visit(data, target);
	if (err)
		newcomers_refused(pid, err);
}

int newcomers_scan(struct newcomers *newcomers, newcomers_visitor *visit, void *data)
{
	int code = follow_scan(newcomers->follow);

	for (size_t i = 0; i < follow_count(newcomers->follow); i++) {
		if (follow_serial(newcomers->follow, i) <= newcomers->serial)
			continue;
		newcomers->serial = follow_serial(newcomers->follow, i);
		consider(follow_get(newcomers->follow, i)->target->pid, visit, data);
	}
	follow_forget(newcomers->follow);
	return code;
}
