/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tool at work costs the nodes: the run time of its programs, as the kernel measures it, and the hits. */
#ifndef ERLBPF_BUDGET_COST_H
#define ERLBPF_BUDGET_COST_H

#include <stdint.h>

#include "trace/follow.h"
#include "load/load.h"

struct cost {
	uint64_t run_ns; /* of the programs; estimated from the hits where it is not measured */
	uint64_t hits;	 /* runs of the programs; without measuring, what they counted */
	uint64_t hit_ns; /* getting there and back: traps, and trampolines of returns */
};

/*
 * Adds what the programs have cost since they were loaded, where the kernel measures their run time: all programs of a
 * loader, at the sites of these targets (NULL: of none); one program that is at no site.
 */
void cost_add_programs(const struct loader *loader, const struct follow *follow, struct cost *cost);
void cost_add_program(void *cost, int program);

/* What so many hits cost, where it is not measured. */
void cost_estimate(uint64_t hits, struct cost *cost);

/* The share of the loader's ring buffer "erl_ring" that holds unread records, from 0 to 1; 0 if there is no such ring.
 */
double cost_ring_use(const struct loader *loader);

#endif
