// SPDX-License-Identifier: BSD-2-Clause
/* Pacing in a simulated world: the circuit breaker, and samples against what really happened. */
#include "pace_simulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "base/random.h"

#include "check.h"

#define WORKLOADS 1000

static const struct pace_setup breaker = { .mode = PACE_BREAKER };
static const struct pace_setup sample = { .mode = PACE_SAMPLE, .lets_end = true };

/* A node that has 4 processors, on which attaching takes 20 ms. */
static struct sim_load load_of(double rate, double hit_ns)
{
	return (struct sim_load){
		.rate = rate,
		.hit_ns = hit_ns,
		.cpus = 4,
		.work = 2,
		.attach_ns = 20 * NS_PER_MS,
		.detach_ns = 40 * NS_PER_MS,
	};
}

Test(pace, what_costs_little_is_complete)
{
	struct sim_load load = load_of(50000, 1000);
	struct pace_seen seen;
	struct sim sim;

	sim_begin(&sim, &load, sample, 1);
	sim_run(&sim, 10 * NS_PER_S);
	seen = pace_take(&sim.pace, 0, pace_end(&sim.pace));
	cr_assert(not(seen.is_part));
	cr_assert(eq(u64, seen.seen, (uint64_t)sim.events));
	cr_assert(eq(uint, sim.pauses, 0));
	sim_free(&sim);
}

Test(pace, the_breaker_removes_probes_within_a_second_and_a_half)
{
	/* The limit is 25 % of a processor. */
	struct sim_load load = load_of(200000, 1000);
	char text[PACE_STOPPED_TEXT];
	struct sim sim;

	load.from_ns = 3 * NS_PER_S;
	load.to_ns = UINT64_MAX;
	sim_begin(&sim, &load, breaker, 1);
	sim_run(&sim, 3 * NS_PER_S);
	cr_assert(not(sim.pace.has_stopped));
	cr_assert(eq(ptr, (void *)pace_stopped(&sim.pace, text), NULL));
	sim_run(&sim, 1500 * NS_PER_MS);
	cr_assert(sim.pace.has_stopped);
	cr_assert(not(sim.is_attached));
	cr_assert(ne(ptr, (void *)pace_stopped(&sim.pace, text), NULL));
	/* What was counted is complete up to then. */
	cr_assert(lt(u64, sim.pace.ended_ns, sim.began_ns + 4500 * NS_PER_MS));
	cr_assert(eq(u64, pace_off_ns(&sim.pace, sim.pace.ended_ns), 0));
	sim_free(&sim);
}

Test(pace, the_breaker_lets_a_short_burst_pass)
{
	struct sim_load load = load_of(400000, 1000);
	struct sim sim;

	load.on_ns = 200 * NS_PER_MS;
	load.period_ns = NS_PER_S;
	sim_begin(&sim, &load, breaker, 1);
	sim_run(&sim, 20 * NS_PER_S);
	cr_assert(not(sim.pace.has_stopped));
	sim_free(&sim);
}

Test(pace, a_limit_that_the_user_names_is_of_the_capacity)
{
	struct sim_load load = load_of(400000, 1000);
	struct pace_setup setup = breaker;
	struct sim sim;

	/* 20 % of 4 processors. */
	setup.share = 0.2;
	sim_begin(&sim, &load, setup, 1);
	sim_run(&sim, 5 * NS_PER_S);
	cr_assert(not(sim.pace.has_stopped));
	sim_free(&sim);
	setup.share = 0.1;
	sim_begin(&sim, &load, setup, 1);
	sim_run(&sim, 5 * NS_PER_S);
	cr_assert(sim.pace.has_stopped);
	sim_free(&sim);
}

Test(pace, a_sample_stays_within_its_budget)
{
	struct sim sim;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct sim_load load = load_of(20000.0 * (double)seed, 2000);
		double first_ns;

		sim_begin(&sim, &load, sample, seed);
		sim_run(&sim, 2 * NS_PER_S);
		first_ns = sim.spent_ns;
		sim_run(&sim, 20 * NS_PER_S);
		cr_expect(lt(dbl, (sim.spent_ns - first_ns) / (20.0 * NS_PER_S), 1.35 * PACE_DEFAULT_SHARE * load.cpus),
			  "seed %u", (unsigned int)seed);
		sim_free(&sim);
	}
}

Test(pace, a_starved_machine_gets_windows_all_the_same)
{
	struct sim_load load = load_of(100000, 6000);
	struct pace_seen seen;
	struct sim sim;

	/* A tenth of a processor: 5 % of it is less than 2 % of one. */
	load.cpus = 0.1;
	load.work = 0.1;
	sim_begin(&sim, &load, sample, 1);
	sim_run(&sim, 30 * NS_PER_S);
	seen = pace_take(&sim.pace, 0, pace_end(&sim.pace));
	cr_assert(seen.is_part);
	cr_assert(ge(uint, seen.windows, 5));
	sim_free(&sim);
}

Test(pace, an_interval_without_a_window_was_not_watched)
{
	struct sim_load load = load_of(2000000, 2000);
	struct pace_seen seen;
	struct sim sim;
	unsigned int without = 0;

	sim_begin(&sim, &load, sample, 1);
	pace_set_intervals(&sim.pace, sim.now + 100 * NS_PER_MS, 100 * NS_PER_MS);
	for (int i = 0; i < 100; i++) {
		sim_run(&sim, 100 * NS_PER_MS);
		seen = pace_take(&sim.pace, 0, sim.now);
		without += seen.watched_s <= 0;
		cr_expect(not(seen.watched_s <= 0 && (seen.has_rate || !seen.is_part)));
	}
	cr_assert(gt(uint, without, 0));
	sim_free(&sim);
}

Test(pace, probes_that_cannot_be_attached_are_tried_again)
{
	struct sim_load load = load_of(500000, 2000);
	struct sim sim;

	sim_begin(&sim, &load, sample, 1);
	sim_run(&sim, 2 * NS_PER_S);
	sim.fail = 2;
	sim_run(&sim, 10 * NS_PER_S);
	cr_assert(eq(uint, sim.fail, 0));
	cr_assert(gt(uint, sim.resumes, 3));
	sim_free(&sim);
}

Test(pace, probes_are_held_off_while_the_reader_is_behind)
{
	struct sim_load load = load_of(50000, 1000);
	struct pace_seen seen;
	struct sim sim;

	sim_begin(&sim, &load, sample, 1);
	sim_run(&sim, NS_PER_S);
	pace_hold(&sim.pace);
	cr_assert(not(sim.is_attached));
	sim_pass(&sim, NS_PER_S);
	sim_run(&sim, NS_PER_S);
	seen = pace_take(&sim.pace, 0, sim.now);
	cr_assert(seen.is_part);
	cr_assert(sim.is_attached);
	sim_free(&sim);
}

/* Random workloads. */

static double between(uint64_t *random, double least, double most)
{
	return least + (most - least) * (double)(random_next(random) & 0xffffffff) / 4294967296.0;
}

/* As many small as large ones. */
static double magnitude(uint64_t *random, double least, double most)
{
	return exp(between(random, log(least), log(most)));
}

static struct sim_load random_load(uint64_t *random)
{
	static const uint64_t locked_ms[] = { 10, 20, 50, 100 };
	struct sim_load load = load_of(magnitude(random, 5000, 2000000), magnitude(random, 500, 12000));

	load.cpus = between(random, 1, 8);
	load.work = between(random, 0.2, 1) * load.cpus;
	load.attach_ns = (uint64_t)magnitude(random, 5, 80) * NS_PER_MS;
	load.detach_ns = (uint64_t)magnitude(random, 10, 100) * NS_PER_MS;
	load.phase_ns = random_next(random) % NS_PER_S;
	switch (random_next(random) % 6) {
	case 0: break;
	case 1: /* bursts */
		load.on_ns = (uint64_t)(magnitude(random, 5, 500) * NS_PER_MS);
		load.period_ns = (uint64_t)((double)load.on_ns * magnitude(random, 1.5, 20));
		break;
	case 2: /* phase-locked */
		load.period_ns = locked_ms[random_next(random) % 4] * NS_PER_MS;
		load.on_ns = (uint64_t)((double)load.period_ns * between(random, 0.05, 0.8));
		break;
	case 3: /* starts or stops midway */
		load.from_ns = random_next(random) % (10 * NS_PER_S);
		load.to_ns = load.from_ns + random_next(random) % (10 * NS_PER_S);
		break;
	case 4: load.tail = between(random, 1.2, 2.5); break;
	case 5: /* on and off */
		load.on_ns = load.period_ns = NS_PER_S * (1 + random_next(random) % 3);
		load.period_ns *= 2;
		break;
	}
	return load;
}

struct verdict {
	unsigned int rates, contained, far, exact, wrong;
	double ratios;
};

static void judge(struct verdict *verdict, const struct sim *sim, const struct pace_seen *seen, double truth)
{
	double ratio;

	if (!seen->is_part) {
		verdict->exact++;
		verdict->wrong += fabs((double)seen->seen - sim->events) > 1;
		return;
	}
	if (!seen->has_rate || truth <= 0)
		return;
	verdict->rates++;
	verdict->contained += truth >= seen->rate.low && truth <= seen->rate.high;
	verdict->far += truth < seen->rate.low / 2 || truth > seen->rate.high * 2;
	ratio = seen->rate.rate / truth;
	verdict->ratios += ratio;
}

Test(pace, samples_of_random_workloads_contain_the_truth)
{
	uint64_t random = 4711;
	struct verdict v = {};
	struct sim sim;

	for (uint64_t i = 1; i <= WORKLOADS; i++) {
		struct sim_load load = random_load(&random);
		struct pace_seen seen;

		sim_begin(&sim, &load, sample, i);
		sim_run(&sim, 20 * NS_PER_S);
		seen = pace_take(&sim.pace, 0, pace_end(&sim.pace));
		judge(&v, &sim, &seen, sim_rate(&sim));
		sim_free(&sim);
	}
	if (getenv("ERLBPF_SHOW"))
		fprintf(stderr, "%u exact, %u rates: %.1f%% contain the truth, %u far off, mean ratio %.3f\n", v.exact,
			v.rates, v.contained * 100.0 / v.rates, v.far, v.ratios / v.rates);
	cr_expect(eq(uint, v.wrong, 0));
	cr_expect(gt(uint, v.exact, WORKLOADS / 20));
	cr_expect(gt(uint, v.rates, WORKLOADS / 4));
	cr_expect(ge(uint, v.contained * 10, v.rates * 9));
	cr_expect(eq(uint, v.far, 0));
	cr_expect(lt(dbl, fabs(v.ratios / v.rates - 1), 0.03));
}
