/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tool at work costs the nodes: the run time of its programs, as the kernel measures it, and the hits. */
#ifndef ERLBPF_RUN_COST_H
#define ERLBPF_RUN_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "run/follow.h"
#include "load/load.h"

struct run;

struct cost {
	uint64_t run_ns; /* of the programs; estimated from the hits where it is not measured */
	uint64_t hits;	 /* runs of the programs; without measuring, what they counted */
	uint64_t hit_ns; /* getting there and back: traps, and trampolines of returns */
};

/* Since the run began. 0 or -errno. */
int cost_read(struct run *run, bool is_measured, struct cost *cost);

/* Of any programs: all of a loader's at the sites of these targets (NULL: of none); one that is at no site. */
void cost_add_programs(const struct loader *loader, const struct follow *follow, struct cost *cost);
void cost_add_program(void *cost, int program);

/* What so many hits cost, where it is not measured. */
void cost_estimate(uint64_t hits, struct cost *cost);

/* Share of the ring that holds records not yet read, from 0 to 1; 0 if there is none. */
double cost_ring_use(const struct run *run);

#endif
