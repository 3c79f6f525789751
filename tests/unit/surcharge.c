// SPDX-License-Identifier: BSD-2-Clause
#include "budget/surcharge.h"

#include <criterion/criterion.h>

#include "base/duration.h"

#define MS(n) ((int64_t)((n)*NS_PER_MS))

static bool is_near(double a, double b)
{
	return a > b - 0.001 && a < b + 0.001;
}

/* A reduction takes 1 us. */
static struct pace_work seen(int64_t open_ms, int64_t cost_ms, uint64_t reductions)
{
	return (struct pace_work){
		.open = { .reductions = { reductions, 0 }, .own_ns = MS(open_ms - cost_ms), .cost_ns = MS(cost_ms) },
		.away = { .own_ns = MS(1000), .time_ns = MS(1000), .reductions = { 1000000, MS(1000) } },
	};
}

Test(surcharge, what_reductions_take_longer_while_a_window_is_open_is_what_hits_cost)
{
	const struct pace_work work = seen(500, 100, 250000);

	cr_expect(is_near(surcharge_of(&work), 2.5));
}

Test(surcharge, hits_cost_more_in_a_node_than_on_ourselves_even_if_nothing_is_missing)
{
	const struct pace_work work = seen(500, 100, 400000);

	cr_expect(is_near(surcharge_of(&work), SURCHARGE_LEAST));
}

Test(surcharge, hits_cost_no_less_than_the_least_that_was_seen_nor_more_than_is_sane)
{
	const struct pace_work idle = seen(500, 100, 900000), stuck = seen(500, 100, 0);

	cr_expect(is_near(surcharge_of(&idle), SURCHARGE_LEAST));
	cr_expect(is_near(surcharge_of(&stuck), SURCHARGE_MOST));
}

Test(surcharge, of_little_nothing_is_told)
{
	struct pace_work work = seen(500, 10, 100000);

	cr_expect(is_near(surcharge_of(&work), SURCHARGE_LEAST));
	work = seen(500, 100, 100000);
	work.away.own_ns = MS(10);
	cr_expect(is_near(surcharge_of(&work), SURCHARGE_LEAST));
	work = seen(500, 100, 100000);
	work.away.reductions.count = 0;
	cr_expect(is_near(surcharge_of(&work), SURCHARGE_LEAST));
	work = (struct pace_work){};
	cr_expect(is_near(surcharge_of(&work), SURCHARGE_LEAST));
}
