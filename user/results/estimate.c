// SPDX-License-Identifier: BSD-2-Clause
#include "results/estimate.h"

#include "base/duration.h"

#define LEAST_SEEN_NS (50 * NS_PER_MS) /* of which a mean is one */
#define LEAST_ON_NS (20 * NS_PER_MS)   /* of a window, to stand for the time between it and the one before */

/*
 * Where reductions are not known: what hits cost is known from hits on ourselves, so about. If that cost can be found
 * in the time that the nodes use more than elsewhere, even if in part, they did as much as elsewhere, and it is less
 * than it was said to be. Only if it is not there, its time was taken from what the nodes would have done.
 */
#define LEAST_PACE 0.05 /* what is said to be less cannot be told from what the hits cost */
#define ADDED 0.6	/* this part of it, or more */
#define TAKEN 0.4	/* ... or less */

static double true_part(double added)
{
	if (added >= ADDED)
		return added < 1 ? added : 1;
	return added <= TAKEN ? 1 : 1 - (added - TAKEN) / (ADDED - TAKEN) * (1 - ADDED);
}

static double pace_by_time(const struct pace_work *work, double on_s)
{
	double used, cost, free, pace;

	if (work->away.time_ns < (int64_t)LEAST_SEEN_NS || work->away.own_ns <= 0 || work->open.cost_ns <= 0 ||
	    on_s <= 0)
		return 1;
	used = (double)(work->open.own_ns + work->open.cost_ns) / NS_PER_S / on_s;
	cost = (double)work->open.cost_ns / NS_PER_S / on_s;
	free = (double)work->away.own_ns / (double)work->away.time_ns;
	pace = (used - true_part((used - free) / cost) * cost) / free;
	if (pace < LEAST_PACE)
		return LEAST_PACE;
	return pace < 1 ? pace : 1;
}

static double rate(const struct pace_reductions *reductions)
{
	return (double)reductions->count / (double)reductions->time_ns;
}

double estimate_pace(const struct pace_work *work, double on_s)
{
	const struct pace_reductions *all = &work->all.reductions, *open = &work->open.reductions;

	if (open->time_ns < LEAST_SEEN_NS || !open->count || all->time_ns <= open->time_ns)
		return pace_by_time(work, on_s);
	return rate(open) / rate(all);
}

static struct pace_reductions reductions_since(const struct pace_reductions *before, const struct pace_reductions *now)
{
	return (struct pace_reductions){ now->count - before->count, now->time_ns - before->time_ns };
}

static struct pace_work work_since(const struct pace_work *before, const struct pace_work *now)
{
	return (struct pace_work){
		.all.reductions = reductions_since(&before->all.reductions, &now->all.reductions),
		.open = {
			.reductions = reductions_since(&before->open.reductions, &now->open.reductions),
			.own_ns = now->open.own_ns - before->open.own_ns,
			.cost_ns = now->open.cost_ns - before->open.cost_ns,
		},
		.away = {
			.own_ns = now->away.own_ns - before->away.own_ns,
			.time_ns = now->away.time_ns - before->away.time_ns,
			.reductions = reductions_since(&before->away.reductions, &now->away.reductions),
		},
	};
}

/*
 * By time, a window counts too little in which the probes make the node slower. An interval that shows too little is
 * held against all that there was so far.
 */
static double scale_of(struct estimate *estimate, struct pace *pace)
{
	struct pace_work all = pace_work(pace), work = work_since(&estimate->work, &all);

	if (work.away.time_ns < (int64_t)LEAST_SEEN_NS)
		work.away = all.away;
	if (work.open.reductions.time_ns < LEAST_SEEN_NS) {
		work.open.reductions = all.open.reductions;
		work.all.reductions = all.all.reductions;
	}
	estimate->work = all;
	return estimate->window.of_s / estimate->window.on_s / estimate_pace(&work, estimate->window.on_s);
}

static void weigh(struct estimate *estimate, const struct pace *pace, uint64_t on_ns, uint64_t now_ns)
{
	struct reach reach;

	pace_reach(pace, now_ns, &reach);
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++)
		estimate->weights[slot] = reach_weight(&estimate->reach, &reach, on_ns, slot);
	estimate->reach = reach;
}

void estimate_turn(struct estimate *estimate, struct pace *pace, uint64_t live_ns, uint64_t now_ns)
{
	uint64_t on_ns = pace_on_ns(pace, now_ns), off_ns = pace_off_ns(pace, now_ns);
	uint64_t from_ns = estimate->from_ns > live_ns ? estimate->from_ns : live_ns;
	uint64_t missed_ns = off_ns - estimate->off_ns;

	/* What has ended meanwhile of cases of the last window stands for as much as others of it. */
	if (estimate->adds_up && missed_ns && on_ns - estimate->on_ns < LEAST_ON_NS)
		return;
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
