// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/duration.h"
#include "target/reader/fair_share.h"

static const struct fair_share_owner crowd = { .device = 1, .user = 65534 }, node = { .device = 1, .user = 100 },
				     container = { .device = 2, .user = 65534 };

Test(turns, who_had_much_is_behind_who_had_none)
{
	uint64_t now = NS_PER_S;

	cr_expect(fair_share_is_next(&crowd, now));
	fair_share_charge(&crowd, 2 * NS_PER_S, now);
	fair_share_wait(&crowd, now);
	cr_expect(fair_share_is_next(&crowd, now), "nobody else asks");
	fair_share_wait(&node, now);
	cr_expect(not(fair_share_is_next(&crowd, now)));
	fair_share_wait(&crowd, now);
	cr_expect(not(fair_share_is_next(&crowd, now)), "who waits, too, is still behind");
	cr_expect(fair_share_is_next(&node, now));
	cr_expect(fair_share_is_next(&crowd, now), "the other has had its turn");
}

Test(turns, containers_of_the_same_user_are_told_apart)
{
	fair_share_charge(&crowd, NS_PER_S, 0);
	fair_share_wait(&container, 0);
	cr_expect(not(fair_share_is_next(&crowd, 0)));
	cr_expect(fair_share_is_next(&container, 0));
}

Test(turns, who_does_not_come_back_holds_nobody_up)
{
	fair_share_charge(&crowd, NS_PER_S, 0);
	fair_share_wait(&node, 0);
	cr_expect(not(fair_share_is_next(&crowd, FAIR_SHARE_WAIT_NS - 1)));
	cr_expect(fair_share_is_next(&crowd, FAIR_SHARE_WAIT_NS));
}

Test(turns, time_is_forgotten_by_halves)
{
	fair_share_charge(&crowd, 4 * NS_PER_S, 0);
	fair_share_charge(&node, NS_PER_S, 0);
	fair_share_charge(&crowd, 1, 120 * NS_PER_S);
	fair_share_charge(&node, 1, 60 * NS_PER_S);
	fair_share_wait(&node, 120 * NS_PER_S);
	cr_expect(not(fair_share_is_next(&crowd, 120 * NS_PER_S)), "a second and a quarter");
	fair_share_charge(&node, NS_PER_S, 120 * NS_PER_S);
	cr_expect(fair_share_is_next(&crowd, 120 * NS_PER_S));
}

Test(turns, who_comes_often_forgets_too)
{
	uint64_t now = 0;

	fair_share_charge(&crowd, 1024 * NS_PER_S, now);
	fair_share_charge(&node, 2 * NS_PER_S, 600 * NS_PER_S);
	for (int i = 0; i < 20; i++)
		fair_share_charge(&crowd, 1, now += 30 * NS_PER_S);
	fair_share_wait(&node, now);
	cr_expect(fair_share_is_next(&crowd, now), "a second is left");
}

Test(turns, of_many_owners_those_are_kept_that_had_most)
{
	fair_share_charge(&crowd, NS_PER_S, 0);
	for (uint32_t i = 0; i < 1000; i++)
		fair_share_charge(&(struct fair_share_owner){ .device = 7, .user = i }, 1, 0);
	fair_share_wait(&node, 0);
	cr_expect(not(fair_share_is_next(&crowd, 0)));
}
