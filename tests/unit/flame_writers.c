// SPDX-License-Identifier: BSD-2-Clause
/* What profiles look like; that others can read the files is tested in tests/tools/test_profile_formats.py. */
#include "flame/profile.h"

#include <json-c/json.h>

#include "check.h"
#include "flame_check.h"

static int write_text(const struct profile *profile, FILE *to)
{
	return profile_write_text(profile, to, 3, 0);
}

static int write_narrow_text(const struct profile *profile, FILE *to)
{
	return profile_write_text(profile, to, 1, 50);
}

static void expect_written(struct profile *profile, profile_writer *write, const char *expected)
{
	size_t size;
	char *text = written(profile, write, &size);

	expect_text(text, expected);
	free(text);
	profile_free(profile);
}

Test(flame_writers, text_has_functions_and_stacks_and_counts_recursion_once)
{
	expect_written(read_lines("a:a/0;f:f/1;f:f/1;f:f/1 6\na:a/0;g:g/1_[b] 3\na:a/0;f:f/1 1\n", 0), write_text,
		       "test: 10 samples\n"
		       "\n"
		       "        SELF               TOTAL         FUNCTION\n"
		       "           7  70.0%            7  70.0%  f:f/1\n"
		       "           3  30.0%            3  30.0%  g:g/1\n"
		       "           0   0.0%           10 100.0%  a:a/0\n"
		       "\n"
		       "           6  60.0%\n"
		       "          f:f/1 (3 times)\n"
		       "          a:a/0\n"
		       "\n"
		       "           3  30.0%\n"
		       "          g:g/1\n"
		       "          a:a/0\n"
		       "\n"
		       "           1  10.0%\n"
		       "          f:f/1\n"
		       "          a:a/0\n");
}

Test(flame_writers, text_has_the_lines_of_a_stack)
{
	expect_written(read_lines("a:a/0:7;f:f/1:3;f:f/1:3;f:f/1:4 6\n", 0), write_text,
		       "test: 6 samples\n"
		       "\n"
		       "        SELF               TOTAL         FUNCTION\n"
		       "           6 100.0%            6 100.0%  f:f/1\n"
		       "           0   0.0%            6 100.0%  a:a/0\n"
		       "\n"
		       "           6 100.0%\n"
		       "          f:f/1:4\n"
		       "          f:f/1:3 (2 times)\n"
		       "          a:a/0:7\n");
}

Test(flame_writers, text_names_the_file_of_a_line_without_its_folder)
{
	struct profile *profile = profile_new("test", "samples");
	const uint32_t frames[] = {
		profile_frame(profile, FRAME_ERLANG, "a:a/0", "src/a.erl", 7),
		profile_frame(profile, FRAME_ERLANG, "b:b/0", "/x/b\x1b.erl", 3),
	};

	profile_add(profile, frames, 2, 6);
	expect_written(profile, write_text,
		       "test: 6 samples\n"
		       "\n"
		       "        SELF               TOTAL         FUNCTION\n"
		       "           6 100.0%            6 100.0%  b:b/0\n"
		       "           0   0.0%            6 100.0%  a:a/0\n"
		       "\n"
		       "           6 100.0%\n"
		       "          b:b/0 (b\\x1b.erl:3)\n"
		       "          a:a/0 (a.erl:7)\n");
}

Test(flame_writers, text_brings_small_stacks_together_and_counts_them)
{
	struct profile *profile = read_lines("a:a/0 90\na:a/0;b:b/0 7\na:a/0;c:c/0 3\n", 0);

	profile_least(profile, 10);
	expect_written(profile, write_text,
		       "test: 100 samples\n"
		       "\n"
		       "        SELF               TOTAL         FUNCTION\n"
		       "          90  90.0%          100 100.0%  a:a/0\n"
		       "           7   7.0%            7   7.0%  b:b/0\n"
		       "           3   3.0%            3   3.0%  c:c/0\n"
		       "\n"
		       "          90  90.0%\n"
		       "          a:a/0\n"
		       "\n"
		       "          10  10.0%\n"
		       "          (other): 2 stacks of less than 10 %\n");
}

Test(flame_writers, text_has_no_line_that_is_too_wide_or_too_many)
{
	expect_written(
		read_lines("m:\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc/1 6\nb:b/0 3\n", 0),
		write_narrow_text,
		"test: 9 samples\n"
		"\n"
		"        SELF               TOTAL         FUNCTION\n"
		"           6  66.7%            6  66.7%  m:\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\n"
		"             1 more functions\n"
		"\n"
		"           6  66.7%\n"
		"          m:\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc/1\n"
		"\n"
		"             1 more stacks\n");
}

Test(flame_writers, text_says_how_long_it_took_and_what_is_lost)
{
	struct profile *profile = profile_new("off CPU", "ns");
	uint32_t frame = profile_frame(profile, FRAME_STATE, "waiting for a message", NULL, 0);

	profile_add(profile, &frame, 1, 1500000);
	profile_lost(profile, 2000);
	profile_times(profile, 1, 10000000000, 0);
	expect_written(profile, write_text,
		       "off CPU: 1.50ms in 10.0s, and 2.00us lost\n"
		       "\n"
		       "        SELF               TOTAL         FUNCTION\n"
		       "      1.50ms 100.0%       1.50ms 100.0%  waiting for a message\n"
		       "\n"
		       "      1.50ms 100.0%\n"
		       "          waiting for a message\n");
}

Test(flame_writers, text_of_a_difference_has_what_changed_most_first)
{
	expect_written(read_lines("a:a/0 50 50\nb:b/0 40 0\nc:c/0 10 50\n", 0), write_text,
		       "test: 100 samples\n"
		       "\n"
		       " SELF-WAS   SELF-IS  CHANGE TOTAL-WAS  TOTAL-IS  CHANGE  FUNCTION\n"
		       "    40.0%      0.0%   -40.0     40.0%      0.0%   -40.0  b:b/0\n"
		       "    10.0%     50.0%   +40.0     10.0%     50.0%   +40.0  c:c/0\n"
		       "    50.0%     50.0%    +0.0     50.0%     50.0%    +0.0  a:a/0\n"
		       "\n"
		       "    40.0%      0.0%   -40.0\n"
		       "          b:b/0\n"
		       "\n"
		       "    10.0%     50.0%   +40.0\n"
		       "          c:c/0\n");
}

Test(flame_writers, json_has_what_was_given)
{
	struct profile *profile = profile_new("CPU", "samples");
	uint32_t stack[] = { profile_frame(profile, FRAME_GROUP, "n@h", NULL, 0),
			     profile_frame(profile, FRAME_ERLANG, "m:'<\xff\x1b'/1", "m.erl", 7) };

	profile_add(profile, stack, 2, 3);
	profile_times(profile, 5, 1500000000, 10);
	expect_written(profile, profile_write_json,
		       "{\"schema\":1,\"type\":\"stack\",\"tool\":\"profile\",\"frames\":[{\"kind\":\"group\",\"name\":"
		       "\"n@h\","
		       "\"file\":null,\"line\":null},{\"kind\":\"erlang\",\"name\":\"m:'<\xef\xbf\xbd\\u001b'/1\","
		       "\"file\":\"m.erl\",\"line\":7}],\"value\":3}\n"
		       "{\"type\":\"summary\",\"tool\":\"profile\",\"title\":\"CPU\",\"unit\":\"samples\",\"stacks\":1,"
		       "\"total\":3,\"lost\":0,\"lost_cases\":0,\"start_ns\":5,\"duration_s\":1.5,\"period_ns\":10}\n");
}

/* --- Hostile names -------------------------------------------------------------------------------------------------
 */

static const char hostile[] = "</script><script>x()</script>\"'&]]>\\\xff\x1b\xe2\x80\xae\xef\xbf\xbe";

static struct profile *hostile_profile(void)
{
	struct profile *profile = profile_new(hostile, hostile);
	uint32_t frame = profile_frame(profile, FRAME_ERLANG, hostile, hostile, 1);

	profile_add(profile, &frame, 1, 1);
	return profile;
}

/* How many there are of a text in what is written. */
static size_t count_written(struct profile *profile, profile_writer *write, const char *wanted)
{
	size_t size, count = 0;
	char *text = written(profile, write, &size);

	for (const char *at = text; (at = memmem(at, size - (size_t)(at - text), wanted, strlen(wanted))); at++)
		count++;
	free(text);
	profile_free(profile);
	return count;
}

static struct profile *harmless_profile(void)
{
	return read_lines("a:a/0 1\n", 0);
}

Test(flame_writers, a_hostile_name_is_no_markup)
{
	static profile_writer *const writers[] = { profile_write_html, profile_write_svg };
	static const char *const never[] = { "<script>x", "\x1b", "\xff", "\xe2\x80\xae" };
	static const char *const no_more[] = { "</script", "]]>", "<script" };

	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		for (size_t j = 0; j < sizeof(never) / sizeof(*never); j++)
			cr_expect(eq(sz, count_written(hostile_profile(), writers[i], never[j]), 0), "%zu %zu", i, j);
		for (size_t j = 0; j < sizeof(no_more) / sizeof(*no_more); j++) {
			/* Quotes and brackets within JSON's strings end nothing there. */
			if (writers[i] == profile_write_html && !strcmp(no_more[j], "]]>"))
				continue;
			cr_expect(eq(sz, count_written(hostile_profile(), writers[i], no_more[j]),
				     count_written(harmless_profile(), writers[i], no_more[j])),
				  "%zu %s", i, no_more[j]);
		}
	}
	cr_expect(eq(sz, count_written(hostile_profile(), profile_write_svg, "\xef\xbf\xbe"), 0));
}

Test(flame_writers, svg_folds_recursion)
{
	static const char lines[] = "a:a/0;f:f/1;f:f/1;f:f/1 3\na:a/0;f:f/1;g:g/1;f:f/1;g:g/1 2\n";

	/* "all", a, f, g */
	cr_expect(eq(sz, count_written(read_lines(lines, 0), profile_write_svg, "<g class"), 4));
}

Test(flame_writers, a_hostile_name_stays_one_string_of_speedscope)
{
	struct profile *profile = hostile_profile();
	size_t size;
	char *text = written(profile, profile_write_speedscope, &size);
	struct json_object *file = json_tokener_parse(text), *shared, *frames, *name;

	cr_assert(json_object_object_get_ex(file, "shared", &shared));
	cr_assert(json_object_object_get_ex(shared, "frames", &frames));
	cr_assert(json_object_object_get_ex(json_object_array_get_idx(frames, 0), "name", &name));
	expect_text(json_object_get_string(name),
		    "</script><script>x()</script>\"'&]]>\\\\xff\\x1b\\u{202e}\xef\xbf\xbe");
	json_object_put(file);
	free(text);
	profile_free(profile);
}

Test(flame_writers, an_empty_profile_is_one)
{
	static profile_writer *const writers[] = { profile_write_html, profile_write_svg, profile_write_speedscope,
						   profile_write_pprof, write_text };

	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		struct profile *profile = profile_new("nothing", "samples");
		size_t size;

		free(written(profile, writers[i], &size));
		cr_expect(gt(sz, size, 0));
		profile_free(profile);
	}
}
