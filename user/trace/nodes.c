// SPDX-License-Identifier: BSD-2-Clause
#include "trace/nodes.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "trace/follow.h"

static int open_named(struct target_list *list, pid_t pid)
{
	struct target *target;
	int code = follow_open(pid, &target), err;

	if (code != EXIT_OK)
		return code;
	err = target_list_add(list, target);
	if (!err)
		return EXIT_OK;
	target_free(target);
	pr_err("cannot look at process %d: %s", pid, strerror(-err));
	return EXIT_FAILED;
}

int nodes_find(const struct options *options, struct target_list *list)
{
	int code = EXIT_OK, err = options->pid_count ? 0 : target_list_scan(list);

	if (err) {
		pr_err("cannot list processes: %s%s", strerror(-err), err == -ENOENT ? "; is /proc mounted?" : "");
		return EXIT_FAILED;
	}
	for (size_t i = 0; code == EXIT_OK && i < options->pid_count; i++)
		code = open_named(list, options->pids[i]);
	target_list_select(list, &options->select);
	return code;
}
