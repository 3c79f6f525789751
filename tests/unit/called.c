// SPDX-License-Identifier: BSD-2-Clause
/* Calls of Erlang functions that were seen in windows, scaled to those that the VM has counted. */
#include "results/called.h"

#include "results/estimate.h"

#include "check.h"

static struct called_function functions[] = {
	{ .os_id = 1, .id = 10, .calls = 400, .looked = 100 },
	{ .os_id = 1, .id = 20, .calls = 50, .looked = 50 },
	{ .os_id = 1, .id = 30, .calls = 0, .looked = 0 },
	{ .os_id = 2, .id = 10, .calls = 1000, .looked = 50 },
};

static const struct called called = { .functions = functions, .count = 4 };

Test(called, a_function_is_scaled_by_its_own_calls_and_others_by_those_of_the_node)
{
	cr_assert(epsilon_eq(dbl, called_scale(&called, 1, 10), 4, 1e-9));
	cr_assert(epsilon_eq(dbl, called_scale(&called, 2, 10), 20, 1e-9));
	cr_assert(epsilon_eq(dbl, called_scale(&called, 1, 99), 3, 1e-9));
	cr_assert(epsilon_eq(dbl, called_scale(&called, 0, 0), 7.25, 1e-9));
}

Test(called, of_what_nobody_has_looked_at_nothing_is_known)
{
	cr_assert(epsilon_eq(dbl, called_scale(&called, 1, 30), 0, 1e-9));
	cr_assert(epsilon_eq(dbl, called_scale(&called, 3, 10), 0, 1e-9));
	cr_assert(epsilon_eq(dbl, called_scale(&(struct called){}, 1, 10), 0, 1e-9));
}

Test(called, functions_that_were_called_are_rows)
{
	struct counter_row *rows;
	size_t count;

	cr_assert(zero(int, called_rows(&called, &rows, &count)));
	cr_assert(eq(sz, count, 3));
	cr_assert(eq(u64, rows[2].counter.count, 1000));
	cr_assert(eq(u32, rows[2].key.os_id, 2));
	cr_assert(eq(u64, called_calls(&called), 1450));
	free(rows);
}

Test(called, slots_that_are_scaled_are_together_what_the_count_becomes)
{
	__u64 slots[HIST_SLOTS] = { 1, 1, 1, 0, 4 };
	struct hist hist = { .slots = slots, .count = 7 };
	const struct sink_window window = { .is_part = true, .scale = 10.0 / 7 };

	estimate_hist(&window, NULL, &hist);
	cr_assert(eq(u64, hist.count, 10));
	cr_assert(eq(u64, slots[0] + slots[1] + slots[2] + slots[4], 10));
	cr_assert(eq(u64, slots[3], 0));
}
