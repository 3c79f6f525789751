// SPDX-License-Identifier: BSD-2-Clause
#include "run/estimate.h"

#include "base/duration.h"

/*
 * By time, an open window counts too little: the probes make the node slower in it, and if it is busy it does less
 * then. By what it did beside our hits, it counts right; where that is so little that it cannot be told from what the
 * hits cost, it is taken for this part of the time.
 */
#define LEAST_WORK 0.05

static double scale_of(struct estimate *estimate, const struct pace *pace)
{
	double by_time = estimate->window.of_s / estimate->window.on_s, work, on_work;
	int64_t work_ns, on_work_ns;

	pace_work_ns(pace, &work_ns, &on_work_ns);
	work = (double)(work_ns - estimate->work_ns) / NS_PER_S;
	on_work = (double)(on_work_ns - estimate->on_work_ns) / NS_PER_S;
	estimate->work_ns = work_ns;
	estimate->on_work_ns = on_work_ns;
	if (on_work < LEAST_WORK * estimate->window.on_s)
		on_work = LEAST_WORK * estimate->window.on_s;
	return work > on_work * by_time ? work / on_work : by_time;
}

static void weigh(struct estimate *estimate, const struct pace *pace, uint64_t on_ns, uint64_t now_ns)
{
	struct reach reach;

	pace_reach(pace, now_ns, &reach);
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++)
		estimate->weights[slot] = reach_weight(&estimate->reach, &reach, on_ns, slot);
	estimate->reach = reach;
}

void estimate_turn(struct estimate *estimate, const struct pace *pace, uint64_t live_ns, uint64_t now_ns)
{
	uint64_t on_ns = pace_on_ns(pace, now_ns), off_ns = pace_off_ns(pace, now_ns);
	uint64_t from_ns = estimate->from_ns > live_ns ? estimate->from_ns : live_ns;
	uint64_t missed_ns = off_ns - estimate->off_ns;

	estimate->window = (struct sink_window){
		.is_part = missed_ns > 0,
		.on_s = (double)(on_ns - estimate->on_ns) / NS_PER_S,
		.of_s = now_ns > from_ns ? (double)(now_ns - from_ns) / NS_PER_S : 0,
	};
	if (estimate->window.is_part && estimate->window.on_s > 0)
		estimate->window.scale = scale_of(estimate, pace);
	weigh(estimate, pace, on_ns - estimate->on_ns, now_ns);
	estimate->on_ns = on_ns;
	estimate->off_ns = off_ns;
	estimate->from_ns = now_ns;
}

uint64_t estimate_scale(const struct sink_window *window, uint64_t counted)
{
	if (!window->is_part || window->scale <= 1)
		return counted;
	return (uint64_t)((double)counted * window->scale + 0.5);
}

/* What the sum of all values becomes where each slot counts for more. */
static double weight_of_sum(const double *weights, const struct hist *hist)
{
	double sum = 0, weighted = 0;

	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		double part = (double)hist->slots[slot] * (double)hist_slot_lo(slot);

		sum += part;
		weighted += part * weights[slot];
	}
	return sum > 0 ? weighted / sum : 1;
}

void estimate_hist(const struct sink_window *window, const double *weights, struct hist *hist)
{
	double counted = 0;

	if (!window->is_part)
		return;
	if (weights)
		hist->sum.sum = (uint64_t)((double)hist->sum.sum * weight_of_sum(weights, hist));
	hist->sum.sum = estimate_scale(window, hist->sum.sum);
	hist->count = 0;
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		counted += (double)hist->slots[slot] * (weights ? weights[slot] : 1);
		hist->slots[slot] = estimate_scale(window, (uint64_t)(counted + 0.5)) - hist->count;
		hist->count += hist->slots[slot];
	}
}

void estimate_counter(const struct sink_window *window, struct counter *counter)
{
	counter->count = estimate_scale(window, counter->count);
	counter->sum = estimate_scale(window, counter->sum);
	counter->extras[0] = estimate_scale(window, counter->extras[0]);
	counter->extras[1] = estimate_scale(window, counter->extras[1]);
}
