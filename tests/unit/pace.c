// SPDX-License-Identifier: BSD-2-Clause
/* Pacing, on a clock of its own: what hits cost a node stays within a budget, whatever the node does. */
#include "budget/pace.h"

#include <math.h>

#include "base/duration.h"

#include "check.h"
#include "pace_simulated.h"

#define MS(n) ((n)*NS_PER_MS)
#define SECONDS(n) ((n)*NS_PER_S)
#define SHARE 0.05
/*
 * Of full accounts: what may be saved up in idle times, what a window may overdraw until its cases have ended, and one
 * for details (budget/windows.c, budget/pace.c).
 */
#define MOST_OVERDRAFT 8

static const struct pace_setup bounded = { .mode = PACE_BOUNDED, .share = SHARE };
static const struct pace_setup with_ends = { .mode = PACE_BOUNDED, .share = SHARE, .lets_end = true };
static const struct pace_setup detailed = { .mode = PACE_BOUNDED, .share = SHARE, .details = "calls are known" };

/* A node that works on one of two processors, whose hits cost 5 us. */
static struct sim_load load_of(double cases)
{
	return (struct sim_load){
		.parts = { { 0, cases, 0, 1 } },
		.count = 1,
		.cpus = 2,
		.hit_ns = 5000,
		.dearer = 1.2,
		.attach_ns = MS(5),
		.detach_ns = MS(8),
	};
}

/* Of one processor. */
static double spent_share(const struct sim *sim)
{
	return sim->spent_ns / (double)(sim->now - sim->began_ns);
}

static double on_share(const struct sim *sim)
{
	return (double)sim->open_ns / (double)(sim->open_ns + sim->off_ns);
}

Test(pace, probes_that_are_hit_rarely_stay_on)
{
	struct sim_load load = load_of(1000);
	struct sim sim;

	sim_begin(&sim, &load, with_ends);
	sim_run(&sim, SECONDS(60));
	sim_end(&sim);
	cr_expect(eq(sz, sim.pauses, 0));
	cr_expect(eq(sz, sim.window_count, 1));
	cr_expect(eq(u64, sim.off_ns, 0));
	sim_free(&sim);
}

Test(pace, a_node_that_is_hit_all_the_time_loses_no_more_than_its_share)
{
	for (double cases = 20000; cases < 2e6; cases *= 3) {
		struct sim_load load = load_of(cases);
		struct sim sim;

		sim_begin(&sim, &load, with_ends);
		sim_run(&sim, SECONDS(100));
		sim_end(&sim);
		cr_expect(spent_share(&sim) < SHARE && spent_share(&sim) > 0.3 * SHARE, "%g hits: %.4f", cases,
			  spent_share(&sim));
		cr_expect(on_share(&sim) > 0 && on_share(&sim) < 0.5, "%g hits: on for %.3f", cases, on_share(&sim));
		/* At four seconds between two at most. */
		cr_expect(ge(sz, sim.window_count, 20));
		sim_free(&sim);
	}
}

Test(pace, a_load_that_begins_midway_is_shed_within_what_a_second_may_cost)
{
	struct sim_load load = load_of(0);
	struct sim sim;
	double before;

	load.parts[0] = (struct sim_part){ SECONDS(20), 100, 0, 1 };
	load.parts[1] = (struct sim_part){ 0, 100000, 0, 1 };
	load.count = 2;
	sim_begin(&sim, &load, bounded);
	sim_run(&sim, SECONDS(20));
	cr_expect(eq(sz, sim.pauses, 0));
	before = sim.spent_ns;
	while (!sim.pauses && sim.now < sim.began_ns + SECONDS(25))
		sim_tick(&sim, PACE_TICK_NS);
	cr_expect(eq(sz, sim.pauses, 1));
	/* And of three ticks, as the first one may have been rested, at most half of two processors. */
	cr_expect(sim.spent_ns - before < SHARE * NS_PER_S + 5 * (double)PACE_TICK_NS, "%g", sim.spent_ns - before);
	sim_run(&sim, SECONDS(60));
	sim_end(&sim);
	cr_expect(sim.spent_ns - before < SHARE * SECONDS(61), "%g", sim.spent_ns - before);
	sim_free(&sim);
}

Test(pace, a_window_in_which_hits_cost_many_times_what_was_expected_ends_early)
{
	struct sim_load load = load_of(15000);
	struct sim sim;
	uint64_t began_ns;

	load.attach_ns = load.detach_ns = MS(1);
	sim_begin(&sim, &load, bounded);
	sim_run(&sim, SECONDS(20));
	while (sim.pace.phase != PACE_OFF)
		sim_tick(&sim, PACE_TICK_NS);
	while (sim.pace.phase != PACE_OPEN)
		sim_tick(&sim, PACE_TICK_NS);
	sim.load.parts[0].cases = 250000;
	began_ns = sim.now;
	/* Two full accounts, and what a tick costs; it could have been half a second. */
	while (sim.pace.phase == PACE_OPEN)
		sim_tick(&sim, PACE_TICK_NS);
	cr_expect(sim.now - began_ns > MS(20) && sim.now - began_ns < MS(200), "%g ms",
		  (double)(sim.now - began_ns) / 1e6);
	cr_expect(sim.pace.cases_ns < -(int64_t)MS(100) && sim.pace.cases_ns > -(int64_t)MS(130), "%g ms",
		  (double)sim.pace.cases_ns / 1e6);
	sim_end(&sim);
	sim_free(&sim);
}

Test(pace, probes_come_back_to_stay_when_a_node_has_become_idle)
{
	struct sim_load load = load_of(0);
	struct sim sim;

	load.parts[0] = (struct sim_part){ SECONDS(10), 200000, 0, 1 };
	load.parts[1] = (struct sim_part){ 0, 100, 0, 0.1 };
	load.count = 2;
	sim_begin(&sim, &load, with_ends);
	sim_run(&sim, SECONDS(100));
	sim_end(&sim);
	cr_expect(sim.open_ns > SECONDS(75), "%.1f s", (double)sim.open_ns / NS_PER_S);
	sim_free(&sim);
}

Test(pace, always_is_always_and_says_what_it_costs)
{
	struct sim_load load = load_of(100000);
	struct sim sim;

	sim_begin(&sim, &load, (struct pace_setup){ .mode = PACE_ALWAYS, .share = SHARE, .lets_end = true });
	sim_run(&sim, SECONDS(30));
	sim_end(&sim);
	cr_expect(eq(sz, sim.pauses, 0));
	cr_expect(eq(u64, sim.off_ns, 0));
	/* 100000 hits of 5 us, as they are measured: in the node they may be twice as dear, and it is not told more. */
	cr_expect(pace_cost_ns(&sim.pace) > SECONDS(14) && pace_cost_ns(&sim.pace) < SECONDS(31), "%g s",
		  (double)pace_cost_ns(&sim.pace) / NS_PER_S);
	sim_free(&sim);
}

Test(pace, what_starts_away_is_put_in_place_by_a_tick)
{
	struct sim_load load = load_of(100);
	struct pace_setup setup = with_ends;
	struct sim sim;

	setup.starts_away = true;
	sim_begin(&sim, &load, setup);
	cr_expect(pace_is_away(&sim.pace));
	sim_tick(&sim, PACE_TICK_NS);
	cr_expect(not(pace_is_away(&sim.pace)));
	cr_expect(eq(sz, sim.resumes, 1));
	sim_run(&sim, SECONDS(10));
	sim_end(&sim);
	cr_expect(eq(sz, sim.window_count, 1));
	cr_expect(gt(u64, sim.open_ns, SECONDS(9)));
	sim_free(&sim);
}

Test(pace, probes_open_after_as_long_as_it_took_to_put_them_in_place)
{
	struct sim_load load = load_of(100000);
	struct sim sim;
	uint64_t placed_ns;

	load.attach_ns = MS(40);
	sim_begin(&sim, &load, bounded);
	while (sim.pace.phase != PACE_PLACED)
		sim_tick(&sim, PACE_TICK_NS);
	placed_ns = sim.now;
	while (sim.pace.phase != PACE_OPEN)
		sim_tick(&sim, PACE_TICK_NS);
	cr_expect(ge(u64, sim.now - placed_ns, MS(40)));
	cr_expect(lt(u64, sim.now - placed_ns, MS(40) + 2 * PACE_TICK_NS));
	sim_end(&sim);
	sim_free(&sim);
}

Test(pace, a_node_that_cannot_be_attached_to_is_tried_again_after_a_second)
{
	struct sim_load load = load_of(100000);
	struct sim sim;
	uint64_t failed_ns;

	sim_begin(&sim, &load, bounded);
	sim.fail = 2;
	while (sim.failures < 1)
		sim_tick(&sim, PACE_TICK_NS);
	failed_ns = sim.now;
	cr_expect(pace_is_away(&sim.pace));
	while (!sim.resumes)
		sim_tick(&sim, PACE_TICK_NS);
	cr_expect(eq(sz, sim.failures, 2));
	cr_expect(ge(u64, sim.now - failed_ns, SECONDS(2) - 2 * PACE_TICK_NS));
	cr_expect(lt(u64, sim.now - failed_ns, SECONDS(2) + 20 * PACE_TICK_NS));
	sim_end(&sim);
	sim_free(&sim);
}

Test(pace, who_cannot_tick_has_the_probes_taken_away)
{
	struct sim_load load = load_of(100);
	struct sim sim;

	sim_begin(&sim, &load, with_ends);
	sim_run(&sim, SECONDS(1));
	pace_hold(&sim.pace);
	cr_expect(pace_is_away(&sim.pace));
	cr_expect(eq(dbl, sim.cases, 0));
	/* Nothing more happens however long that is. */
	pace_hold(&sim.pace);
	sim_pass(&sim, SECONDS(30));
	cr_expect(eq(sz, sim.pauses, 1));
	sim_run(&sim, SECONDS(10));
	sim_end(&sim);
	cr_expect(eq(sz, sim.window_count, 2));
	cr_expect(eq(dbl, sim.cases, 1));
	sim_free(&sim);
}

Test(pace, a_window_that_was_open_for_long_does_not_end_soon)
{
	struct sim_load load = load_of(100);
	struct sim sim;

	sim_begin(&sim, &load, with_ends);
	cr_expect(pace_ends_soon(&sim.pace));
	sim_run(&sim, SECONDS(3));
	cr_expect(not(pace_ends_soon(&sim.pace)));
	pace_hold(&sim.pace);
	cr_expect(not(pace_ends_soon(&sim.pace)));
	sim_end(&sim);
	sim_free(&sim);
}

Test(pace, another_share_holds_from_then_on)
{
	struct sim_load load = load_of(100000);
	struct sim sim;
	double before;

	sim_begin(&sim, &load, with_ends);
	sim_run(&sim, SECONDS(100));
	before = sim.spent_ns;
	pace_set_share(&sim.pace, SHARE / 5);
	sim_run(&sim, SECONDS(100));
	sim_end(&sim);
	cr_expect(before < SHARE * SECONDS(100) && sim.spent_ns - before < SHARE / 5 * SECONDS(100), "%g, %g", before,
		  sim.spent_ns - before);
	cr_expect(sim.spent_ns - before > 0.1 * before);
	sim_free(&sim);
}

/* Others have the processors, or its control group has a limit. */
Test(pace, a_node_that_waits_for_processors_loses_a_share_of_what_it_has)
{
	for (double limit = 0.1; limit < 0.9; limit *= 2) {
		struct sim_load load = load_of(100000);
		struct sim sim;

		load.limit = limit;
		sim_begin(&sim, &load, with_ends);
		sim_run(&sim, SECONDS(200));
		sim_end(&sim);
		/* Until it is known that it waits, a processor was taken to be its own. */
		cr_expect(sim.spent_ns < SHARE * limit * SECONDS(200) + SHARE * SECONDS(1), "%.2f: %.4f", limit,
			  spent_share(&sim) / limit);
		cr_expect(gt(u64, sim.open_ns, MS(500)));
		cr_expect(ge(sz, sim.window_count, 20));
		sim_free(&sim);
	}
}

Test(pace, a_node_that_uses_many_processors_may_lose_more)
{
	struct sim_load load = load_of(400000);
	struct pace_setup setup = with_ends;
	double spent[2];

	load.cpus = 8;
	load.parts[0].work = 6;
	for (int i = 0; i < 2; i++) {
		struct sim sim;

		setup.most_cpus = i; /* as many as it uses, or one */
		sim_begin(&sim, &load, setup);
		sim_run(&sim, SECONDS(100));
		sim_end(&sim);
		spent[i] = spent_share(&sim);
		sim_free(&sim);
	}
	cr_expect(spent[0] < 8 * SHARE && spent[0] > 2 * SHARE, "%g", spent[0]);
	cr_expect(spent[1] < SHARE, "%g", spent[1]);
}

/* What the VM counts costs all the time: there is a limit of calls for that. */
Test(pace, what_the_vm_counts_is_paid_with_half_of_the_budget_at_most)
{
	struct sim_load load = load_of(100000);
	double spent[3];

	for (int i = 0; i < 3; i++) {
		struct sim sim;

		load.calls = 1e6 * i; /* 2 % of a processor for each million */
		sim_begin(&sim, &load, with_ends);
		sim_run(&sim, SECONDS(100));
		sim_end(&sim);
		spent[i] = spent_share(&sim);
		cr_expect(ge(sz, sim.window_count, 20));
		sim_free(&sim);
	}
	cr_expect(spent[1] + 0.02 < 1.05 * SHARE && spent[1] < 0.7 * spent[0], "%g, %g", spent[0], spent[1]);
	cr_expect(spent[2] > 0.35 * spent[0] && spent[2] < 0.7 * spent[0], "%g, %g", spent[0], spent[2]);
}

Test(pace, details_go_first_and_the_others_stay)
{
	struct sim_load load = load_of(100);
	struct sim sim;

	load.parts[0].details = 100000;
	sim_begin(&sim, &load, detailed);
	sim_run(&sim, SECONDS(30));
	cr_expect(eq(sz, sim.pauses, 0));
	cr_expect(eq(dbl, sim.details, 0));
	cr_expect(eq(dbl, sim.cases, 1));
	/* The node is held up while they come and go. */
	sim_end(&sim);
	cr_expect(eq(sz, sim.window_count, 2));
	cr_expect(on_share(&sim) > 0.99 && sim.details_ns < SECONDS(1), "%.3f, %g s", on_share(&sim),
		  (double)sim.details_ns / NS_PER_S);
	sim_free(&sim);
}

Test(pace, details_come_back_if_there_was_a_case_and_then_of_those_who_had_one)
{
	struct sim_load load = load_of(100);
	struct sim sim;

	load.parts[0].details = 100000;
	sim_begin(&sim, &load, detailed);
	cr_expect(eq(u64, (uint64_t)sim.window.of_suspects, 0));
	sim_run(&sim, SECONDS(30));
	cr_expect(eq(dbl, sim.details, 0));
	for (int i = 0; i < 5; i++) {
		pace_want_details(&sim.pace);
		while (!sim.details)
			sim_tick(&sim, PACE_TICK_NS);
		cr_expect(eq(u64, (uint64_t)sim.window.of_suspects, 1));
		while (sim.details)
			sim_tick(&sim, PACE_TICK_NS);
	}
	sim_end(&sim);
	cr_expect(eq(sz, sim.pauses, 0));
	cr_expect(sim.spent_ns < SHARE * (double)(sim.now - sim.began_ns) + SHARE * NS_PER_S, "%g", spent_share(&sim));
	sim_free(&sim);
}

Test(pace, a_node_that_has_ended_ends_nothing_else)
{
	struct sim_load load = load_of(100000);
	struct sim sim;

	sim_begin(&sim, &load, with_ends);
	sim_run(&sim, SECONDS(5));
	sim.is_over = true;
	load.parts[0].cases = sim.load.parts[0].cases = 0;
	sim_run(&sim, SECONDS(30));
	sim_end(&sim);
	cr_expect(gt(u64, sim.open_ns, SECONDS(20)));
	sim_free(&sim);
}

/* Random nodes. */

struct chances {
	uint64_t state;
};

static double between(struct chances *chances, double least, double most)
{
	return least * pow(most / least, (double)(check_random(&chances->state) >> 11) / 9007199254740992.0);
}

static bool one_in(struct chances *chances, unsigned int n)
{
	return (check_random(&chances->state) >> 16) % n == 0;
}

static struct sim_part random_part(struct chances *chances, double cpus, bool has_details)
{
	bool is_idle = one_in(chances, 3);

	return (struct sim_part){
		.ns = (uint64_t)between(chances, MS(1), SECONDS(5)),
		.cases = is_idle ? 0 : between(chances, 10, 1e6),
		.details = has_details && !is_idle ? between(chances, 10, 1e6) : 0,
		.work = is_idle ? 0 : between(chances, 0.01, 1.5 * cpus),
	};
}

/* Bursts, steady loads, such as begin midway, nodes that have become idle; the last part is idle, or steady. */
static struct sim_load random_load(struct chances *chances, bool has_details)
{
	static const double cpus[] = { 1, 2, 8 };
	struct sim_load load = {
		.count = 1 + check_random(&chances->state) % SIM_PARTS,
		.cpus = cpus[check_random(&chances->state) % COUNT(cpus)],
		.hit_ns = (uint64_t)between(chances, 300, 20000),
		.dearer = between(chances, 0.8, 1.25),
		.attach_ns = (uint64_t)between(chances, MS(1), MS(200)),
		.detach_ns = (uint64_t)between(chances, MS(1), MS(300)),
	};

	if (one_in(chances, 3))
		load.limit = between(chances, 0.05, 1);
	for (size_t i = 0; i < load.count; i++)
		load.parts[i] = random_part(chances, load.cpus, has_details);
	return load;
}

static struct pace_setup random_setup(struct chances *chances)
{
	bool has_details = one_in(chances, 3);

	return (struct pace_setup){
		.mode = PACE_BOUNDED,
		.share = between(chances, 0.002, 0.25),
		.most_cpus = one_in(chances, 3) ? 1 : 0,
		.lets_end = one_in(chances, 2),
		/* The agent's do so, which wants no details. */
		.starts_away = !has_details && one_in(chances, 6),
		.details = has_details ? "all is known" : NULL,
	};
}

/* One run, and what is to be seen at each tick. */
struct watch {
	struct sim sim;
	struct chances *chances;
	double allowed_ns, least_ns;  /* the budget so far; the least that ever was spent beyond it */
	double overdrawn_ns;	      /* the most that was spent beyond the budget since any time before */
	int64_t full_ns;	      /* the largest account */
	double step_ns;		      /* the most that was spent from one tick to the next... */
	double placing_ns, switch_ns; /* ... and until a window opened, or the probes were away */
	double least_cpus;
	uint64_t away_since_ns;
	double debt_ns;
	uint64_t longest_ns; /* after the debt was paid, without a window */
};

static void watch_budget(struct watch *watch, double cost_ns, bool is_switching, uint64_t took_ns)
{
	const struct pace *pace = &watch->sim.pace;
	int64_t full_ns = pace_full_ns(pace->share, pace->cpus, pace->switch_ns);
	double beyond_ns;

	watch->allowed_ns += pace->share * pace->cpus * (double)took_ns;
	beyond_ns = watch->sim.spent_ns - watch->allowed_ns;
	watch->least_ns = fmin(watch->least_ns, beyond_ns);
	watch->overdrawn_ns = fmax(watch->overdrawn_ns, beyond_ns - watch->least_ns);
	watch->full_ns = full_ns > watch->full_ns ? full_ns : watch->full_ns;
	watch->placing_ns = is_switching ? watch->placing_ns + cost_ns : 0;
	watch->switch_ns = fmax(watch->switch_ns, watch->placing_ns);
	watch->step_ns = is_switching ? watch->step_ns : fmax(watch->step_ns, cost_ns);
}

/* Windows come when the last one is paid for, and at least every four seconds. */
static void watch_windows(struct watch *watch)
{
	const struct pace *pace = &watch->sim.pace;
	uint64_t now = watch->sim.now, due_ns;

	watch->least_cpus = fmin(watch->least_cpus, pace->cpus);
	if (!pace_is_away(pace)) {
		watch->away_since_ns = 0;
		return;
	}
	if (!watch->away_since_ns) {
		watch->away_since_ns = now;
		watch->debt_ns = pace->cases_ns < 0 ? (double)-pace->cases_ns : 0;
		watch->least_cpus = pace->cpus;
	}
	due_ns = watch->away_since_ns + (uint64_t)(watch->debt_ns / (0.8 * pace->share * watch->least_cpus));
	if (now > due_ns && now - due_ns > watch->longest_ns)
		watch->longest_ns = now - due_ns;
}

static void watch_tick(struct watch *watch)
{
	struct sim *sim = &watch->sim;
	uint64_t began_ns = sim->now;
	double before_ns = sim->spent_ns, switched_ns = sim->switching_ns;
	bool is_placed = sim->pace.phase == PACE_PLACED;

	if (sim->pace.details && one_in(watch->chances, 50))
		pace_want_details(&sim->pace);
	/* We are late at times. */
	sim_tick(sim, one_in(watch->chances, 50) ? (uint64_t)between(watch->chances, MS(5), MS(60)) : PACE_TICK_NS);
	watch_budget(watch, sim->spent_ns - before_ns, is_placed || sim->switching_ns > switched_ns,
		     sim->now - began_ns);
	watch_windows(watch);
}

/* The links of a node that is hit much take their time, whatever that costs; the next window comes later then. */
static void expect_all(struct watch *watch, uint64_t seed)
{
	struct sim *sim = &watch->sim;
	double most_ns = MOST_OVERDRAFT * (double)watch->full_ns + 2 * watch->step_ns + 2 * watch->switch_ns;

	cr_expect(watch->overdrawn_ns <= most_ns, "seed %llu: %g ms beyond the budget, more than %g",
		  (unsigned long long)seed, watch->overdrawn_ns / 1e6, most_ns / 1e6);
	cr_expect(watch->longest_ns <= SECONDS(4) + MS(200), "seed %llu: no window for %g s", (unsigned long long)seed,
		  (double)watch->longest_ns / NS_PER_S);
	cr_expect(sim->seen <= sim->hits);
	sim_end(sim);
}

Test(pace, whatever_a_node_does_the_budget_holds_and_windows_come)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct chances chances = { seed * 0x9e3779b97f4a7c15 };
		const struct pace_setup setup = random_setup(&chances);
		const struct sim_load load = random_load(&chances, setup.details);
		struct watch watch = { .chances = &chances, .least_cpus = load.cpus };
		uint64_t end_ns;

		check_random(&chances.state);
		sim_begin(&watch.sim, &load, setup);
		end_ns = watch.sim.now + SECONDS(20);
		while (watch.sim.now < end_ns)
			watch_tick(&watch);
		expect_all(&watch, seed);
		sim_free(&watch.sim);
	}
}

Test(pace, whatever_a_node_did_details_come_back_when_it_is_idle)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct chances chances = { seed * 0x9e3779b97f4a7c15 };
		struct pace_setup setup = random_setup(&chances);
		struct sim_load load;
		struct sim sim;

		setup.details = "all is known";
		setup.starts_away = false;
		load = random_load(&chances, true);
		load.parts[load.count - 1] = (struct sim_part){ .cases = 1, .details = 1 };
		/* Where it costs more to switch than there is for windows, these come as they can be paid, and none
		 * stays. */
		setup.share = fmax(setup.share, 0.02);
		load.attach_ns /= 10;
		load.detach_ns /= 10;
		sim_begin(&sim, &load, setup);
		sim_run(&sim, SECONDS(2));
		/* An account is filled in four seconds at most, and it may be overdrawn. */
		for (int second = 0; second < 90 || !sim.details; second++) {
			pace_want_details(&sim.pace);
			sim_run(&sim, SECONDS(1));
			if (second == 180)
				break;
		}
		cr_expect(sim.details == 1 && sim.pace.phase == PACE_OPEN, "seed %llu", (unsigned long long)seed);
		sim_end(&sim);
		sim_free(&sim);
	}
}
