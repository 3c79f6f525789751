/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of a profile as it is drawn: how much each node has with what is below it, and where it stands. */
#ifndef ERLBPF_FLAME_TREE_H
#define ERLBPF_FLAME_TREE_H

#include "flame/profile_parts.h"

struct branch {
	uint64_t total, before;
	uint32_t node, depth;
	double x; /* of its left edge, in weight from that of the root */
};

/*
 * One per node, in the order of nodes; children of a node stand from the left to the right by name. The caller frees
 * them. NULL and errno where memory is short.
 */
struct branch *tree_make(const struct profile *profile);

#endif
