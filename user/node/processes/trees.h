/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Red-black trees in the memory of a node, as processes have them of monitors and of timers. Many nodes are read with
 * each system call. Nothing is stopped for it: what changes meanwhile may be missing.
 */
#ifndef ERLBPF_NODE_PROCESSES_TREES_H
#define ERLBPF_NODE_PROCESSES_TREES_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/* Where a node has its neighbours below, and the word that is wanted of it: bytes. `right` is the first of them, and
 * all are within 64 bytes. */
struct tree_shape {
	size_t right, left, value;
};

/* A node, and whose it is. */
struct tree_place {
	uint64_t node;
	size_t owner;
};

/*
 * Each place goes on to the node at the left below its own; those that have none are dropped. Returns how many are
 * left. A tree of N nodes goes down for at least half of log2(N) so, and costs no more to measure, however many it has.
 */
size_t trees_descend(const struct target *target, const struct tree_shape *shape, struct tree_place *places,
		     size_t count);

/* The values of all nodes of a tree, 0: one that could not be read, up to `most`. Returns how many there are; 0: it is
 * none any more. */
size_t trees_values(const struct target *target, const struct tree_shape *shape, uint64_t root, uint64_t *values,
		    size_t most);

#endif
