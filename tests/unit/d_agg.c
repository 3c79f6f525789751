// SPDX-License-Identifier: BSD-2-Clause
/* How many CPUs share the value of a key of an aggregation. */
#include "d/lang/agg.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(d_agg, a_few_cpus_share_one_stripe)
{
	cr_expect(eq(u32, agg_stripes(1, 0), 1));
	cr_expect(eq(u32, agg_stripes(1, 2), 1));
	cr_expect(eq(u32, agg_stripes(1, AGG_CPUS_PER_STRIPE), 1));
	cr_expect(eq(sz, agg_stride(1, 1), 8));
}

Test(d_agg, many_have_stripes_in_lines_of_their_own)
{
	cr_expect(eq(u32, agg_stripes(1, AGG_CPUS_PER_STRIPE + 1), 2));
	cr_expect(eq(u32, agg_stripes(4, 32), 8));
	cr_expect(eq(u32, agg_stripes(4, 4096), AGG_MOST_STRIPES));
	cr_expect(eq(sz, agg_stride(1, 2), AGG_LINE));
	cr_expect(eq(sz, agg_stride(9, 8), 2 * AGG_LINE));
}

Test(d_agg, a_value_stays_small_with_any_number_of_cpus)
{
	size_t quantize = 1 + AGG_QUANTIZE_BUCKETS;

	cr_expect(eq(u32, agg_stripes(quantize, 4096), 8));
	cr_expect(eq(u32, agg_stripes(4000, 4096), 1));
	for (size_t words = 1; words < 4000; words++) {
		unsigned int stripes = agg_stripes(words, 4096);

		cr_assert(stripes == 1 || stripes * agg_stride(words, stripes) <= AGG_STRIPED);
	}
}
