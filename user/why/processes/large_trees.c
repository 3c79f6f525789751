// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tree has no count, so a large one is found by its depth: all trees are descended at once, and after some steps only
 * a few are left. Their nodes are counted.
 */
#include "why/processes/large_trees.h"

#include <stdlib.h>

#include "base/cleanup.h"

#define LEAST_STEPS 6 /* down a tree of 10,000 nodes or more */
#define MOST_STEPS 16 /* a tree that is left then has several hundred nodes or more */
#define MOST_IN_ALL 300000

static size_t find(struct processes *processes, const struct tree_shape *shape, tree_root *root,
		   struct tree_place *places)
{
	size_t count = 0;

	for (size_t row = 0; row < processes_rows(processes); row++) {
		uint64_t node = processes_has(processes, row) ? root(processes_row(processes, row)) : 0;

		if (node)
			places[count++] = (struct tree_place){ .node = node, .owner = row };
	}
	for (int step = 0; count && (step < LEAST_STEPS || (count > LARGE_TREES && step < MOST_STEPS)); step++)
		count = trees_descend(processes_target(processes), shape, places, count);
	return count < LARGE_TREES ? count : LARGE_TREES;
}

void large_trees_read(struct processes *processes, const struct tree_shape *shape, tree_root *root,
		      struct large_trees *deep,
		      void (*visit)(void *data, const struct process *process, uint64_t *values, size_t count),
		      void *data)
{
	_cleanup_free_ struct tree_place *places = calloc(processes_rows(processes) + 1, sizeof(*places));
	_cleanup_free_ uint64_t *values = calloc(TREE_COUNTED, sizeof(*values));
	size_t found, all = 0;

	*deep = (struct large_trees){};
	if (!places || !values)
		return;
	found = find(processes, shape, root, places);
	for (size_t i = 0; i < found && all < MOST_IN_ALL; i++) {
		const struct process *process = processes_row(processes, places[i].owner);
		size_t count = trees_values(processes_target(processes), shape, root(process), values, TREE_COUNTED);

		all += count;
		deep->counts[deep->count++] = (struct tree_count){ .id = process->id, .count = count };
		if (visit)
			visit(data, process, values, count);
	}
}

uint64_t large_trees_count_of(const struct large_trees *deep, uint64_t id)
{
	for (size_t i = 0; i < deep->count; i++) {
		if (deep->counts[i].id == id)
			return deep->counts[i].count;
	}
	return 0;
}
