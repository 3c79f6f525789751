// SPDX-License-Identifier: BSD-2-Clause
/* What the whole time had, of which windows have a part. */
#include "results/estimate.h"

#include "base/duration.h"

#include "check.h"

#define MS(n) ((int64_t)(n) * (int64_t)NS_PER_MS)

/* A second in windows, ten without a probe. */
static double pace_of(int64_t free_ms, int64_t used_ms, int64_t cost_ms)
{
	const struct pace_work work = {
		.open = { .own_ns = MS(used_ms - cost_ms), .cost_ns = MS(cost_ms) },
		.away = { MS(10 * free_ms), MS(10000) },
	};

	return estimate_pace(&work, 1);
}

static bool is_near(double value, double wanted)
{
	return value > wanted - 0.01 && value < wanted + 0.01;
}

Test(estimate, a_node_with_time_to_spare_does_as_much_in_windows)
{
	cr_expect(is_near(pace_of(400, 900, 500), 1));
	/* The machine was quicker, or slower, than when a hit was measured. */
	cr_expect(is_near(pace_of(400, 720, 500), 1));
	cr_expect(is_near(pace_of(400, 1200, 500), 1));
}

Test(estimate, a_node_that_has_none_does_less_in_windows)
{
	cr_expect(is_near(pace_of(1000, 1000, 500), 0.5));
	cr_expect(is_near(pace_of(1000, 1000, 900), 0.1));
	/* Of two processors it had used one and a half. */
	cr_expect(is_near(pace_of(1500, 2000, 1333), 0.44));
}

Test(estimate, between_the_two_nothing_jumps)
{
	double before = pace_of(1000, 1400, 1000);

	for (int64_t used = 1410; used <= 1600; used += 10) {
		double now = pace_of(1000, used, 1000);

		cr_expect(now > before && now < before + 0.05, "%g, then %g", before, now);
		before = now;
	}
	cr_expect(is_near(before, 1));
}

Test(estimate, what_cannot_be_told_from_the_cost_is_a_twentieth)
{
	cr_expect(is_near(pace_of(1000, 1000, 1000), 0.05));
	cr_expect(is_near(pace_of(1000, 1000, 3000), 0.05));
}

/* Reductions of a second in windows, and of all eleven seconds. */
static double pace_by_reductions(uint64_t open, uint64_t all)
{
	const struct pace_work work = {
		.all.reductions = { all, 11 * NS_PER_S },
		.open = { { open, NS_PER_S }, .own_ns = MS(100), .cost_ns = MS(900) },
		.away = { MS(10000), MS(10000) },
	};

	return estimate_pace(&work, 1);
}

Test(estimate, reductions_tell_how_much_was_done_whatever_hits_are_said_to_cost)
{
	cr_expect(is_near(pace_by_reductions(1000, 11000), 1));
	cr_expect(is_near(pace_by_reductions(200, 10200), 0.2157));
	/* It was busy just then. */
	cr_expect(is_near(pace_by_reductions(2000, 12000), 1.833));
	/* Not known. */
	cr_expect(is_near(pace_by_reductions(0, 0), 0.1));
}

Test(estimate, who_was_never_seen_without_probes_is_taken_to_do_the_same)
{
	struct pace_work work = { .open = { .own_ns = MS(500), .cost_ns = MS(500) }, .away = { MS(10), MS(10) } };

	cr_expect(is_near(estimate_pace(&work, 1), 1));
	work.away.own_ns = 0;
	work.away.time_ns = MS(1000);
	cr_expect(is_near(estimate_pace(&work, 1), 1));
}
