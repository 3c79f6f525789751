// SPDX-License-Identifier: BSD-2-Clause
/* Profiles as data: what is added is there once, and what has no room is counted. */
#include "flame/profile.h"

#include "check.h"
#include "flame/profile_parts.h"
#include "flame_check.h"

static struct profile *new_profile(void)
{
	struct profile *profile = profile_new("test", "samples");

	cr_assert(ne(ptr, profile, NULL));
	return profile;
}

static uint32_t erlang(struct profile *profile, const char *name)
{
	return profile_frame(profile, FRAME_ERLANG, name, NULL, 0);
}

Test(flame_profile, equal_frames_are_one)
{
	struct profile *profile = new_profile();
	uint32_t frame = profile_frame(profile, FRAME_ERLANG, "m:f/1", "m.erl", 7);

	cr_expect(eq(u32, profile_frame(profile, FRAME_ERLANG, "m:f/1", "m.erl", 7), frame));
	cr_expect(ne(u32, profile_frame(profile, FRAME_ERLANG, "m:f/1", "m.erl", 8), frame));
	cr_expect(ne(u32, profile_frame(profile, FRAME_BIF, "m:f/1", "m.erl", 7), frame));
	cr_expect(ne(u32, profile_frame(profile, FRAME_ERLANG, "m:f/1", NULL, 7), frame));
	profile_free(profile);
}

Test(flame_profile, weights_of_equal_stacks_add_up)
{
	struct profile *profile = new_profile();
	uint32_t stack[] = { erlang(profile, "a:a/0"), erlang(profile, "b:b/0") };

	profile_add(profile, stack, 2, 3);
	profile_add(profile, stack, 1, 1);
	profile_add(profile, stack, 2, 4);
	cr_expect(eq(u64, profile->total, 8));
	expect_folded(profile, "a:a/0 1\na:a/0;b:b/0 7\n");
	profile_free(profile);
}

Test(flame_profile, many_frames_and_stacks_are_found_again)
{
	struct profile *profile = new_profile();
	char name[32];

	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 10000; i++) {
			uint32_t stack[2];

			snprintf(name, sizeof(name), "m%u:f/0", i);
			stack[0] = erlang(profile, name);
			snprintf(name, sizeof(name), "m%u:f/0", i / 2);
			stack[1] = erlang(profile, name);
			cr_assert(eq(u32, stack[0], i));
			profile_add(profile, stack, 2, 1);
		}
	}
	cr_expect(eq(sz, profile->frame_count, 10000));
	cr_expect(eq(sz, profile->node_count, 20001));
	cr_expect(eq(u64, profile->total, 20000));
	profile_free(profile);
}

Test(flame_profile, what_has_no_room_is_lost_and_counted)
{
	struct profile *profile = new_profile();
	uint32_t known = erlang(profile, "a:a/0"), more;

	profile_add(profile, &known, 1, 1);
	profile_limit(profile, profile->bytes);
	more = erlang(profile, "b:b/0");
	cr_expect(eq(u32, more, PROFILE_NO_FRAME));
	profile_add(profile, &more, 1, 10);
	profile_add(profile, (uint32_t[]){ known, known }, 2, 100);
	profile_add(profile, &known, 1, 1);
	profile_add_before(profile, &more, 1, 1000);
	cr_expect(eq(u64, profile->total, 2));
	cr_expect(eq(u64, profile_lost_weight(profile), 1110));
	profile_free(profile);
}

Test(flame_profile, a_deep_stack_is_cut_at_its_oldest_frames_but_not_its_groups)
{
	struct profile *profile = new_profile();
	uint32_t stack[PROFILE_DEPTH + 2];
	size_t size;
	char *text;

	stack[0] = profile_frame(profile, FRAME_GROUP, "node", NULL, 0);
	stack[1] = erlang(profile, "oldest:f/0");
	for (size_t i = 2; i < PROFILE_DEPTH + 2; i++)
		stack[i] = erlang(profile, i % 2 ? "odd:f/0" : "even:f/0");
	profile_add(profile, stack, PROFILE_DEPTH + 2, 5);
	text = written(profile, profile_write_folded, &size);
	cr_expect(eq(int, strncmp(text, "node_[g];[cut]_[s];odd:f/0;even:f/0;", 36), 0), "%.60s", text);
	cr_expect(eq(int, !strstr(text, "oldest"), 1));
	cr_expect(eq(sz, profile->node_count, PROFILE_DEPTH + 2)); /* the root, the mark, and the depth */
	free(text);
	profile_free(profile);
}

Test(flame_profile, a_stack_of_the_greatest_depth_is_whole)
{
	struct profile *profile = new_profile();
	uint32_t stack[PROFILE_DEPTH];

	for (size_t i = 0; i < PROFILE_DEPTH; i++)
		stack[i] = erlang(profile, "m:f/0");
	profile_add(profile, stack, PROFILE_DEPTH, 5);
	cr_expect(eq(sz, profile->frame_count, 1));
	cr_expect(eq(sz, profile->node_count, PROFILE_DEPTH + 1));
	profile_free(profile);
}

Test(flame_profile, sums_stay_at_the_largest_number)
{
	struct profile *profile = new_profile();
	uint32_t frame = erlang(profile, "m:f/0");

	profile_add(profile, &frame, 1, UINT64_MAX - 1);
	profile_add(profile, &frame, 1, 5);
	cr_expect(eq(u64, profile->total, UINT64_MAX));
	expect_folded(profile, "m:f/0 18446744073709551615\n");
	profile_free(profile);
}

/* --- Transformations ---------------------------------------------------------------------------------------------- */

static void expect_recursion(const char *lines, const char *expected)
{
	struct profile *profile = read_lines(lines, 0), *folded = profile_fold_recursion(profile);

	expect_folded(folded, expected);
	cr_expect(eq(u64, folded->total, profile->total));
	profile_free(folded);
	profile_free(profile);
}

Test(flame_profile, recursion_is_folded)
{
	expect_recursion("a:a/0;f:f/1;f:f/1;f:f/1;b:b/0 3\n", "a:a/0;f:f/1;b:b/0 3\n");
	expect_recursion("f:f/1 1\nf:f/1;f:f/1 2\n", "f:f/1 3\n");
	expect_recursion("a:a/0;f:f/1;g:g/1;f:f/1;g:g/1;f:f/1;b:b/0 3\n", "a:a/0;f:f/1;g:g/1;f:f/1;b:b/0 3\n");
	expect_recursion("a:a/0;b:b/0;c:c/0 1\n", "a:a/0;b:b/0;c:c/0 1\n");
	expect_recursion("f:f/1:10;f:f/1:12 1\n", "f:f/1:10 1\n");
}

Test(flame_profile, without_lines_a_function_is_one_frame)
{
	struct profile *profile = read_lines("a:a/0:3;b:b/0:5 1\na:a/0:4;b:b/0:5 2\n", 0);
	struct profile *copy = profile_copy(profile, false);

	expect_folded(profile, "a:a/0:3;b:b/0:5 1\na:a/0:4;b:b/0:5 2\n");
	expect_folded(copy, "a:a/0;b:b/0 3\n");
	profile_free(copy);
	profile_free(profile);
}

Test(flame_profile, without_lines_a_function_with_code_of_two_files_is_one_frame)
{
	struct profile *profile = profile_new("test", "samples"), *copy;
	uint32_t frames[] = {
		profile_frame(profile, FRAME_ERLANG, "a:a/0", "a.erl", 3),
		profile_frame(profile, FRAME_ERLANG, "a:a/0", "macros.hrl", 7),
	};

	profile_add(profile, &frames[0], 1, 1);
	profile_add(profile, &frames[1], 1, 2);
	copy = profile_copy(profile, false);
	expect_folded(copy, "a:a/0 3\n");
	profile_free(copy);
	profile_free(profile);
}

static void expect_difference(const char *before, const char *after, bool is_normalised, const char *lines)
{
	struct profile *a = read_lines(before, 0), *b = read_lines(after, 0);
	struct profile *difference = profile_difference(a, b, is_normalised);

	expect_folded(difference, lines);
	profile_free(difference);
	profile_free(b);
	profile_free(a);
}

Test(flame_profile, a_difference_compares_shares)
{
	expect_difference("a:a/0 1\nb:b/0 3\n", "a:a/0 30\nc:c/0 10\n", true, "a:a/0 10 30\nc:c/0 0 10\nb:b/0 30 0\n");
}

Test(flame_profile, a_difference_of_weights_is_not_scaled)
{
	expect_difference("a:a/0 1\nb:b/0 3\n", "a:a/0 30\nc:c/0 10\n", false, "a:a/0 1 30\nc:c/0 0 10\nb:b/0 3 0\n");
}

Test(flame_profile, differences_are_compared_as_they_were_afterwards)
{
	expect_difference("a:a/0 7 4\n", "a:a/0 9 4\nb:b/0 5 0\n", true, "a:a/0 4 4\n");
}

Test(flame_profile, a_difference_of_large_weights_is_exact)
{
	expect_difference("a:a/0 10184467610184467615\n", "a:a/0 10184467610184467615\n", true,
			  "a:a/0 10184467610184467615 10184467610184467615\n");
}

Test(flame_profile, a_difference_with_nothing_is_what_there_was)
{
	expect_difference("a:a/0 2\n", "", true, "a:a/0 2 0\n");
	expect_difference("", "a:a/0 2\n", true, "a:a/0 0 2\n");
}

Test(flame_profile, a_difference_has_the_losses_of_both)
{
	struct profile *a = read_lines("a:a/0 1\n", 0), *b = read_lines("a:a/0 1\n", 0), *difference;

	profile_lost(a, 2);
	profile_lost(b, 3);
	difference = profile_difference(a, b, true);
	cr_expect(eq(u64, difference->lost, 5));
	profile_free(difference);
	profile_free(b);
	profile_free(a);
}
