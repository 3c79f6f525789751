// SPDX-License-Identifier: BSD-2-Clause
/* What the time of schedulers is spent on, and whose fault it is that something is late. */
#include "why/host/time_shares.h"

#include "check.h"

static double sum_of(const struct sign_time_shares *s)
{
	return s->code + s->long_calls + s->ports + s->collecting + s->busy_wait + s->blocked + s->asleep +
	       s->cpu_wait + s->throttled;
}

static void expect_share(const char *what, double is, double should)
{
	cr_expect(epsilon_eq(dbl, is, should, 1e-9), "%s: %f, not %f", what, is, should);
}

Test(why_shares, a_full_scheduler_is_split_by_what_was_found)
{
	struct scheduler_measures m = {
		.has_thread = true, .ran = 1, .busy = 1, .collecting = 0.3, .ports = 0.1, .long_calls = 0.2
	};
	struct sign_time_shares s = time_shares_split(&m, 0);

	expect_share("collecting", s.collecting, 0.3);
	expect_share("ports", s.ports, 0.1);
	expect_share("long calls", s.long_calls, 0.2);
	expect_share("code", s.code, 0.4);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_CODE));
}

Test(why_shares, who_waits_for_a_cpu_did_not_work_meanwhile)
{
	struct scheduler_measures m = { .has_thread = true, .ran = 0.2, .waited = 0.6, .busy = 0.8, .collecting = 0.4 };
	struct sign_time_shares s = time_shares_split(&m, 0);

	expect_share("code", s.code, 0.1);
	expect_share("collecting", s.collecting, 0.1);
	expect_share("busy-waiting", s.busy_wait, 0);
	expect_share("waiting", s.cpu_wait, 0.6);
	expect_share("asleep", s.asleep, 0.2);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_MACHINE));
	s = time_shares_split(&m, 0.75);
	expect_share("throttled", s.throttled, 0.45);
	expect_share("waiting", s.cpu_wait, 0.15);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_GROUP));
}

Test(why_shares, what_runs_without_work_is_busy_waiting)
{
	struct scheduler_measures m = { .has_thread = true, .ran = 0.5, .busy = 0.1 };
	struct sign_time_shares s = time_shares_split(&m, 0);

	expect_share("code", s.code, 0.1);
	expect_share("busy-waiting", s.busy_wait, 0.4);
	expect_share("asleep", s.asleep, 0.5);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_NONE));
}

Test(why_shares, who_sleeps_with_work_is_blocked)
{
	struct scheduler_measures m = { .has_thread = true, .ran = 0.3, .busy = 0.9, .blocked = 0.6 };
	struct sign_time_shares s = time_shares_split(&m, 0);

	expect_share("blocked", s.blocked, 0.6);
	expect_share("code", s.code, 0.3);
	expect_share("asleep", s.asleep, 0.1);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_BLOCKED));
}

Test(why_shares, collections_are_to_blame_where_they_take_most_of_a_full_node)
{
	struct scheduler_measures m = { .has_thread = true, .ran = 1, .busy = 1, .collecting = 0.6 };
	struct sign_time_shares s = time_shares_split(&m, 0);

	cr_expect(eq(int, time_shares_fault(&s), FAULT_COLLECTOR));
	m = (struct scheduler_measures){ .has_thread = true, .ran = 0.4, .busy = 0.4, .collecting = 0.3 };
	s = time_shares_split(&m, 0);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_NONE), "a node with time left is late because of nothing");
}

Test(why_shares, a_node_that_hardly_wants_a_cpu_is_not_late_for_want_of_one)
{
	struct scheduler_measures m = { .has_thread = true, .ran = 0.01, .waited = 0.03, .busy = 0.02 };
	struct sign_time_shares s = time_shares_split(&m, 0);

	cr_expect(eq(int, time_shares_fault(&s), FAULT_NONE));
	/* Nor is one that hardly ever waits for one. */
	m = (struct scheduler_measures){ .has_thread = true, .ran = 0.5, .waited = 0.1, .busy = 0.6 };
	s = time_shares_split(&m, 0);
	cr_expect(eq(int, time_shares_fault(&s), FAULT_NONE));
}

Test(why_shares, whatever_was_measured_they_are_the_whole)
{
	static const double some[] = { 0, 0.2, 0.7, 1, 1.5 };

	for (size_t n = 0; n < 5 * 5 * 5 * 5; n++) {
		struct scheduler_measures m = {
			.has_thread = n % 7 != 0,
			.ran = some[n % 5],
			.waited = some[n / 5 % 5],
			.busy = some[n / 25 % 5],
			.blocked = some[n / 125 % 5],
			.collecting = some[n / 5 % 5],
			.ports = some[n % 5],
			.long_calls = some[n / 25 % 5],
		};
		struct sign_time_shares s = time_shares_split(&m, some[n % 5]), twice[] = { s, s };

		cr_assert(epsilon_eq(dbl, sum_of(&s), 1, 1e-9), "%zu: %f", n, sum_of(&s));
		cr_assert(s.code >= 0 && s.long_calls >= 0 && s.ports >= 0 && s.collecting >= 0 && s.busy_wait >= 0 &&
				  s.blocked >= 0 && s.asleep >= 0 && s.cpu_wait >= 0 && s.throttled >= 0,
			  "%zu", n);
		s = time_shares_mean(twice, 2);
		cr_assert(epsilon_eq(dbl, sum_of(&s), 1, 1e-9), "%zu", n);
	}
}
