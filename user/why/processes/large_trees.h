/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes with very large trees, such as those of monitors or timers. */
#ifndef ERLBPF_WHY_DEEP_H
#define ERLBPF_WHY_DEEP_H

#include "node/processes/processes.h"
#include "node/processes/trees.h"

#define LARGE_TREES 16
#define TREE_COUNTED 100000 /* per process */

/* The nodes of the tree of a process. */
struct tree_count {
	uint64_t id, count;
};

struct large_trees {
	struct tree_count counts[LARGE_TREES];
	size_t count;
};

/* The root of the tree of a process; 0: none. */
typedef uint64_t tree_root(const struct process *process);

/*
 * Counts the nodes of the deepest trees into `deep`, and calls `visit`, unless NULL, for each with the values of its
 * tree, which it may modify.
 */
void large_trees_read(struct processes *processes, const struct tree_shape *shape, tree_root *root,
		      struct large_trees *deep,
		      void (*visit)(void *data, const struct process *process, uint64_t *values, size_t count),
		      void *data);

/* 0: not among the large ones. */
uint64_t large_trees_count_of(const struct large_trees *deep, uint64_t id);

#endif
