// SPDX-License-Identifier: BSD-2-Clause
/* What hits have cost a node. */
#include "budget/bill.h"

#include "check.h"

static const struct hit_costs costs = {
	.ns = { [HIT_PLAIN] = 700,
		[HIT_STEPPED] = 9000,
		[HIT_RETURN] = 1100,
		[HIT_NOP5] = 400,
		[HIT_STEPPED_RETURN] = 9400 },
};

Test(bill, a_hit_costs_what_its_kind_does_and_what_its_program_takes)
{
	struct bill_line line = { .kind = HIT_NOP5, .entry = HIT_NOP5, .plain = { .hits = 10 } };

	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 7000));
}

Test(bill, a_return_is_paid_together_with_its_entry)
{
	struct bill_line line = {
		.kind = HIT_RETURN, .entry = HIT_PLAIN, .at_return = true, .plain = { .hits = 10, .saves = 10 }
	};

	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 14000));
}

Test(bill, entries_are_paid_whose_returns_were_no_hits)
{
	struct bill_line line = {
		.kind = HIT_RETURN, .entry = HIT_PLAIN, .at_return = true, .plain = { .hits = 10, .saves = 15 }
	};

	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 19000));
	/* A call that began before. */
	line.plain.saves = 9;
	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 14000));
}

Test(bill, what_is_single_stepped_does_not_make_other_sites_of_its_probe_dear)
{
	struct bill_line line = {
		.kind = HIT_RETURN,
		.entry = HIT_PLAIN,
		.at_return = true,
		.plain = { .hits = 10, .saves = 10 },
		.stepped = { .hits = 1, .saves = 3 },
	};

	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 14000 + 9700 + 2 * 9300));
	line.at_return = false;
	line.kind = HIT_PLAIN;
	line.stepped.saves = 0;
	cr_assert(eq(u64, bill_line_ns(&line, &costs, 300), 10000 + 9300));
}

Test(bill, a_program_that_lost_its_processor_does_not_make_hits_dear)
{
	struct bill_pieces pieces = {};
	uint64_t hits = 0, run_ns = 0, known = 0;

	for (int i = 0; i < 2 * BILL_PIECES; i++) {
		cr_assert(eq(u64, known, i < BILL_PIECES ? 0 : 500));
		hits += 1000;
		run_ns += 1000 * 500 + (i % 4 == 1 ? 4000000 : 0);
		known = bill_pieces_add(&pieces, hits, run_ns);
	}
}

Test(bill, few_hits_say_nothing_of_programs)
{
	struct bill_pieces pieces = {};

	for (uint64_t hits = 1; hits < 100; hits++)
		cr_assert(eq(u64, bill_pieces_add(&pieces, hits, hits * 500), 0));
	cr_assert(eq(sz, pieces.count, 0));
}
