// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "base/duration.h"
#include "target/turns.h"

static const struct turns_owner crowd = { .device = 1, .user = 65534 }, node = { .device = 1, .user = 100 },
				container = { .device = 2, .user = 65534 };

Test(turns, who_had_much_is_behind_who_had_none)
{
	uint64_t now = NS_PER_S;

	cr_expect(turns_are_at(&crowd, now));
	turns_charge(&crowd, 2 * NS_PER_S, now);
	turns_wait(&crowd, now);
	cr_expect(turns_are_at(&crowd, now), "nobody else asks");
	turns_wait(&node, now);
	cr_expect(not(turns_are_at(&crowd, now)));
	turns_wait(&crowd, now);
	cr_expect(not(turns_are_at(&crowd, now)), "who waits, too, is still behind");
	cr_expect(turns_are_at(&node, now));
	cr_expect(turns_are_at(&crowd, now), "the other has had its turn");
}

Test(turns, containers_of_the_same_user_are_told_apart)
{
	turns_charge(&crowd, NS_PER_S, 0);
	turns_wait(&container, 0);
	cr_expect(not(turns_are_at(&crowd, 0)));
	cr_expect(turns_are_at(&container, 0));
}

Test(turns, who_does_not_come_back_holds_nobody_up)
{
	turns_charge(&crowd, NS_PER_S, 0);
	turns_wait(&node, 0);
	cr_expect(not(turns_are_at(&crowd, TURNS_PATIENCE_NS - 1)));
	cr_expect(turns_are_at(&crowd, TURNS_PATIENCE_NS));
}

Test(turns, time_is_forgotten_by_halves)
{
	turns_charge(&crowd, 4 * NS_PER_S, 0);
	turns_charge(&node, NS_PER_S, 0);
	turns_charge(&crowd, 1, 120 * NS_PER_S);
	turns_charge(&node, 1, 60 * NS_PER_S);
	turns_wait(&node, 120 * NS_PER_S);
	cr_expect(not(turns_are_at(&crowd, 120 * NS_PER_S)), "a second and a quarter");
	turns_charge(&node, NS_PER_S, 120 * NS_PER_S);
	cr_expect(turns_are_at(&crowd, 120 * NS_PER_S));
}

Test(turns, who_comes_often_forgets_too)
{
	uint64_t now = 0;

	turns_charge(&crowd, 1024 * NS_PER_S, now);
	turns_charge(&node, 2 * NS_PER_S, 600 * NS_PER_S);
	for (int i = 0; i < 20; i++)
		turns_charge(&crowd, 1, now += 30 * NS_PER_S);
	turns_wait(&node, now);
	cr_expect(turns_are_at(&crowd, now), "a second is left");
}

Test(turns, of_many_owners_those_are_kept_that_had_most)
{
	turns_charge(&crowd, NS_PER_S, 0);
	for (uint32_t i = 0; i < 1000; i++)
		turns_charge(&(struct turns_owner){ .device = 7, .user = i }, 1, 0);
	turns_wait(&node, 0);
	cr_expect(not(turns_are_at(&crowd, 0)));
}
