/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has very many of something that a process has a tree of. */
#ifndef ERLBPF_WHY_DEEP_H
#define ERLBPF_WHY_DEEP_H

#include "node/processes/processes.h"
#include "node/processes/trees.h"

#define LARGE_TREES 16
#define TREE_COUNTED 100000 /* of one process */

/* How many a process had. */
struct tree_count {
	uint64_t id, count;
};

struct large_trees {
	struct tree_count counts[LARGE_TREES];
	size_t count;
};

/* The tree of a process, 0: it has none. */
typedef uint64_t tree_root(const struct process *process);

/*
 * Counts those of the processes with the deepest trees, into `deep`, and calls `visit`, if there is one, for each, with
 * the values of its tree, which it may change.
 */
void large_trees_read(struct processes *processes, const struct tree_shape *shape, tree_root *root,
		      struct large_trees *deep,
		      void (*visit)(void *data, const struct process *process, uint64_t *values, size_t count),
		      void *data);

/* 0: not many. */
uint64_t large_trees_count_of(const struct large_trees *deep, uint64_t id);

#endif
