// SPDX-License-Identifier: BSD-2-Clause
#include "budget/pace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"

/*
 * A hit costs a busy node more than it costs us when we measure it (budget/hit_cost.h), because it leaves cold caches
 * behind: 1.2 to 2.1 times as much in RabbitMQ, ejabberd and the tests' workloads.
 */
#define NODE_FACTOR 1.6
#define REST_NS (4 * PACE_TICK_NS)
#define MOST_PLACED_NS (100 * NS_PER_MS)
#define MOST_CLOSING_NS (300 * NS_PER_MS) /* for cases to end */
#define LATER_NS NS_PER_S		  /* after an attempt to attach that failed */
#define LEAST_STRATUM_NS (20 * NS_PER_MS)
#define LEAST_SLOWING 0.05	      /* processors that probes use while they are attached */
#define CUT_TIMES 4		      /* a window that costs so many times what was planned is cut short... */
#define CUT_LEAST_NS (50 * NS_PER_MS) /* ... if it costs so much CPU time at least */

/* The world. */

static uint64_t now_of(const struct pace *pace)
{
	return pace->world.ops->now(&pace->world);
}

static uint64_t results_of(const struct pace *pace)
{
	return pace->world.ops->results(&pace->world);
}

/* CPU time of all nodes. One that has ended used none: then the sum is less than before. */
static uint64_t cpu_of(const struct pace *pace)
{
	const struct pace_world_ops *ops = pace->world.ops;
	uint64_t sum = 0;

	for (size_t i = 0; i < ops->node_count(&pace->world); i++)
		sum += ops->is_over(&pace->world, i) ? 0 : ops->cpu_ns(&pace->world, i);
	return sum;
}

static void tell_window(struct pace *pace)
{
	pace->world.ops->tell(&pace->world, &pace->window);
}

void pace_forget(struct pace *pace)
{
	pace->world.ops->forget(&pace->world);
}

/* Capacity and costs. */

/* The budget holds for each node, also if all hits are of one: the smallest decides. */
static void measure_nodes(struct pace *pace)
{
	const struct pace_world_ops *ops = pace->world.ops;
	double least = 0;

	for (size_t i = 0; i < ops->node_count(&pace->world); i++) {
		double cpus = ops->is_over(&pace->world, i) ? 0 : ops->most_cpus(&pace->world, i);

		if (cpus > 0 && (least <= 0 || cpus < least))
			least = cpus;
	}
	if (least > 0)
		pace->cpus = least;
}

/* Processors that a sampled tool may use. */
static double budget_of(const struct pace *pace)
{
	if (pace->budget > 0)
		return pace->budget;
	if (pace->share > 0)
		return pace->share * pace->cpus;
	return fmax(PACE_DEFAULT_SHARE * pace->cpus, PACE_SAMPLE_LEAST);
}

static double limit_of(const struct pace *pace)
{
	if (pace->share > 0)
		return pace->share * pace->cpus;
	return fmax(PACE_BREAKER_LEAST, PACE_DEFAULT_SHARE * pace->cpus);
}

static double cost_since(uint64_t before_ns, uint64_t now_ns)
{
	return now_ns > before_ns ? (double)(now_ns - before_ns) : 0;
}

/* CPU time that hits have cost the nodes since the last call. */
static double settle(struct pace *pace)
{
	struct hit_costs costs = pace->world.ops->costs(&pace->world);
	struct bill_sum paid = pace->world.ops->paid(&pace->world, &costs);
	double cost = cost_since(pace->paid.all_ns, paid.all_ns) * NODE_FACTOR +
		      cost_since(pace->paid.counted_ns, paid.counted_ns);

	pace->paid = paid;
	pace->charged_ns += cost;
	pace->account_ns -= cost;
	return cost;
}

/* Tells programs what measuring adds to what is measured. */
static bool set_own_costs(struct pace *pace)
{
	struct hit_costs costs = pace->world.ops->costs(&pace->world);
	uint64_t program_ns = pace->world.ops->program_ns(&pace->world);

	if (pace->window.pair_ns == costs.pair_ns && pace->own_program_ns == program_ns)
		return false;
	pace->own_program_ns = program_ns;
	pace->window.pair_ns = costs.pair_ns;
	pace->window.return_ns = costs.call_ns;
	pace->window.plain_ns = costs.bare_ns[HIT_PLAIN] + program_ns;
	pace->window.call_ns = costs.bare_ns[HIT_RETURN] + program_ns;
	return true;
}

/* Windows. */

/* Tells programs at once: what comes first is missed or counted in no window. */
static void set_phase(struct pace *pace, enum pace_phase phase, uint64_t now)
{
	if (pace->since_ns) {
		pace->on_ns += now - pace->since_ns;
		pace->since_ns = 0;
	}
	if (phase == PACE_OPEN) {
		pace->window.opened_ns = pace->since_ns = now;
		pace->window.closed_ns = 0;
	} else if (!pace->window.closed_ns) {
		pace->window.closed_ns = now;
	}
	pace->window.is_off = phase == PACE_OFF || phase == PACE_PLACED;
	pace->phase = phase;
	tell_window(pace);
}

static void count_from(struct pace *pace, uint64_t now)
{
	pace->is_counting = true;
	pace->opened_results = results_of(pace);
	pace->opened_at_ns = now;
	pace->opened_charge = pace->charged_ns;
	pace->opened_cpu_ns = cpu_of(pace);
}

/* Results per second since the last tick. */
static double rate_lately(const struct pace *pace, uint64_t now)
{
	return (double)(results_of(pace) - pace->marked_results) * NS_PER_S /
	       (double)(now > pace->marked_ns ? now - pace->marked_ns : 1);
}

/* What may have happened since a burst ended the last whole window. */
static void add_gap(struct pace *pace, uint64_t now)
{
	sampling_add_gap(&pace->sum, pace->ended_rate, (double)(now - pace->window.closed_ns) / NS_PER_S);
	pace->ended_rate = 0;
}

static void add_cost(struct pace *pace)
{
	/* As it was measured: the factor is there to be on the safe side. */
	sampling_add_cost(&pace->sum, (pace->charged_ns - pace->opened_charge) / NODE_FACTOR,
			  cost_since(pace->opened_cpu_ns, cpu_of(pace)));
}

/* From the beginning on: nothing was missed. */
static void open_first(struct pace *pace)
{
	settle(pace);
	set_phase(pace, PACE_OPEN, pace->began_ns);
	count_from(pace, pace->began_ns);
	pace->opened_results = 0;
	/* What has begun before counts as today's: the probes were there. */
	pace->window.opened_ns = 0;
	tell_window(pace);
}

void pace_begin(struct pace *pace, const struct pace_setup *setup)
{
	*pace = (struct pace){
		.mode = setup->mode,
		.share = setup->share,
		.budget = setup->budget,
		.lets_end = setup->lets_end,
		.has_details = setup->has_details,
		.world = setup->world,
		.cpus = 1,
		.began_ns = setup->world.ops->now(&setup->world),
	};
	pace->world.ops->begin(&pace->world);
	set_own_costs(pace);
	measure_nodes(pace);
	pace->last_ns = pace->taken_ns = pace->began_ns;
	pace->account_ns = budget_of(pace) * NS_PER_S;
	if (setup->starts_away) {
		settle(pace);
		pace->window.is_off = true;
		pace->whole_since_ns = UINT64_MAX;
		pace->is_sampling = true;
		tell_window(pace);
	} else if (setup->mode != PACE_NEVER) {
		open_first(pace);
	}
}

void pace_set_intervals(struct pace *pace, uint64_t first_end_ns, uint64_t interval_ns)
{
	pace->first_end_ns = first_end_ns;
	pace->interval_ns = interval_ns;
}

void pace_set_budget(struct pace *pace, double cpus)
{
	pace->budget = cpus;
}

void pace_free(struct pace *pace)
{
	if (pace->began_ns)
		pace->world.ops->end(&pace->world);
	*pace = (struct pace){};
}

/* The first one, and those that are as long as their stratum. */
static bool is_whole(const struct pace *pace)
{
	return !pace->is_sampling || stratum_is_whole(&pace->stratum);
}

/* The window, or the part of it since the last pace_take(), is over at that time. */
static void add_window(struct pace *pace, uint64_t now)
{
	double watched_s = (double)(now - pace->opened_at_ns) / NS_PER_S;
	uint64_t seen = results_of(pace) - pace->opened_results;

	pace->is_counting = false;
	add_cost(pace);
	if (is_whole(pace))
		sampling_add(&pace->sum, seen, watched_s, watched_s);
	else if (pace->is_cut)
		sampling_add_cut(&pace->sum, seen, watched_s);
	else
		sampling_add(&pace->sum, seen, watched_s,
			     (double)(pace->stratum.end_ns - pace->stratum.begin_ns) / NS_PER_S);
}

/* The end of the user's present interval; 0: there are none. */
static uint64_t interval_end(const struct pace *pace, uint64_t now)
{
	uint64_t end = pace->first_end_ns;

	if (!pace->interval_ns)
		return 0;
	/* What is left of this one is too short. */
	if (now + LEAST_STRATUM_NS >= end)
		end += ((now + LEAST_STRATUM_NS - end) / pace->interval_ns + 1) * pace->interval_ns;
	return end;
}

/* The next stratum begins then, and its window not before now. */
static void plan(struct pace *pace, uint64_t begin_ns, uint64_t now)
{
	const struct sampling_budget budget = {
		.cpus = budget_of(pace),
		.debt_ns = -pace->account_ns,
		.interval_ns = pace->interval_ns,
		.until_ns = interval_end(pace, now),
	};

	measure_nodes(pace);
	pace->stratum = sampling_plan(&pace->sampling, begin_ns, now > begin_ns ? now : begin_ns, &budget);
	pace->is_cut = false;
	pr_debug("a stratum of %.1f ms has a window of %.1f ms after %.1f ms",
		 (double)(pace->stratum.end_ns - pace->stratum.begin_ns) / NS_PER_MS,
		 (double)pace->stratum.length_ns / NS_PER_MS,
		 (double)(pace->stratum.open_ns - pace->stratum.begin_ns) / NS_PER_MS);
}

static void say_sampling(const struct pace *pace)
{
	pr_info("Sampling, because probes would use more than %.3g%% of a CPU all the time. --exact keeps them "
		"attached.",
		budget_of(pace) * 100);
}

/*
 * Probes come and go one after the other, and are hit meanwhile. The kernel changes the node's code while its threads
 * run, which takes CPU time of the guardian, and of the node about as much.
 */
static double switching_cost(struct pace *pace, uint64_t guardian_before_ns, double charged_before_ns)
{
	double guardian = cost_since(guardian_before_ns, pace->world.ops->switching_ns(&pace->world));

	settle(pace);
	pace->account_ns -= guardian;
	return guardian + pace->charged_ns - charged_before_ns;
}

static void take_away(struct pace *pace)
{
	uint64_t start = now_of(pace), guardian_ns = pace->world.ops->switching_ns(&pace->world);
	double charged_ns, cost_ns, took_ns;

	settle(pace);
	charged_ns = pace->charged_ns;
	set_phase(pace, PACE_OFF, start);
	pace->whole_since_ns = UINT64_MAX;
	pace->world.ops->pause(&pace->world);
	cost_ns = switching_cost(pace, guardian_ns, charged_ns);
	took_ns = (double)(now_of(pace) - start);
	pr_debug("probes off after %.1f ms, taken away in %.1f ms, which cost %.0f us",
		 pace->window.opened_ns ? (double)(start - pace->window.opened_ns) / NS_PER_MS
					: (double)(start - pace->began_ns) / NS_PER_MS,
		 took_ns / NS_PER_MS, cost_ns / 1000);
	/* The first time, it is not known what attaching costs: as much. */
	sampling_learn_switch(&pace->sampling, cost_ns + (pace->resume_took_ns > 0 ? pace->resume_ns : cost_ns),
			      took_ns + (pace->resume_took_ns > 0 ? pace->resume_took_ns : took_ns));
}

static void learn_window(struct pace *pace, uint64_t now)
{
	sampling_learn(&pace->sampling, now - pace->opened_at_ns, pace->charged_ns - pace->opened_charge);
}

static void close_window(struct pace *pace, uint64_t now)
{
	uint64_t open_ns = now - pace->window.opened_ns;

	set_phase(pace, PACE_CLOSING, now);
	pace->close_until_ns = now;
	if (pace->lets_end)
		pace->close_until_ns += open_ns < MOST_CLOSING_NS ? open_ns : MOST_CLOSING_NS;
}

/* When probes are to be attached, so that the window can open in time. */
static uint64_t attach_at(const struct pace *pace)
{
	uint64_t lead_ns = (uint64_t)(2 * pace->resume_took_ns);

	return pace->stratum.open_ns > lead_ns ? pace->stratum.open_ns - lead_ns : 0;
}

static void bring_back(struct pace *pace)
{
	uint64_t start = now_of(pace), guardian_ns = pace->world.ops->switching_ns(&pace->world), took_ns;
	double charged_ns;
	int err;

	settle(pace);
	charged_ns = pace->charged_ns;
	err = pace->world.ops->resume(&pace->world, ATTACH_CASES);
	if (err) {
		/* A node that ends just now, perhaps, or that does not answer. */
		pr_debug("probes are not attached now: %s", strerror(-err));
		pace->stratum.open_ns = now_of(pace) + LATER_NS;
		return;
	}
	pace->resume_ns = switching_cost(pace, guardian_ns, charged_ns);
	took_ns = now_of(pace) - start;
	pace->resume_took_ns = (double)took_ns;
	pr_debug("probes put in place in %.1f ms, which cost %.0f us", pace->resume_took_ns / NS_PER_MS,
		 pace->resume_ns / 1000);
	pace->phase = PACE_PLACED;
	/* The node was held up meanwhile: what has piled up is done by then. */
	pace->open_at_ns = now_of(pace) + (took_ns < MOST_PLACED_NS ? took_ns : MOST_PLACED_NS);
	if (pace->open_at_ns < pace->stratum.open_ns)
		pace->open_at_ns = pace->stratum.open_ns;
}

static void open_window(struct pace *pace)
{
	uint64_t now;

	settle(pace);
	now = now_of(pace);
	if (pace->ended_rate > 0)
		add_gap(pace, now);
	set_phase(pace, PACE_OPEN, now);
	count_from(pace, now);
	pace->whole_since_ns = now;
}

/* A burst may cost much more than was expected. */
static bool must_cut(const struct pace *pace)
{
	double planned = budget_of(pace) * (double)(pace->stratum.end_ns - pace->stratum.begin_ns);
	double cost = pace->charged_ns - pace->opened_charge;

	return cost > CUT_TIMES * planned && cost > CUT_LEAST_NS;
}

/* The whole of the stratum was watched. The next one may be watched as a whole, too. */
static void turn_stratum(struct pace *pace, uint64_t now)
{
	learn_window(pace, now);
	plan(pace, now, now);
	if (is_whole(pace)) {
		add_window(pace, now);
		count_from(pace, now);
	} else {
		pace->stratum.begin_ns = pace->stratum.end_ns = pace->stratum.length_ns = 0;
		close_window(pace, now);
	}
}

/* The budget is spent. What was watched up to now is exact. */
static void begin_sampling(struct pace *pace, uint64_t now)
{
	if (!pace->is_sampling)
		say_sampling(pace);
	learn_window(pace, now);
	pace->ended_rate = rate_lately(pace, now);
	close_window(pace, now);
}

static void tick_whole(struct pace *pace, uint64_t now)
{
	if (pace->account_ns < 0)
		begin_sampling(pace, now);
	else if (pace->is_sampling && now >= pace->stratum.end_ns)
		turn_stratum(pace, now);
	pace->marked_ns = now;
	pace->marked_results = results_of(pace);
}

static void tick_part(struct pace *pace, uint64_t now)
{
	bool is_over = now >= pace->opened_at_ns + pace->stratum.length_ns;

	pace->is_cut = !is_over && must_cut(pace);
	if (is_over || pace->is_cut)
		close_window(pace, now);
}

/* The next stratum begins where this one ends, or where the watched part of a whole one has ended. */
static void tick_closing(struct pace *pace, uint64_t now)
{
	bool was_whole = is_whole(pace);

	if (now < pace->close_until_ns)
		return;
	if (!was_whole)
		learn_window(pace, pace->window.closed_ns);
	add_window(pace, pace->window.closed_ns);
	pace->is_sampling = true;
	take_away(pace);
	plan(pace, was_whole ? pace->window.closed_ns : pace->stratum.end_ns, now_of(pace));
}

static void tick_off(struct pace *pace, uint64_t now)
{
	if (!pace->stratum.end_ns)
		plan(pace, now, now);
	else if (now >= pace->stratum.end_ns)
		/* It has had no window: so the next one is for both. */
		plan(pace, pace->stratum.begin_ns, now);
	else if (now >= attach_at(pace))
		bring_back(pace);
}

static void tick_placed(struct pace *pace, uint64_t now)
{
	if (now < pace->open_at_ns)
		return;
	if (now >= pace->stratum.end_ns)
		plan(pace, pace->stratum.begin_ns, now);
	open_window(pace);
}

static void earn(struct pace *pace, uint64_t now)
{
	double budget = budget_of(pace), full = budget * NS_PER_S;

	pace->account_ns += budget * (double)(now - pace->last_ns);
	pace->account_ns = fmin(fmax(pace->account_ns, -4 * full), full);
	pace->last_ns = now;
}

static void tick_sampled(struct pace *pace, uint64_t now)
{
	earn(pace, now);
	switch (pace->phase) {
	case PACE_OPEN:
		if (is_whole(pace))
			tick_whole(pace, now);
		else
			tick_part(pace, now);
		break;
	case PACE_CLOSING: tick_closing(pace, now); break;
	case PACE_OFF: tick_off(pace, now); break;
	case PACE_PLACED: tick_placed(pace, now); break;
	}
	/* A look costs us some microseconds for each program. */
	if (!pace->is_sampling && pace->account_ns >= budget_of(pace) * NS_PER_S &&
	    !pace->world.ops->is_learning(&pace->world))
		pace->rests_until_ns = now + REST_NS;
}

void pace_stop(struct pace *pace)
{
	pace_end(pace);
	pace->world.ops->pause(&pace->world);
}

/* The node is busy: leave out what is not necessary before everything ends. */
static void shed_details(struct pace *pace)
{
	pace->has_details = false;
	pace->window.without_details = 1;
	pace->window.details_ns = now_of(pace);
	tell_window(pace);
	pace->world.ops->pause_details(&pace->world);
	pr_info("Probes used more than half of what they may: those are removed that say more of each case.");
}

static void tick_breaker(struct pace *pace, uint64_t now, double cost_ns)
{
	pace->breaker.limit = limit_of(pace);
	pace->has_stopped = breaker_add(&pace->breaker, now, cost_ns);
	if (pace->has_stopped) {
		pace_stop(pace);
	} else if (pace->has_details && breaker_used(&pace->breaker) > pace->breaker.limit / 2) {
		shed_details(pace);
	}
}

void pace_tick(struct pace *pace)
{
	uint64_t now = now_of(pace);
	double cost_ns;

	if (pace->mode == PACE_NEVER || pace->ended_ns || now < pace->rests_until_ns)
		return;
	if (set_own_costs(pace))
		tell_window(pace);
	cost_ns = settle(pace);
	if (pace->mode == PACE_SAMPLE)
		tick_sampled(pace, now);
	else if (pace->mode == PACE_BREAKER)
		tick_breaker(pace, now, cost_ns);
	else if (!pace->world.ops->is_learning(&pace->world))
		pace->rests_until_ns = now + REST_NS;
}

bool pace_is_away(const struct pace *pace)
{
	return pace->phase == PACE_OFF;
}

bool pace_ends_soon(const struct pace *pace)
{
	return pace->phase != PACE_OFF && !(pace->phase == PACE_OPEN && is_whole(pace));
}

void pace_hold(struct pace *pace)
{
	uint64_t now = now_of(pace);

	if (pace->mode != PACE_SAMPLE || pace->phase == PACE_OFF)
		return;
	settle(pace);
	pace->is_cut = !is_whole(pace);
	if (pace->is_counting)
		add_window(pace, pace->window.closed_ns ? pace->window.closed_ns : now);
	pace->is_sampling = true;
	take_away(pace);
	plan(pace, now_of(pace), now_of(pace));
}

/* Hits count until the window is closed, so that it is over when all was settled, not before. */
uint64_t pace_end(struct pace *pace)
{
	if (pace->ended_ns)
		return pace->ended_ns;
	if (pace->mode != PACE_NEVER)
		settle(pace);
	pace->ended_ns = now_of(pace);
	if (pace->mode != PACE_NEVER)
		set_phase(pace, PACE_OFF, pace->ended_ns);
	return pace->ended_ns;
}

uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns)
{
	return pace->on_ns + (pace->since_ns && now_ns > pace->since_ns ? now_ns - pace->since_ns : 0);
}

uint64_t pace_off_ns(const struct pace *pace, uint64_t now_ns)
{
	uint64_t end_ns = pace->ended_ns && pace->ended_ns < now_ns ? pace->ended_ns : now_ns;
	uint64_t on_ns = pace_on_ns(pace, end_ns);

	return end_ns - pace->began_ns > on_ns ? end_ns - pace->began_ns - on_ns : 0;
}

/* What is known of the present window, which goes on, or has ended with the trace before its time. */
static void add_present(struct pace *pace, uint64_t now)
{
	bool has_ended = pace->ended_ns;

	if (!pace->is_counting || (pace->phase == PACE_CLOSING && !has_ended))
		return;
	if (is_whole(pace)) {
		add_window(pace, now);
		if (!has_ended)
			count_from(pace, now);
	} else if (has_ended) {
		pace->sum.seen += results_of(pace) - pace->opened_results;
		pace->is_counting = false;
	}
}

/* A few hits are a large part of what an idle node uses, and do it no harm. */
static bool slows_the_node(const struct pace *pace, double watched_s)
{
	return pace->sum.probes_ns > LEAST_SLOWING * watched_s * NS_PER_S;
}

struct pace_seen pace_take(struct pace *pace, uint64_t from_ns, uint64_t now_ns)
{
	uint64_t on_ns = pace_on_ns(pace, now_ns), off_ns = pace_off_ns(pace, now_ns);
	uint64_t since_ns = pace->taken_ns > from_ns ? pace->taken_ns : from_ns, results;
	struct pace_seen seen = {
		.is_part = off_ns > pace->taken_off_ns,
		.watched_s = (double)(on_ns - pace->taken_on_ns) / NS_PER_S,
		.of_s = now_ns > since_ns ? (double)(now_ns - since_ns) / NS_PER_S : 0,
	};

	add_present(pace, now_ns);
	results = results_of(pace);
	seen.seen = results - pace->taken_results;
	pace->taken_results = results;
	seen.slowdown = slows_the_node(pace, seen.watched_s) ? sampling_slowdown(&pace->sum) : 1;
	seen.windows = pace->sum.windows + pace->sum.cut;
	seen.cut = pace->sum.cut;
	seen.has_rate = seen.is_part && sampling_rate(&pace->sum, &seen.rate);
	pace->sum = (struct sampling_sum){};
	pace->taken_ns = now_ns;
	pace->taken_on_ns = on_ns;
	pace->taken_off_ns = off_ns;
	return seen;
}

uint64_t pace_cost_ns(const struct pace *pace)
{
	return (uint64_t)pace->charged_ns;
}

const char *pace_stopped(const struct pace *pace, char text[PACE_STOPPED_TEXT])
{
	if (!pace->has_stopped)
		return NULL;
	snprintf(text, PACE_STOPPED_TEXT, "probes used %.3g%% of a CPU, limit %.3g%%",
		 breaker_used(&pace->breaker) * 100, pace->breaker.limit * 100);
	return text;
}
