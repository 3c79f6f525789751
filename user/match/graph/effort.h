/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much work a comparison may be, whatever a file is made of. It is counted in steps of about a nanosecond and not
 * timed: what can be compared on one machine can be on all.
 */
#ifndef ERLBPF_MATCH_GRAPH_EFFORT_H
#define ERLBPF_MATCH_GRAPH_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

/* A BEAM takes 0.75e9, one with link-time optimization 1.5e9. */
#define EFFORT_MOST 2500000000

#define EFFORT_INSTRUCTION 150 /* that is decoded */
#define EFFORT_PAIR 150	       /* of a relation, which is sorted and turned around */
#define EFFORT_ANCHOR 700      /* a function that may be one, and the text beside it */
#define EFFORT_FEATURE 150     /* of both graphs, which are sorted and numbered */
#define EFFORT_CANDIDATE 50    /* for a pair */
#define EFFORT_COMMON 3	       /* a feature of one of two functions that are compared */
#define EFFORT_NEIGHBOUR 8     /* a neighbour of one of them */

struct effort {
	uint64_t left;
};

/* False: no more is left. */
static inline bool effort_take(struct effort *effort, uint64_t steps)
{
	effort->left -= steps < effort->left ? steps : effort->left;
	return effort->left;
}

#endif
