// SPDX-License-Identifier: BSD-2-Clause
/* In which order probes come back. */
#include "trace/plans.h"

#include "check.h"

static uint64_t one[] = { 1 }, two[] = { 2 }, both[] = { 1, 2 }, many[] = { 3, 3, 3 };

Test(plans, what_is_hit_most_goes_last)
{
	struct plan plans[] = { { .cookies = two, .count = 1 },
				{ .cookies = both, .count = 2 },
				{ .cookies = one, .count = 1 } };
	uint64_t hits[ERL_PROBES] = { [1] = 5, [2] = 10 };

	plans_sort_by(plans, COUNT(plans), hits);
	cr_assert(plans[0].cookies == one && plans[1].cookies == two && plans[2].cookies == both);
}

Test(plans, sites_of_one_probe_share_its_hits)
{
	struct plan plans[] = { { .cookies = many, .count = 3 }, { .cookies = one, .count = 1 } };
	uint64_t hits[ERL_PROBES] = { [1] = 5, [3] = 4 };

	plans_sort_by(plans, COUNT(plans), hits);
	cr_assert(plans[0].cookies == many);
}

Test(plans, what_is_saved_stays_before_the_return_that_reads_it)
{
	struct plan plans[] = { { .cookies = one, .count = 1 }, { .cookies = one, .count = 1, .at_return = true } };
	uint64_t hits[ERL_PROBES] = { [1] = 5 };

	plans_sort_by(plans, COUNT(plans), hits);
	cr_assert(eq(int, plans[0].at_return, false));
}

static unsigned long here[] = { 0x10, 0x20 }, there[] = { 0x30 }, at_20[] = { 0x20 };

/* What was linked last runs first. */
Test(plans, what_begins_a_case_runs_after_what_is_saved_at_its_site)
{
	struct plan plans[] = {
		{ .offsets = there, .count = 1, .wanted = LOADER_SAVE_PROGRAM },
		{ .offsets = there, .count = 1, .at_return = true },
		{ .offsets = here, .count = 2, .wanted = LOADER_SAVE_PROGRAM },
		{ .offsets = here, .count = 2, .at_return = true },
		{ .offsets = at_20, .count = 1, .wanted = 1 },
		{ .offsets = at_20, .count = 1, .wanted = 2 },
	};

	plans_put_savers_last(plans, COUNT(plans));
	cr_expect(plans[0].offsets == there && plans[1].offsets == there && !plans[0].at_return);
	cr_expect(eq(sz, plans[2].wanted, 1));
	cr_expect(eq(sz, plans[3].wanted, 2));
	cr_expect(plans[4].offsets == here && !plans[4].at_return && plans[5].at_return);
}
