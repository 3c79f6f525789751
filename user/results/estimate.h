/* SPDX-License-Identifier: BSD-2-Clause */
/* What was counted while probes were on only part of the time (pace.h), for the whole of it. */
#ifndef ERLBPF_RESULTS_ESTIMATE_H
#define ERLBPF_RESULTS_ESTIMATE_H

#include <stdint.h>

#include "counter.h"
#include "out/sink.h"
#include "results/histogram.h"
#include "budget/pace.h"

struct estimate {
	struct sink_window window; /* of the present interval, or of all */
	uint64_t on_ns, off_ns;	   /* up to its beginning */
	struct pace_work work;
	uint64_t from_ns;
	bool adds_up;		    /* intervals are added up: one without a window is part of the next one */
	struct reach reach;	    /* up to its end */
	double weights[HIST_SLOTS]; /* for how many cases one of such a duration stands */
};

/* The interval that ends now, from the last call on; from `live_ns` on at least. */
void estimate_turn(struct estimate *estimate, struct pace *pace, uint64_t live_ns, uint64_t now_ns);

/*
 * How much of what they do else the nodes did in windows that were open for `on_s`: 1, as much. Those of which
 * something waits for a processor do less, because hits take its time.
 */
double estimate_pace(const struct pace_work *work, double on_s);

/* For so many that were counted, how many there were. */
uint64_t estimate_scale(const struct sink_window *window, uint64_t counted);

/*
 * The same of a histogram and of a counter; least and most are as they were seen. All of a histogram's slots together
 * are what its count becomes. Where its values are durations, `weights` has what estimate_turn() found; else it is
 * NULL.
 */
void estimate_hist(const struct sink_window *window, const double *weights, struct hist *hist);
void estimate_counter(const struct sink_window *window, struct counter *counter);

#endif
