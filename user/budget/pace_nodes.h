/* SPDX-License-Identifier: BSD-2-Clause */
/* What nodes use and do from one look to the next, for pacing (pace.h). */
#ifndef ERLBPF_BUDGET_PACE_NODES_H
#define ERLBPF_BUDGET_PACE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget/pace_world.h"

/* One of them. */
struct pace_node {
	uint64_t cpu_ns;      /* of processor time, when last read */
	uint64_t busy_cpu_ns; /* the same when it was last seen how much they use */
	uint64_t waited_ns;   /* for a processor, up to then */
	void *reductions;     /* NULL: they cannot be read */
	uint64_t count;	      /* of these, when they were read last; 0: that is not known */
	uint64_t serial;      /* of follow.h */
};

struct pace_nodes {
	struct pace_node *list;
	size_t count;
	bool count_reductions;
};

/* Nodes that have come since; memory that is short is no error: they are unknown then. */
void pace_nodes_know(struct pace_nodes *nodes, const struct pace_world *world);

/* Those that have gone; the others have new numbers. */
void pace_nodes_forget(struct pace_nodes *nodes, const struct pace_world *world);

/* Processor time that they have used since the last call. */
int64_t pace_nodes_used(struct pace_nodes *nodes, const struct pace_world *world);

/* Reductions that they have done since the last call: those of which it is known stand for the others. False: of none.
 */
bool pace_nodes_did(struct pace_nodes *nodes, const struct pace_world *world, uint64_t *count);

/*
 * Processors that the one has used which uses least, in the time since the last call, `took_ns`: the budget holds for
 * each node, also if all hits are of one, so the smallest decides. 0: there is no node.
 */
double pace_nodes_least(struct pace_nodes *nodes, const struct pace_world *world, uint64_t took_ns);

void pace_nodes_free(struct pace_nodes *nodes, const struct pace_world *world);

#endif
