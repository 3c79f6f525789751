/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stratified random sampling: when probes are attached that cost too much to be attached all the time, and what may be
 * said of the whole then. docs/sampling.md has the mathematics.
 *
 * Time is divided into strata. Each has one window at a random position, whose length is fixed before the stratum
 * begins. So what happens in a window changes neither its length nor its position, and events × stratum / window is an
 * unbiased estimate of the events of the stratum. Nothing here depends on a clock or a node.
 */
#ifndef ERLBPF_BUDGET_SAMPLING_H
#define ERLBPF_BUDGET_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLING_KEPT 8 /* windows whose cost is remembered */

/* From begin_ns to end_ns; its window is the whole if it is as long. */
struct stratum {
	uint64_t begin_ns, end_ns;
	uint64_t open_ns, length_ns;
};

struct sampling {
	uint64_t random;
	double costs[SAMPLING_KEPT]; /* processors that the probes of the last windows used while attached */
	uint64_t windows;
	double switch_ns;      /* CPU time to attach and to detach once */
	double switch_took_ns; /* the same in wall-clock time */
};

/* A window cost so much CPU time. */
void sampling_learn(struct sampling *sampling, uint64_t window_ns, double cost_ns);

/* Attaching and detaching once cost so much CPU time, and took so long. */
void sampling_learn_switch(struct sampling *sampling, double cost_ns, double took_ns);

/* What may be spent. */
struct sampling_budget {
	double cpus;	      /* on average */
	double debt_ns;	      /* CPU time that was spent beyond it */
	uint64_t interval_ns; /* of the user; 0: results are read at the end */
	uint64_t until_ns;    /* end of the present interval; 0: the same */
};

/*
 * Plans the stratum that begins at `begin_ns`, whose window cannot open before `earliest_ns`. It ends by the end of the
 * interval.
 */
struct stratum sampling_plan(struct sampling *sampling, uint64_t begin_ns, uint64_t earliest_ns,
			     const struct sampling_budget *budget);

bool stratum_is_whole(const struct stratum *stratum);

/* What the windows of an interval saw. */
struct sampling_sum {
	uint64_t seen;
	double watched_s;
	double length_s; /* of all strata whose window is over */
	double total;	 /* the estimate of the events in them */
	double squares;	 /* of the lengths of strata that were watched in part, each times its unwatched share */
	double rates, rate_squares, most_rate, parts_s; /* of windows that are parts of their strata, and their time */
	unsigned int windows;				/* the same: how many */
	unsigned int cut;				/* that a burst cut short: they are part of no estimate */
	double gaps;		   /* results that there may have been while probes were removed because of a burst */
	double probes_ns, node_ns; /* see sampling_add_cost() */
};

/* A window is over: `seen` events in watched_s of a stratum of length_s. */
void sampling_add(struct sampling_sum *sum, uint64_t seen, double watched_s, double length_s);

/* A window was cut short. */
void sampling_add_cut(struct sampling_sum *sum, uint64_t seen, double watched_s);

/*
 * Probes that had been attached all the time were removed because of a burst, and its rate may have gone on for so long
 * unseen.
 */
void sampling_add_gap(struct sampling_sum *sum, double rate, double length_s);

/* CPU time while the window was open: that of the probes, and that of the nodes, which includes it. */
void sampling_add_cost(struct sampling_sum *sum, double probes_ns, double node_ns);

/* How many times slower the nodes ran while they were watched, at most: 1 is not at all. */
double sampling_slowdown(const struct sampling_sum *sum);

/* Events per second, with an interval that contains the true rate in 95 of 100 cases. */
struct sampling_rate {
	double rate, low, high;
};

/* False: too few windows, or a window was cut short, or no event was seen. */
bool sampling_rate(const struct sampling_sum *sum, struct sampling_rate *rate);

#endif
