/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Red-black trees in a node's memory: the monitors and timers of processes. Many nodes are read with each system call.
 * The node is not stopped: what changes meanwhile may be missing.
 */
#ifndef ERLBPF_NODE_PROCESSES_TREES_H
#define ERLBPF_NODE_PROCESSES_TREES_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/*
 * Byte offsets of a node's children and of the wanted word. `right` is the first of them, and all are within 64 bytes.
 */
struct tree_shape {
	size_t right, left, value;
};

/* A node, and its process. */
struct tree_place {
	uint64_t node;
	size_t owner;
};

/*
 * Moves each place to its left child; places without one are dropped. Returns the number left. The depth, at least half
 * of log2(N), estimates the size N of a tree at a low cost.
 */
size_t trees_descend(const struct target *target, const struct tree_shape *shape, struct tree_place *places,
		     size_t count);

/* The values of at most `most` nodes of a tree, 0: unreadable. Returns their number; 0: no tree any more. */
size_t trees_values(const struct target *target, const struct tree_shape *shape, uint64_t root, uint64_t *values,
		    size_t most);

#endif
