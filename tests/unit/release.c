// SPDX-License-Identifier: BSD-2-Clause
/* How BPF programs are let go. */
#include "load/kernel/release.h"

#include <criterion/criterion.h>
#include <errno.h>

Test(release, links_of_a_batch_of_programs_go_without_a_pause_however_many_they_are)
{
	struct departing departing = {};

	for (unsigned int i = 0; i < 100 * RELEASE_BATCH; i++)
		cr_assert(departing_has_room(&departing, 1 + i % RELEASE_BATCH));
	cr_expect_not(departing_has_room(&departing, RELEASE_BATCH + 1), "one more program is one too many");
	cr_expect(departing_has_room(&departing, RELEASE_BATCH), "it goes already");
	departing.count = 0;
	cr_expect(departing_has_room(&departing, RELEASE_BATCH + 1), "after a pause");
}

Test(release, programs_that_are_not_known_may_all_be_others)
{
	struct departing departing = {};

	for (int i = 0; i < RELEASE_BATCH; i++)
		cr_assert(departing_has_room(&departing, 0));
	cr_expect_not(departing_has_room(&departing, 0));
}

Test(release, a_process_may_have_fewer_programs_than_the_kernel_can_free_at_once)
{
	for (int i = 0; i < RELEASE_MOST_PROGRAMS; i++)
		cr_assert_eq(release_reserve(), 0);
	cr_expect_eq(release_reserve(), -EDQUOT);
	release_cancel();
	cr_expect_eq(release_reserve(), 0, "what was given back can be had again");
	cr_expect(RELEASE_MOST_PROGRAMS < 1024 && RELEASE_MOST_OWN < RELEASE_MOST_PROGRAMS);
}
