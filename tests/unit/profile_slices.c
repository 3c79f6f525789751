// SPDX-License-Identifier: BSD-2-Clause
/* The hour in minutes: what is asked for is added up, the oldest goes, and no minute takes more than its share. */
#include "profile/slices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "flame/profile_parts.h"
#include "flame_check.h"

#define BEGIN (1700000000 * 1000000000ULL)
#define MINUTE SLICES_NS

static struct slices *new_slices(void)
{
	struct slices *slices = slices_new(BEGIN, MINUTE, 10);

	cr_assert(ne(ptr, slices, NULL));
	return slices;
}

static void put(struct profile *profile, const char *node, const char *name, uint64_t value)
{
	uint32_t stack[] = {
		profile_frame(profile, FRAME_GROUP, node, NULL, 0),
		profile_frame(profile, FRAME_ERLANG, name, NULL, 0),
	};

	profile_add(profile, stack, 2, value);
}

/* So many minutes, in the i-th of which m:i/0 had i. */
static void fill(struct slices *slices, unsigned int minutes)
{
	char name[32];

	for (unsigned int i = 1; i <= minutes; i++) {
		snprintf(name, sizeof(name), "m:%u/0", i);
		put(slices_now(slices, BEGIN + i * MINUTE), "a@h", name, i);
		cr_assert(eq(int, slices_turn(slices, BEGIN + i * MINUTE), 0));
	}
}

static void expect_merged(const struct slices *slices, uint64_t from, uint64_t to, const char *folded)
{
	struct profile *merged = slices_merge(slices, from, to, NULL, NULL);

	cr_assert(ne(ptr, merged, NULL));
	expect_folded(merged, folded);
	profile_free(merged);
}

Test(profile_slices, those_are_added_up_that_have_some_of_the_time)
{
	struct slices *slices = new_slices();

	fill(slices, 4);
	expect_merged(slices, BEGIN + MINUTE + 1, BEGIN + 3 * MINUTE - 1, "a@h_[g];m:2/0 2\na@h_[g];m:3/0 3\n");
	expect_merged(slices, BEGIN + 3 * MINUTE + 1, UINT64_MAX, "a@h_[g];m:4/0 4\n");
	slices_free(slices);
}

Test(profile_slices, a_minute_is_not_left_before_it_is_over)
{
	struct slices *slices = new_slices();

	put(slices_now(slices, BEGIN + 1), "a@h", "m:f/0", 1);
	cr_expect(eq(int, slices_turn(slices, BEGIN + MINUTE / 2), 0));
	put(slices_now(slices, BEGIN + MINUTE / 2), "a@h", "m:f/0", 2);
	cr_expect(eq(sz, slices_count(slices), 1));
	expect_merged(slices, 0, UINT64_MAX, "a@h_[g];m:f/0 3\n");
	slices_free(slices);
}

Test(profile_slices, the_oldest_makes_room_and_what_there_is_not_is_said)
{
	struct slices *slices = new_slices();
	struct profile *merged;

	fill(slices, SLICES_COUNT + 5);
	cr_expect(eq(sz, slices_count(slices), SLICES_COUNT));
	merged = slices_merge(slices, 0, BEGIN + 5 * MINUTE, NULL, NULL);
	cr_expect(eq(int, errno, ENOENT));
	cr_expect(eq(ptr, merged, NULL));
	/* The one that is empty yet is one of them. */
	merged = slices_merge(slices, 0, UINT64_MAX, NULL, NULL);
	cr_assert(ne(ptr, merged, NULL));
	cr_expect(eq(u64, merged->duration_ns, (SLICES_COUNT - 1) * MINUTE));
	cr_expect(eq(u64, merged->start_unix_ns, BEGIN + 6 * MINUTE));
	cr_expect(eq(u64, merged->period_ns, 10));
	profile_free(merged);
	slices_free(slices);
}

Test(profile_slices, a_clock_that_is_set_back_begins_another)
{
	struct slices *slices = new_slices();

	put(slices_now(slices, BEGIN + 100), "a@h", "m:f/0", 1);
	cr_expect(eq(int, slices_turn(slices, BEGIN - 1000 * MINUTE), 0));
	cr_expect(eq(sz, slices_count(slices), 2));
	put(slices_now(slices, BEGIN - 999 * MINUTE), "a@h", "m:g/0", 1);
	expect_merged(slices, 0, BEGIN - 1, "a@h_[g];m:g/0 1\n");
	slices_free(slices);
}

static bool is_b(void *data, const char *group)
{
	cr_expect(eq(int, *(int *)data, 7));
	return !strcmp(group, "b@h");
}

Test(profile_slices, those_of_one_node_are_without_it)
{
	struct slices *slices = new_slices();
	int seven = 7;
	struct profile *merged;

	put(slices_now(slices, BEGIN + 1), "a@h", "m:f/0", 1);
	put(slices_now(slices, BEGIN + 1), "b@h", "m:f/0", 2);
	merged = slices_merge(slices, 0, UINT64_MAX, is_b, &seven);
	cr_assert(ne(ptr, merged, NULL));
	expect_folded(merged, "m:f/0 2\n");
	profile_free(merged);
	slices_free(slices);
}

Test(profile_slices, a_minute_takes_no_more_than_its_share_and_says_what_is_lost)
{
	struct slices *slices = new_slices();
	struct profile *profile = slices_now(slices, BEGIN + 1), *merged;
	char name[32];

	for (unsigned int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "m:%u/0", i);
		put(profile, "a@h", name, 1);
	}
	cr_expect(le(sz, slices_bytes(slices), SLICES_BYTES));
	merged = slices_merge(slices, 0, UINT64_MAX, NULL, NULL);
	cr_assert(ne(ptr, merged, NULL));
	cr_expect(gt(u64, merged->lost, 0));
	cr_expect(eq(u64, merged->total + merged->lost, 100000));
	profile_free(merged);
	slices_free(slices);
}

static void expect_next(const struct slices *slices, uint64_t after, uint64_t number, uint64_t begins)
{
	struct slice_whole whole;

	cr_assert(slices_next(slices, after, &whole));
	cr_expect(eq(u64, whole.number, number));
	cr_expect(eq(u64, whole.from_ns, begins));
	cr_expect(eq(u64, whole.to_ns, begins + MINUTE));
	cr_expect(eq(u64, whole.period_ns, 10));
}

Test(profile_slices, whole_ones_are_given_one_after_the_other_as_long_as_they_are_kept)
{
	struct slices *slices = new_slices();
	struct slice_whole first, again;

	cr_expect(not(slices_next(slices, 0, &first)));
	cr_expect(eq(u64, slices_newest_whole(slices), 0));
	fill(slices, 3);
	cr_expect(eq(u64, slices_newest_whole(slices), 3));
	expect_next(slices, 0, 1, BEGIN);
	expect_next(slices, 1, 2, BEGIN + MINUTE);
	expect_next(slices, 2, 3, BEGIN + 2 * MINUTE);
	cr_expect(not(slices_next(slices, 3, &first)));
	/* It is the same one when it is asked for again. */
	cr_assert(slices_next(slices, 0, &first) && slices_next(slices, 0, &again));
	cr_expect(eq(int, memcmp(first.id, again.id, SLICES_ID), 0));
	cr_assert(slices_next(slices, 1, &again));
	cr_expect(ne(int, memcmp(first.id, again.id, SLICES_ID), 0));
	slices_free(slices);

	slices = new_slices();
	fill(slices, SLICES_COUNT + 5);
	expect_next(slices, 0, 7, BEGIN + 6 * MINUTE);
	slices_free(slices);
}

Test(profile_slices, one_without_samples_is_left_out)
{
	struct slices *slices = new_slices();
	struct slice_whole whole;

	slices_now(slices, BEGIN + MINUTE);
	slices_turn(slices, BEGIN + MINUTE);
	put(slices_now(slices, BEGIN + 2 * MINUTE), "a@h", "m:f/0", 1);
	slices_turn(slices, BEGIN + 2 * MINUTE);
	cr_assert(slices_next(slices, 0, &whole));
	cr_expect(eq(u64, whole.number, 2));
	slices_free(slices);
}
