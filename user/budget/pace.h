/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long probes stay attached. Either results must be complete: then a circuit breaker removes the probes for good if
 * they cost too much (budget/breaker.h). Or results may be a sample: then probes stay attached while they cost less
 * than a budget, and are attached in random windows otherwise (budget/sampling.h).
 *
 * A window counts cases that begin while it is open. It then stays attached for as long again, so that these can end,
 * while no others begin to be measured.
 */
#ifndef ERLBPF_BUDGET_PACE_H
#define ERLBPF_BUDGET_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "budget/breaker.h"
#include "budget/pace_world.h"
#include "budget/sampling.h"
#include "options.h"

#define PACE_TICK_NS (5 * 1000000ULL)

enum pace_phase {
	PACE_OFF,
	PACE_PLACED, /* the probes are attached, and nothing counts yet */
	PACE_OPEN,
	PACE_CLOSING, /* cases that have begun may end */
};

/* What is known of the time since the last call of pace_take(). */
struct pace_seen {
	bool is_part; /* not all of it was watched */
	bool has_rate;
	double watched_s, of_s;
	unsigned int windows, cut;
	double slowdown;	   /* see sampling_slowdown() */
	uint64_t seen;		   /* results, as `results` of struct pace_world_ops counts them */
	struct sampling_rate rate; /* of these, per second */
};

struct pace {
	enum pace_mode mode;
	double share;  /* of the node's scheduler capacity */
	double budget; /* processors, 0: by `share` */
	bool lets_end; /* has cases that take time */
	struct pace_world world;
	struct erl_window window;
	uint64_t own_program_ns; /* that is in it */
	enum pace_phase phase;
	double cpus; /* scheduler capacity of the node that has the least, in processors */

	struct bill_sum paid; /* up to the last tick */
	double charged_ns;    /* CPU time that hits have cost the nodes, up to then */
	uint64_t last_ns;     /* of the last tick */
	uint64_t rests_until_ns;

	struct breaker breaker;
	bool has_stopped; /* the breaker has removed the probes */
	bool has_details; /* probes are attached that only say more of cases which others find */

	struct sampling sampling;
	struct stratum stratum;
	bool is_sampling;		  /* the probes have been away */
	bool is_cut;			  /* a burst ends the present window early */
	double account_ns;		  /* CPU time that may be spent before sampling begins; less than 0: a debt */
	double opened_charge;		  /* what was charged when the window opened */
	double resume_ns, resume_took_ns; /* CPU and wall-clock time to attach, the last time */
	uint64_t open_at_ns, close_until_ns;
	bool is_counting;		       /* what the present window sees is not in `sum` yet */
	uint64_t opened_results, opened_at_ns; /* when that began */
	uint64_t opened_cpu_ns;		       /* CPU time of the nodes then */
	uint64_t marked_ns, marked_results;    /* of a whole window, at the last tick */
	double ended_rate; /* results per second when the last whole window ended; 0: no gap since */
	uint64_t interval_ns, first_end_ns;
	struct sampling_sum sum;
	uint64_t taken_ns, taken_on_ns, taken_off_ns, taken_results; /* of the last pace_take() */

	uint64_t began_ns, ended_ns; /* ended: 0, it has not */
	uint64_t on_ns;		     /* watched in all, up to since_ns */
	uint64_t since_ns;	     /* when the window opened, 0: it is not open */
	uint64_t whole_since_ns;     /* since when no event was missed, 0: since the beginning; UINT64_MAX: they are */
};

struct pace_setup {
	enum pace_mode mode;
	double share;  /* of the node's scheduler capacity; 0: PACE_DEFAULT_SHARE, and the breaker's least limit */
	double budget; /* of a sample, in processors; 0: by `share` */
	bool lets_end;
	bool starts_away; /* nodes are only prepared (follow_pause()), and the first window comes by a tick */
	bool has_details; /* there are probes that only say more of cases */
	struct pace_world world;
};

#define PACE_STOPPED_TEXT 96
#define PACE_DEFAULT_SHARE 0.05
#define PACE_BREAKER_LEAST 0.25 /* processors: the breaker's limit by default, if that is more */
#define PACE_SAMPLE_LEAST 0.02	/* processors: a sampled tool may use as much, however few the node has */

/* When the probes have been attached, or only been prepared with PACE_NEVER. pace_free() also of a zeroed one. */
void pace_begin(struct pace *pace, const struct pace_setup *setup);
void pace_free(struct pace *pace);

/* The user's intervals: the first ends then. Strata end where intervals do. */
void pace_set_intervals(struct pace *pace, uint64_t first_end_ns, uint64_t interval_ns);

/* Every PACE_TICK_NS: see whether the probes may stay, or may come back. */
void pace_tick(struct pace *pace);

/* Another budget of a sample from now on, in processors. */
void pace_set_budget(struct pace *pace, double cpus);

/* Are no probes attached? And if there are, are they soon to be removed? */
bool pace_is_away(const struct pace *pace);
bool pace_ends_soon(const struct pace *pace);

/* After follow_forget(): nodes have other numbers. */
void pace_forget(struct pace *pace);

/* Remove the probes for now, because we cannot tick while we wait for our reader. Only where results are a sample. */
void pace_hold(struct pace *pace);

/* Nothing counts from the moment on that is returned. */
uint64_t pace_end(struct pace *pace);

/* The same, and the probes are removed for good. */
void pace_stop(struct pace *pace);

/* For how long, up to then, the probes were on, and for how long they were not. */
uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns);
uint64_t pace_off_ns(const struct pace *pace, uint64_t now_ns);

/* What is known of the time from the last call, or from `from_ns` if that is later, up to `now_ns`. */
struct pace_seen pace_take(struct pace *pace, uint64_t from_ns, uint64_t now_ns);

/* CPU time that the hits have cost the nodes, up to the last tick. */
uint64_t pace_cost_ns(const struct pace *pace);

/* Why the breaker has removed the probes, for people: "probes used 31% of a CPU, limit 25%". NULL: it has not. */
const char *pace_stopped(const struct pace *pace, char text[PACE_STOPPED_TEXT]);

#endif
