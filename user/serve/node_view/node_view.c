// SPDX-License-Identifier: BSD-2-Clause
#include "serve/node_view/node_view.h"

const struct target *node_view_search(const struct node_view *view, node_visit *visit, void *to)
{
	const struct target *found = NULL;

	for (size_t tool = 0; !found && tool < view->tool_count; tool++)
		found = view->search(view->data, tool, visit, to);
	return found;
}

struct process_start {
	pid_t pid;
	uint64_t start_time;
};

static bool is_process(void *to, const struct target *target)
{
	const struct process_start *process = to;

	return target->pid == process->pid && target->start_time == process->start_time;
}

const struct target *node_view_find(const struct node_view *view, pid_t pid, uint64_t start_time)
{
	struct process_start process = { pid, start_time };

	return node_view_search(view, is_process, &process);
}
