/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has very many of something that a process has a tree of. */
#ifndef ERLBPF_WHY_DEEP_H
#define ERLBPF_WHY_DEEP_H

#include "node/processes/processes.h"
#include "node/processes/trees.h"

#define DEEP_FEW 16
#define DEEP_COUNTED 100000 /* of one process */

/* How many a process had. */
struct deep_count {
	uint64_t id, count;
};

struct deep {
	struct deep_count counts[DEEP_FEW];
	size_t count;
};

/* The tree of a process, 0: it has none. */
typedef uint64_t deep_root(const struct process *process);

/*
 * Counts those of the processes with the deepest trees, into `deep`, and calls `visit`, if there is one, for each, with
 * the values of its tree, which it may change.
 */
void deep_read(struct processes *processes, const struct tree_shape *shape, deep_root *root, struct deep *deep,
	       void (*visit)(void *data, const struct process *process, uint64_t *values, size_t count), void *data);

/* 0: not many. */
uint64_t deep_count_of(const struct deep *deep, uint64_t id);

#endif
