/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world for pacing (budget/pace_world.h) in which time passes when it is told to: one node, whose hits are a function
 * of time and cost what they are said to cost. So nothing depends on the machine, and ten seconds take a fraction of a
 * millisecond. What happened is kept beside what pacing says of it.
 */
#ifndef ERLBPF_TESTS_PACE_SIMULATED_H
#define ERLBPF_TESTS_PACE_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "budget/pace.h"

#define SIM_PARTS 8
#define SIM_WINDOWS 1024

/* What a node does for a time; the last part goes on for ever. */
struct sim_part {
	uint64_t ns;
	double cases, details; /* hits in a second, as far as there are processors for them */
	double work;	       /* processors that it could use beside them */
};

struct sim_load {
	struct sim_part parts[SIM_PARTS];
	size_t count;
	double cpus;		       /* that it can use at once */
	double limit;		       /* that it gets, 0: all of these */
	uint64_t hit_ns;	       /* as it is measured... */
	double dearer;		       /* ... and so many times as much in the node */
	uint64_t attach_ns, detach_ns; /* to put the probes in place, and to take them away */
	double calls;		       /* that the VM counts in a second */
};

struct sim_window {
	uint64_t opened_ns, closed_ns, off_ns;
};

struct sim {
	struct sim_load load;
	struct pace pace;
	uint64_t now, began_ns, part_began_ns;
	size_t part;
	/* Which probes are there: 0 to 1, as they come one after the other. */
	double cases, details;
	struct erl_window window; /* as it was told last */
	/* What happened since the beginning. */
	double billed_ns, details_billed_ns; /* as it is measured */
	double spent_ns;		     /* as it is */
	double counted_ns, cpu_ns, work_ns, waited_ns, switching_ns;
	double hits, seen; /* of cases: all that there were, and what counts */
	uint64_t open_ns, off_ns, details_ns, details_since_ns;
	struct sim_window windows[SIM_WINDOWS];
	size_t window_count, resumes, pauses, failures;
	size_t fail; /* the next attempts to put probes in place */
	bool is_over;
	size_t illegal; /* phases that may not follow each other, and probes that are there when they may not */
};

/* Begins at 1000 s: setup has no world yet. */
void sim_begin(struct sim *sim, const struct sim_load *load, struct pace_setup setup);

/* Time passes without a tick. */
void sim_pass(struct sim *sim, uint64_t ns);

/* ... and then one comes. */
void sim_tick(struct sim *sim, uint64_t after_ns);

/* With a tick every PACE_TICK_NS. */
void sim_run(struct sim *sim, uint64_t ns);

/* No hit counts from then on. What was said is held against what happened; sim_free() is up to the caller. */
void sim_end(struct sim *sim);
void sim_free(struct sim *sim);

#endif
