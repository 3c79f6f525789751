// SPDX-License-Identifier: BSD-2-Clause
#include "profile/new_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trace/follow.h"

struct new_nodes {
	struct options nodes; /* the caller's options without its callbacks */
	struct attach_request nothing;
	struct follow *follow;
	uint64_t serial; /* number of the newest node of the follower */
};

static bool is_never_needed(const void *data, const char *probe, const struct attachment *so_far)
{
	(void)data;
	(void)probe;
	(void)so_far;
	return false;
}

struct new_nodes *new_nodes_new(const struct kernel *kernel, const struct options *nodes, struct loader *loader)
{
	struct new_nodes *new_nodes = calloc(1, sizeof(*new_nodes));

	if (!new_nodes)
		return NULL;
	new_nodes->nodes = *nodes;
	new_nodes->nodes.is_beside = true;
	new_nodes->nothing = (struct attach_request){
		.loader = loader,
		.kernel = kernel,
		.glob = "*",
		.is_needed = is_never_needed,
	};
	new_nodes->follow = follow_new(&new_nodes->nothing, &new_nodes->nodes);
	if (new_nodes->follow)
		return new_nodes;
	free(new_nodes);
	return NULL;
}

void new_nodes_free(struct new_nodes *new_nodes)
{
	if (!new_nodes)
		return;
	follow_free(new_nodes->follow);
	free(new_nodes);
}

void new_nodes_only_tree(struct new_nodes *new_nodes, pid_t root)
{
	follow_only_tree(new_nodes->follow, root);
}

void new_nodes_refused(pid_t pid, int err)
{
	if (err != -ESRCH && err != -ENOENT)
		pr_warn("cannot profile process %d: %s", (int)pid,
			err == -E2BIG ? "it has more code than a VM has" : strerror(-err));
}

static void consider(pid_t pid, new_nodes_visitor *visit, void *data)
{
	const char *why = "";
	struct target *target;
	int err = target_open(pid, &target, &why);

	if (!err)
		err = visit(data, target);
	if (err)
		new_nodes_refused(pid, err);
}

int new_nodes_scan(struct new_nodes *new_nodes, new_nodes_visitor *visit, void *data)
{
	int code = follow_scan(new_nodes->follow);

	for (size_t i = 0; i < follow_count(new_nodes->follow); i++) {
		if (follow_serial(new_nodes->follow, i) <= new_nodes->serial)
			continue;
		new_nodes->serial = follow_serial(new_nodes->follow, i);
		consider(follow_get(new_nodes->follow, i)->target->pid, visit, data);
	}
	follow_forget(new_nodes->follow);
	return code;
}
