// SPDX-License-Identifier: BSD-2-Clause
/* What only becomes more for an hour, and what comes and goes. */
#include "base/duration.h"
#include "check.h"
#include "why/find/hourly_growth.h"

#define EVERY_NS (30 * NS_PER_S)

/* From a minute on; so many minutes of a number that grows by `step` per minute, and is `wave` more in every other one.
 */
static void look(struct hourly *hour, uint64_t minutes, uint64_t step, uint64_t wave)
{
	for (uint64_t i = 0; i < 2 * minutes; i++)
		hourly_add(hour, NS_PER_S + i * EVERY_NS, 1000 + i * step / 2 + (i / 20 % 2) * wave);
}

Test(why_hour, ten_more_per_minute_are_a_leak_after_an_hour)
{
	struct hourly hour = {};
	uint64_t before, now;

	look(&hour, 59, 10, 0);
	cr_assert(eq(int, hourly_grows(&hour, 100, &before, &now), false));
	hour = (struct hourly){};
	look(&hour, 62, 10, 0);
	cr_assert(eq(int, hourly_grows(&hour, 100, &before, &now), true));
	cr_expect(eq(u64, before, 1000));
	cr_expect(eq(u64, now, 1500));
	cr_expect(eq(int, hourly_grows(&hour, 1000, &before, &now), false), "too few");
}

Test(why_hour, what_comes_and_goes_is_no_leak)
{
	struct hourly hour = {};
	uint64_t before, now;

	look(&hour, 90, 0, 500);
	cr_assert(eq(int, hourly_grows(&hour, 100, &before, &now), false));
	hour = (struct hourly){};
	look(&hour, 90, 1, 0);
	cr_assert(eq(int, hourly_grows(&hour, 100, &before, &now), false), "5 % in an hour");
}

Test(why_hour, it_begins_anew_if_nobody_looked)
{
	struct hourly hour = {};
	uint64_t before, now;

	look(&hour, 62, 10, 0);
	hourly_add(&hour, 3 * 3600 * NS_PER_S, 5000);
	cr_assert(eq(int, hourly_grows(&hour, 100, &before, &now), false));
}
