/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits the work of a comparison for hostile files. Work is counted in steps of about a nanosecond instead of measured
 * as time, so that all machines accept the same files.
 */
#ifndef ERLBPF_MATCH_GRAPH_EFFORT_H
#define ERLBPF_MATCH_GRAPH_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

/* A BEAM takes 0.75e9, with link-time optimization 1.5e9. */
#define EFFORT_MOST 2500000000

#define EFFORT_INSTRUCTION 150 /* decoding it */
#define EFFORT_PAIR 150	       /* of a relation: sorting and reversing it */
#define EFFORT_ANCHOR 700      /* a possible anchor, with its text */
#define EFFORT_FEATURE 150     /* of both graphs: sorting and numbering it */
#define EFFORT_CANDIDATE 50    /* a possible pair */
#define EFFORT_COMMON 3	       /* a feature of either function of a comparison */
#define EFFORT_NEIGHBOUR 8     /* a neighbour of either function */

struct effort {
	uint64_t left;
};

/* False: nothing is left. */
static inline bool effort_take(struct effort *effort, uint64_t steps)
{
	effort->left -= steps < effort->left ? steps : effort->left;
	return effort->left;
}

#endif
