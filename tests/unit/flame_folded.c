// SPDX-License-Identifier: BSD-2-Clause
/* Folded lines: what is written is read again, and a line of others is understood or counted as bad. */
#include "flame/profile.h"

#include "check.h"
#include "flame/profile_parts.h"
#include "flame_check.h"

/* A line of one frame is read as that frame. */
static void expect_frame(const char *line, enum frame_kind kind, const char *name, uint32_t number)
{
	struct profile *profile = read_lines(line, 0);

	cr_assert(eq(sz, profile->frame_count, 1));
	cr_expect(eq(int, profile->functions[0].kind, kind), "%s", line);
	expect_text(profile->functions[0].name, name);
	cr_expect(eq(u32, profile->frames[0].line, number));
	profile_free(profile);
}

Test(flame_folded, kinds_are_known_by_suffix_and_spelling)
{
	expect_frame("lists:map/2 1\n", FRAME_ERLANG, "lists:map/2", 0);
	expect_frame("Shop.Cart.add/2 1\n", FRAME_ERLANG, "Shop.Cart.add/2", 0);
	expect_frame("lists:map/2:1559 1\n", FRAME_ERLANG, "lists:map/2", 1559);
	expect_frame("ets:lookup/2_[b] 1\n", FRAME_BIF, "ets:lookup/2", 0);
	expect_frame("process_main_[v] 1\n", FRAME_VM, "process_main", 0);
	expect_frame("do_syscall_64_[k] 1\n", FRAME_KERNEL, "do_syscall_64", 0);
	expect_frame("java/lang/Object.wait_[j] 1\n", FRAME_ERLANG, "java/lang/Object.wait", 0);
	expect_frame("Foo.bar_[i] 1\n", FRAME_ERLANG, "Foo.bar", 0);
	expect_frame("memcpy 1\n", FRAME_LIBRARY, "memcpy", 0);
	expect_frame("std::vector<int, std::allocator<int> >::at 1\n", FRAME_LIBRARY,
		     "std::vector<int, std::allocator<int> >::at", 0);
	expect_frame("[unknown] 1\n", FRAME_STATE, "[unknown]", 0);
	expect_frame("GC_[s] 1\r\n", FRAME_STATE, "GC", 0);
	expect_frame("shop@host_[g] 1\n", FRAME_GROUP, "shop@host", 0);
	expect_frame("/ 1\n", FRAME_LIBRARY, "/", 0);
	expect_frame("a/1:99999999999999999999999 1\n", FRAME_ERLANG, "a/1:99999999999999999999999", 0);
}

Test(flame_folded, what_is_written_is_read_again)
{
	static const char lines[] = "shop@host_[g];m:f/1:3;ets:lookup/2_[b] 4\n"
				    "shop@host_[g];m:f/1:3;memcpy_[l] 5\n"
				    "shop@host_[g];busy-wait_[s];epoll_wait_[k] 6\n";
	struct profile *profile = read_lines(lines, 0);

	expect_folded(profile, lines);
	profile_free(profile);
}

Test(flame_folded, a_name_with_a_number_behind_a_blank_is_none_of_the_weights)
{
	struct profile *profile = read_lines("a 5_[j] 3\n", 0);

	expect_folded(profile, "a 5_[j] 3\n");
	profile_free(profile);
}

Test(flame_folded, two_numbers_are_a_difference)
{
	struct profile *profile = read_lines("a:a/0 10 12\nb:b/0 0 3\n", 0);

	cr_expect(eq(u64, profile->total, 15));
	expect_folded(profile, "a:a/0 10 12\nb:b/0 0 3\n");
	profile_free(profile);
}

Test(flame_folded, the_last_line_need_not_end)
{
	struct profile *profile = read_lines("a:a/0 10\nb:b/0 5", 0);

	cr_expect(eq(u64, profile->total, 15));
	profile_free(profile);
}

Test(flame_folded, what_is_no_stack_with_a_weight_is_bad)
{
	static const char lines[] = "no weight\n\n 5\nminus -5\nreal 1.5\nlarge 18446744073709551616\na:a/0 1\n";
	struct profile *profile = read_lines(lines, 5);

	expect_folded(profile, "a:a/0 1\n");
	profile_free(profile);
}

static void fill(char *text, size_t size, const char *with)
{
	for (size_t i = 0; i + 1 < size; i++)
		text[i] = with[i % strlen(with)];
	text[size - 1] = '\0';
}

Test(flame_folded, a_line_that_is_too_long_is_bad_and_the_next_is_read)
{
	size_t size = 3 << 20;
	char *text = malloc(size + 32);
	struct profile *profile;

	fill(text, size, "x");
	strcat(text + size - 1, " 7\na:a/0 1\n");
	profile = read_lines(text, 1);
	expect_folded(profile, "a:a/0 1\n");
	profile_free(profile);
	free(text);
}

Test(flame_folded, a_stack_that_is_too_deep_is_cut_or_bad)
{
	size_t size = 2 * 3000;
	char *text = malloc(2 * size + 32);
	struct profile *profile;

	fill(text, size, "f;");
	strcat(text, " 7\n");
	profile = read_lines(text, 0);
	cr_expect(eq(sz, profile->node_count, PROFILE_DEPTH + 2));
	profile_free(profile);
	fill(text, 2 * size, "f;");
	strcat(text, " 7\n");
	profile = read_lines(text, 1);
	cr_expect(eq(u64, profile->total, 0));
	profile_free(profile);
	free(text);
}

Test(flame_folded, a_name_stays_within_its_frame_and_its_line)
{
	struct profile *profile = profile_new("test", "samples");
	uint32_t stack[] = { profile_frame(profile, FRAME_ERLANG, "m:'a;b 3\nroot 5\n'/0", NULL, 0),
			     profile_frame(profile, FRAME_BIF, "\xff\xe2\x80\xae\x1b[31m", NULL, 0) };

	profile_add(profile, stack, 2, 1);
	expect_folded(profile,
		      "m:'a:b 3\xef\xbf\xbdroot 5\xef\xbf\xbd'/0;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd[31m_[b] 1\n");
	profile_free(profile);
}
