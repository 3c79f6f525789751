// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is counted in windows, beside all that there was: a queue whose messages come in bursts. A hit costs 20 us
 * here, so that there are few of them; a burst takes more than a second's budget, as it does on a busy node.
 */
#include "budget/windows.h"

#include <math.h>
#include <stdlib.h>

#include "base/duration.h"
#include "hist.h"
#include "budget/reach.h"

#include "check.h"

#define TICK_NS (5 * NS_PER_MS)
#define TICKS 20000 /* 100 s */
#define HIT_NS 20000
#define SWITCH_NS (int64_t)(4 * NS_PER_MS)
#define FULL_NS (int64_t)(50 * NS_PER_MS)
#define SHARE 0.05
#define MOST_CASES 2000000

struct one {
	uint64_t from_ns, to_ns;
};

struct load {
	struct one *cases;
	size_t count;
	uint32_t hits[TICKS];
};

struct seen {
	uint64_t slots[HIST_SLOTS], count;
	int64_t spent_ns;
	int windows;
	uint64_t on_ns;
	struct reach reach;
};

/* Arrivals by states that follow each other, for times that are by chance; served one after the other. */
struct states {
	const char *name;
	double per_second[2], seconds[2];
	uint64_t service_ns;
	size_t together; /* come at once */
	bool is_regular; /* nothing is by chance: the same time between two arrivals, the same service */
};

static double exponential(uint64_t *random, double of)
{
	return -log(1 - (double)(check_random(random) >> 11) / 9007199254740992.0) * of;
}

/* Its mean, or one that is by chance. */
static uint64_t time_of(const struct states *states, uint64_t *random, double mean)
{
	return (uint64_t)(states->is_regular ? mean : exponential(random, mean));
}

static void add_case(struct load *load, uint64_t from_ns, uint64_t to_ns)
{
	if (load->count == MOST_CASES || from_ns >= TICKS * TICK_NS)
		return;
	load->cases[load->count++] = (struct one){ from_ns, to_ns };
	load->hits[from_ns / TICK_NS]++;
	if (to_ns / TICK_NS < TICKS)
		load->hits[to_ns / TICK_NS]++;
}

static struct load *load_new(const struct states *states, uint64_t seed)
{
	struct load *load = calloc(1, sizeof(*load));
	uint64_t random = seed, now = 0, free_ns = 0, until = 0;
	size_t state = 1;

	load->cases = calloc(MOST_CASES, sizeof(*load->cases));
	while (now < TICKS * TICK_NS) {
		double rate;

		for (; now >= until; state = !state)
			until += (uint64_t)exponential(&random, states->seconds[!state] * NS_PER_S);
		rate = states->per_second[state];
		if (rate <= 0) {
			now = until;
			continue;
		}
		now += time_of(states, &random, NS_PER_S / rate);
		for (size_t i = 0; i < states->together; i++) {
			uint64_t start = now > free_ns ? now : free_ns;

			add_case(load, now, start + 1000);
			free_ns = start + time_of(states, &random, (double)states->service_ns);
		}
	}
	return load;
}

static void load_free(struct load *load)
{
	free(load->cases);
	free(load);
}

/* Cases that begin from opened_ns on and before closed_ns, if they end before off_ns. */
static void see(struct seen *seen, const struct load *load, size_t *next, const uint64_t window[3])
{
	while (*next < load->count && load->cases[*next].from_ns < window[0])
		(*next)++;
	for (; *next < load->count && load->cases[*next].from_ns < window[1]; (*next)++) {
		const struct one *one = &load->cases[*next];

		if (one->to_ns >= window[2])
			continue;
		seen->slots[hist_slot(one->to_ns - one->from_ns)]++;
		seen->count++;
	}
	seen->on_ns += window[1] - window[0];
	reach_add(&seen->reach, window[0], window[1], window[2]);
	seen->windows++;
}

static double percentile(const struct seen *seen, double q)
{
	uint64_t below = 0;
	uint32_t slot = 0;

	for (; slot + 1 < HIST_SLOTS && (double)below + (double)seen->slots[slot] < q * (double)seen->count; slot++)
		below += seen->slots[slot];
	return (double)hist_slot_lo(slot);
}

/* The same where each case stands for those of its duration that windows miss. */
static double weighted_percentile(const struct seen *seen, double q)
{
	static const struct reach none;
	double sum = 0, below = 0, weighted[HIST_SLOTS];
	uint32_t slot = 0;

	for (uint32_t i = 0; i < HIST_SLOTS; i++) {
		weighted[i] = (double)seen->slots[i] * reach_weight(&none, &seen->reach, seen->on_ns, i);
		sum += weighted[i];
	}
	for (; slot + 1 < HIST_SLOTS && below + weighted[slot] < q * sum; slot++)
		below += weighted[slot];
	return (double)hist_slot_lo(slot);
}

enum phase {
	OPEN,
	CLOSING,
	OFF,
};

struct run {
	struct windows windows;
	struct account account;
	uint64_t window[3], close_until_ns;
	enum phase phase;
};

/* The other rule: a window closes when half of the account is spent, and the next comes when that is full. */
static bool goes_on(struct run *run, uint64_t now, bool cost_ends_it)
{
	if (cost_ends_it)
		return run->account.ns >= FULL_NS / 2;
	return windows_go_on(&run->windows, now, &run->account);
}

static bool is_due(const struct run *run, uint64_t now, bool cost_ends_it)
{
	return cost_ends_it ? run->account.ns >= FULL_NS : windows_are_due(&run->windows, now, &run->account);
}

static bool may_close(const struct run *run, bool cost_ends_it)
{
	return cost_ends_it ? run->account.ns >= -FULL_NS : windows_may_close(&run->windows, &run->account);
}

static void turn(struct run *run, uint64_t now, bool cost_ends_it)
{
	run->window[run->phase == OPEN ? 1 : 2] = now;
	if (run->phase == OPEN && !goes_on(run, now, cost_ends_it)) {
		run->close_until_ns = now +
				      (cost_ends_it ? now - run->window[0] : windows_closing_ns(&run->windows, now));
		run->phase = CLOSING;
	} else if (run->phase == CLOSING && (now >= run->close_until_ns || !may_close(run, cost_ends_it))) {
		windows_over(&run->windows, now, &run->account, SWITCH_NS);
		run->account.ns -= SWITCH_NS;
		run->phase = OFF;
	} else if (run->phase == OFF && is_due(run, now, cost_ends_it)) {
		windows_open(&run->windows, now, &run->account);
		run->window[0] = now;
		run->phase = OPEN;
	}
}

static void tick(struct run *run, const struct load *load, size_t i, bool cost_ends_it)
{
	struct account *account = &run->account;
	int64_t most = cost_ends_it ? FULL_NS : windows_most_ns(&run->windows, FULL_NS);
	int64_t cost = run->phase == OFF ? 0 : (int64_t)load->hits[i] * HIT_NS;

	account->spent_ns += cost;
	account->ns += (int64_t)(SHARE * TICK_NS) - cost;
	if (account->ns > most)
		account->ns = most;
	turn(run, (i + 1) * TICK_NS, cost_ends_it);
}

static struct seen watch(const struct load *load, bool cost_ends_it)
{
	struct run run = { .account = { FULL_NS, FULL_NS, FULL_NS / 2, SHARE, 0 }, .windows.chance = 1 };
	struct seen seen = {};
	size_t next = 0;

	windows_open(&run.windows, 0, &run.account);
	for (size_t i = 0; i < TICKS; i++) {
		enum phase before = run.phase;

		tick(&run, load, i, cost_ends_it);
		if (before == CLOSING && run.phase == OFF)
			see(&seen, load, &next, run.window);
	}
	if (run.phase != OFF)
		see(&seen, load, &next,
		    (uint64_t[]){ run.window[0], run.phase == OPEN ? TICKS * TICK_NS : run.window[1],
				  TICKS * TICK_NS });
	seen.spent_ns = run.account.spent_ns + seen.windows * SWITCH_NS;
	return seen;
}

static struct seen all_of(const struct load *load)
{
	struct seen seen = {};
	size_t next = 0;

	see(&seen, load, &next, (uint64_t[]){ 0, UINT64_MAX, UINT64_MAX });
	return seen;
}

static void add_seen(struct seen *sum, const struct seen *seen)
{
	for (size_t slot = 0; slot < HIST_SLOTS; slot++)
		sum->slots[slot] += seen->slots[slot];
	sum->count += seen->count;
	sum->spent_ns += seen->spent_ns;
	sum->windows += seen->windows;
	sum->on_ns += seen->on_ns;
}

/* What windows have seen, and what there was. */
struct beside {
	struct seen seen, all;
};

/* Loads differ by chance: this is of several. */
#define LOADS 4

static struct beside compare(const struct states *states, bool cost_ends_it)
{
	struct beside sum = {};

	for (uint64_t seed = 1; seed <= LOADS; seed++) {
		struct load *load = load_new(states, seed);
		struct seen seen = watch(load, cost_ends_it), all = all_of(load);

		add_seen(&sum.seen, &seen);
		add_seen(&sum.all, &all);
		load_free(load);
	}
	return sum;
}

static double ratio(const struct beside *beside, double q)
{
	return percentile(&beside->seen, q) / percentile(&beside->all, q);
}

static const struct states evenly = { "evenly", { 10000, 10000 }, { 1, 1 }, 60000, 1 };
static const struct states in_turns = { "more and less in turns", { 4000, 14000 }, { 1, 1 }, 62000, 1 };
static const struct states bursts = { "idle and busy", { 0, 20000 }, { 0.2, 0.05 }, 62000, 1 };
static const struct states long_bursts = { "long idle and long busy", { 0, 18000 }, { 2, 0.3 }, 62000, 1 };
/* Not in step with the ticks, which are not the node's. */
static const struct states regular[] = {
	{ "regular and small", { 97, 97 }, { 1, 1 }, 70000, 100, true },
	{ "regular", { 13.7, 13.7 }, { 1, 1 }, 30000, 700, true },
	{ "regular and large", { 3.1, 3.1 }, { 1, 1 }, 9000, 3000, true },
};
static const struct states at_once = { "many at once", { 2.5, 2.5 }, { 1, 1 }, 5000, 4000 };

static bool is_near(double ratio, double by)
{
	return ratio > 1 - by && ratio < 1 + by;
}

Test(windows, have_the_percentiles_of_all_that_there_was)
{
	const struct states *loads[] = { &evenly, &in_turns, &bursts, &at_once };

	for (size_t i = 0; i < COUNT(loads); i++) {
		struct beside beside = compare(loads[i], false);

		cr_expect(is_near(ratio(&beside, 0.5), 0.15), "%s: p50 %.2f", loads[i]->name, ratio(&beside, 0.5));
		cr_expect(is_near(ratio(&beside, 0.9), 0.15), "%s: p90 %.2f", loads[i]->name, ratio(&beside, 0.9));
		/* The longest waits are of bursts that meet, of which one costs more than can be overdrawn. */
		cr_expect(is_near(ratio(&beside, 0.99), 0.35), "%s: p99 %.2f", loads[i]->name, ratio(&beside, 0.99));
	}
}

Test(windows, have_the_percentiles_of_bursts_that_are_all_the_same)
{
	for (size_t i = 0; i < COUNT(regular); i++) {
		struct beside beside = compare(&regular[i], false);

		cr_expect(is_near(ratio(&beside, 0.5), 0.1), "%s: p50 %.2f", regular[i].name, ratio(&beside, 0.5));
		cr_expect(is_near(ratio(&beside, 0.9), 0.1), "%s: p90 %.2f", regular[i].name, ratio(&beside, 0.9));
		cr_expect(is_near(ratio(&beside, 0.99), 0.1), "%s: p99 %.2f", regular[i].name, ratio(&beside, 0.99));
	}
}

/* Why windows are planned. */
Test(windows, that_end_when_they_have_cost_enough_see_the_beginnings_of_bursts)
{
	const struct states *loads[] = { &bursts, &long_bursts, &at_once };

	for (size_t i = 0; i < COUNT(loads); i++) {
		struct beside beside = compare(loads[i], true);

		cr_expect(ratio(&beside, 0.9) < 0.6, "%s: p90 %.2f", loads[i]->name, ratio(&beside, 0.9));
	}
}

Test(windows, that_are_planned_are_nearer_where_bursts_cost_more_than_can_be_saved_up)
{
	struct beside planned = compare(&long_bursts, false), ended = compare(&long_bursts, true);

	cr_expect(ratio(&planned, 0.9) > 2 * ratio(&ended, 0.9) && ratio(&planned, 0.9) < 1.1, "%.2f, %.2f",
		  ratio(&planned, 0.9), ratio(&ended, 0.9));
}

Test(windows, stay_within_the_budget)
{
	const struct states *loads[] = { &evenly, &in_turns, &bursts, &long_bursts, &at_once };

	for (size_t i = 0; i < COUNT(loads); i++) {
		struct beside beside = compare(loads[i], false);
		double share = (double)beside.seen.spent_ns / (LOADS * TICKS * (double)TICK_NS);

		cr_expect(share < 1.05 * SHARE && share > 0.6 * SHARE, "%s: %.3f", loads[i]->name, share);
	}
}

Test(windows, see_the_same_part_of_bursts_as_of_time)
{
	struct beside beside = compare(&bursts, false);
	double cases = (double)beside.seen.count / (double)beside.all.count;
	double time = (double)beside.seen.on_ns / (LOADS * TICKS * (double)TICK_NS);

	cr_expect(cases > 0.85 * time && cases < 1.15 * time, "%.3f of cases, %.3f of time", cases, time);
}

Test(windows, do_not_end_as_long_as_all_can_be_paid)
{
	static const struct states few = { "few", { 1000, 1000 }, { 1, 1 }, 30000, 1 };
	struct beside beside = compare(&few, false);

	cr_expect(eq(int, beside.seen.windows, LOADS));
	cr_expect(eq(u64, beside.seen.count, beside.all.count));
}

/* All that there is is spent for the beginning. */
Test(windows, begin_with_a_burst_that_costs_no_more_than_a_second_may)
{
	struct load load = { .cases = calloc(MOST_CASES, sizeof(*load.cases)) };
	size_t affordable = FULL_NS / HIT_NS / 2 - 1;
	struct seen seen;

	for (size_t i = 0; i < affordable; i++)
		add_case(&load, TICK_NS + i, TICK_NS + i + 1000);
	seen = watch(&load, false);
	cr_expect(eq(u64, seen.count, affordable));
	cr_expect(eq(int, seen.windows, 1));
	free(load.cases);
}

Test(windows, come_back_to_stay_when_a_node_has_become_idle)
{
	struct load load = { .cases = calloc(MOST_CASES, sizeof(*load.cases)) };
	struct seen seen;

	/* For ten seconds more than can be paid, then next to nothing. */
	for (uint64_t now = 0; now < TICKS * TICK_NS; now += now < 10 * NS_PER_S ? 100000 : 10000000)
		add_case(&load, now, now + 1000);
	seen = watch(&load, false);
	cr_expect(seen.windows < 40, "%d", seen.windows);
	cr_expect(seen.on_ns > 75 * NS_PER_S, "%.1f s", (double)seen.on_ns / NS_PER_S);
	free(load.cases);
}

/* Windows are about 35 ms here, and take as long to close. */
static struct load *long_cases(uint64_t most_ns)
{
	struct load *load = calloc(1, sizeof(*load));
	uint64_t random = 1;

	load->cases = calloc(MOST_CASES, sizeof(*load->cases));
	for (uint64_t now = 0; now < TICKS * TICK_NS; now += 50000)
		add_case(load, now, now + 1000 + check_random(&random) % most_ns);
	return load;
}

Test(windows, have_too_few_cases_that_take_longer_than_they_close_and_know_how_many)
{
	struct load *load = long_cases(68 * NS_PER_MS);
	struct seen seen = watch(load, false), all = all_of(load);
	const double shares[] = { 0.5, 0.75, 0.9 };

	cr_expect(percentile(&seen, 0.5) < 0.85 * percentile(&all, 0.5), "%.2f",
		  percentile(&seen, 0.5) / percentile(&all, 0.5));
	for (size_t i = 0; i < COUNT(shares); i++) {
		double ratio = weighted_percentile(&seen, shares[i]) / percentile(&all, shares[i]);

		cr_expect(is_near(ratio, 0.1), "p%.0f %.2f", shares[i] * 100, ratio);
	}
	load_free(load);
}

Test(reach, is_the_time_in_which_a_case_could_begin_that_was_measured)
{
	static const struct reach none;
	struct reach reach = {};

	/* Open for 100 ns, closing for 50. */
	reach_add(&reach, 1000, 1100, 1150);
	cr_expect(eq(u64, reach.ns[hist_slot(0)], 100));
	cr_expect(eq(u64, reach.ns[hist_slot(50)], 100));
	/* The middle of its slot is 109. */
	cr_expect(eq(u64, reach.ns[hist_slot(110)], 1150 - 109 - 1000));
	cr_expect(eq(u64, reach.ns[hist_slot(200)], 0));
	cr_expect(eq(dbl, reach_weight(&none, &reach, 100, hist_slot(50)), 1));
	cr_expect(eq(dbl, reach_weight(&none, &reach, 100, hist_slot(110)), 100.0 / 41));
	/* What no window could have is not made up. */
	cr_expect(eq(dbl, reach_weight(&none, &reach, 100, hist_slot(200)), REACH_MOST));
	/* One that is open yet. */
	reach_add(&reach, 2000, 2080, 2080);
	cr_expect(eq(u64, reach.ns[hist_slot(30)], 100 + 80 - 30));
}
