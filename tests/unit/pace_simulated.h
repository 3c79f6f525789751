/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world for pacing (budget/pace_world.h) in which time passes when a test says so: one node, whose events are a
 * function of time and cost what they are said to cost. It counts what really happened.
 */
#ifndef ERLBPF_TESTS_PACE_SIMULATED_H
#define ERLBPF_TESTS_PACE_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "budget/pace.h"

/* Events per second of a node. */
struct sim_load {
	double rate;		       /* while it is on */
	uint64_t on_ns, period_ns;     /* on for so long of each period; period 0: always */
	uint64_t phase_ns;	       /* of the period */
	uint64_t from_ns, to_ns;       /* events only in this part of the time, if to_ns is set */
	double tail;		       /* heavy tail: exponent of Pareto bursts instead of a constant rate; 0: none */
	double hit_ns;		       /* CPU time of an event while probes are attached, as it is measured */
	double dearer;		       /* and so many times as much in the node; 0: NODE_FACTOR of pace.c */
	double cpus;		       /* scheduler capacity */
	double work;		       /* processors that the node uses beside the probes */
	uint64_t attach_ns, detach_ns; /* to attach the probes and to remove them */
};

struct sim {
	struct sim_load load;
	struct pace pace;
	uint64_t now, began_ns;
	uint64_t random;
	double burst;	   /* rate of the present millisecond, of a heavy tail */
	uint64_t burst_ms; /* which one it is */
	bool is_attached, is_switching;
	struct erl_window window; /* as programs know it */
	double billed_ns;	  /* as pacing is told */
	double spent_ns;	  /* as it is */
	double cpu_ns, events, seen;
	uint64_t seen_told;
	unsigned int pauses, resumes, fail;
	bool is_over;
};

/* Begins at 1000 s. */
void sim_begin(struct sim *sim, const struct sim_load *load, struct pace_setup setup, uint64_t seed);

/* Time passes: with a tick every PACE_TICK_NS; without. */
void sim_run(struct sim *sim, uint64_t ns);
void sim_pass(struct sim *sim, uint64_t ns);

/* Events per second since the beginning. */
double sim_rate(const struct sim *sim);

void sim_free(struct sim *sim);

#endif
