// SPDX-License-Identifier: BSD-2-Clause
/* What people see: columns, clocks, and nothing that moves the cursor. */
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sink_check.h"

#define HEADER "TEXT     NUMBER SIGNED WHEN                WAIT PID       \n"

/* The clock shows local time. */
static void use_utc(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
}

static void make_small(struct value values[COLUMNS], const char *text)
{
	make_values(values, text);
	values[NUMBER].number = 42;
	values[SIGNED].signed_number = -7;
}

Test(sink_text, an_event_is_a_row_below_one_header, .init = use_utc)
{
	struct value values[COLUMNS];
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	make_small(values, "one");
	send_event(&c, values, "rabbit@host");
	make_small(values, "longer than its column");
	send_event(&c, values, "rabbit@host");
	expect_text(captured_text(&c),
		    HEADER "one          42     -7 22:13:20.123456   1.25ms <0.91.0>  \n"
			   "longer than its column     42     -7 22:13:20.123456   1.25ms <0.91.0>  \n");
	captured_free(&c);
}

Test(sink_text, times_and_milliseconds_are_shown_when_asked_for, .init = use_utc)
{
	struct value values[COLUMNS];
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.setup.show_time = true;
	c.sink.setup.milliseconds = true;
	make_small(values, "one");
	send_event(&c, values, "");
	c.sink.ops->interval(&c.sink, CHECK_TIME);
	expect_text(captured_text(&c), "TIME            " HEADER
				       "22:13:20.123456 one          42     -7 22:13:20.123456    1.250 <0.91.0>  \n"
				       "\n22:13:20\n");
	captured_free(&c);
}

Test(sink_text, absent_values_are_dashes)
{
	struct value values[COLUMNS] = {};
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	for (size_t i = 0; i < COLUMNS; i++)
		values[i].is_null = true;
	send_event(&c, values, "");
	expect_text(captured_text(&c), HEADER "-             -      - -                      - -         \n");
	captured_free(&c);
}

static void expect_one_line_each(const char *text, size_t lines)
{
	size_t found = 0;

	for (const char *at = text; *at; at++) {
		unsigned char c = (unsigned char)*at;

		found += c == '\n';
		if ((c < 0x20 && c != '\n') || c == 0x7f || (c == 0xc2 && (unsigned char)at[1] < 0xa0))
			cr_fail("a control byte at %zu of %s", (size_t)(at - text), text);
	}
	cr_expect(eq(sz, found, lines), "%s", text);
}

Test(sink_text, hostile_texts_stay_one_line_without_control_bytes)
{
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	for (size_t i = 0; i < hostile_count; i++) {
		struct value values[COLUMNS];

		make_small(values, hostile_texts[i]);
		send_event(&c, values, hostile_texts[i]);
	}
	expect_one_line_each(captured_text(&c), hostile_count + 1);
	captured_free(&c);
}

Test(sink_text, hostile_keys_of_histograms_stay_one_line_without_control_bytes)
{
	static const uint64_t sample = 5;
	uint64_t slots[HIST_SLOTS];

	for (size_t i = 0; i < hostile_count; i++) {
		struct sink_hist hist = hist_of(&sample, 1, slots);
		struct captured c;

		captured_begin(&c, SINK_TEXT);
		hist.key = hostile_texts[i];
		hist.node = hostile_texts[hostile_count - 1 - i];
		c.sink.ops->hist(&c.sink, &hist);
		expect_one_line_each(captured_text(&c), 9);
		captured_free(&c);
	}
}

#define BAR_0 "                                        "
#define BAR_40 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define OF_5                                                                                                           \
	"\n           value  ------------- Distribution ------------- count    \n"                                     \
	"               2 |" BAR_0 " 0        \n"                                                                      \
	"               4 |" BAR_40 " 2        \n"                                                                     \
	"               8 |" BAR_0 " 0        \n"

static void send_hist(struct captured *c, const char *key, const char *node, int os_id)
{
	static const uint64_t samples[] = { 5, 5 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);

	hist.key = key;
	hist.node = node;
	hist.os_id = os_id;
	c->sink.ops->hist(&c->sink, &hist);
}

Test(sink_text, a_histogram_has_a_title_rows_and_percentiles)
{
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	send_hist(&c, NULL, NULL, 0);
	expect_text(captured_text(&c), "\n  waits (ns)\n" OF_5
				       "\n               2 in all, p50 5ns, p90 5ns, p99 5ns, p99.9 5ns, max 5ns\n");
	captured_free(&c);
}

Test(sink_text, durations_below_the_resolution_are_one_row)
{
	static const uint64_t samples[] = { 0, 3, 3000, 900 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);
	struct captured c;

	hist.resolution_ns = 1088;
	captured_begin(&c, SINK_TEXT);
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c),
		    "\n  waits (ns)\n"
		    "\n                value  ------------- Distribution ------------- count    \n"
		    "< 1.09us (probe cost) |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
		    "                 1088 |                                         0        \n"
		    "                 2048 |@@@@@@@@@@                               1        \n"
		    "                 4096 |                                         0        \n"
		    "\n               4 in all, p50 < 1.09us, p90 3.00us, p99 3.00us, p99.9 3.00us, max 3.00us\n");
	captured_free(&c);
}

Test(sink_text, what_is_apart_has_a_line_of_its_own)
{
	struct sink_note apart = { .name = "late", .text = "were late", .one = "was late", .count = 3 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(NULL, 0, slots);
	struct captured c;

	hist.apart = &apart;
	captured_begin(&c, SINK_TEXT);
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "\n  waits (ns)\n               3 were late\n");
	captured_free(&c);
}

Test(sink_text, a_sample_says_what_was_seen_before_all_else)
{
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.window = check_sample;
	send_hist(&c, NULL, NULL, 0);
	expect_text(captured_text(&c), "1,683 seen in 0.22 of 5.1 s: 7,650/s (5,100–10,300)\n"
				       "\n  waits (ns)\n" OF_5 "\n               2 seen, p50 5ns, max seen 5ns\n");
	captured_free(&c);
}

Test(sink_text, a_sample_without_a_rate_says_why)
{
	static const struct {
		struct sink_window window;
		const char *text;
	} samples[] = {
		{ { .is_part = true, .of_s = 1 }, "not measured: there was no sampling window in these 1.0 s\n" },
		{ { .is_part = true, .of_s = 1, .watched_s = 0.1, .windows = 1, .seen = 3 },
		  "3 seen in 0.10 of 1.0 s (no rate: 1 window)\n" },
		{ { .is_part = true, .of_s = 9, .watched_s = 0.1, .windows = 9, .cut = 2, .seen = 3 },
		  "3 seen in 0.10 of 9.0 s (no rate: a burst cut 2 of 9 windows short)\n" },
		{ { .is_part = true, .of_s = 9, .watched_s = 0.1, .windows = 9, .slowdown = 4 },
		  "while watched, the node ran up to 4.0 times slower; durations include that\n"
		  "0 seen in 0.10 of 9.0 s\n" },
	};

	for (size_t i = 0; i < COUNT(samples); i++) {
		struct captured c;

		captured_begin(&c, SINK_TEXT);
		c.sink.window = samples[i].window;
		c.sink.ops->nothing(&c.sink, "no message was received");
		c.sink.ops->nothing(&c.sink, "again");
		cr_expect(
			eq(str, (char *)strndup(captured_text(&c), strlen(samples[i].text)), (char *)samples[i].text));
		captured_free(&c);
	}
}

Test(sink_text, a_histogram_of_a_key_says_whose_it_is)
{
	static const struct {
		const char *key, *node;
		int os_id;
		const char *title;
	} rows[] = {
		{ "<0.91.0>", NULL, 0, "\n  <0.91.0>\n" },
		{ "<0.91.0>", "rabbit@host", 4711, "\n  <0.91.0> on rabbit@host (process 4711)\n" },
		{ "rabbit@host", "rabbit@host", 4711, "\n  rabbit@host (process 4711)\n" },
		{ "<0.91.0>", "", 4711, "\n  <0.91.0> (process 4711)\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct captured c;
		const char *text;

		captured_begin(&c, SINK_TEXT);
		send_hist(&c, rows[i].key, rows[i].node, rows[i].os_id);
		text = captured_text(&c);
		cr_expect(eq(int, strncmp(text, rows[i].title, strlen(rows[i].title)), 0), "%s", text);
		captured_free(&c);
	}
}

Test(sink_text, the_largest_bucket_has_a_value_that_is_not_negative)
{
	static const uint64_t sample = UINT64_MAX;
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(&sample, 1, slots);
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.ops->hist(&c.sink, &hist);
	cr_expect(eq(ptr, strstr(captured_text(&c), "-9223372036854775808"), NULL), "%s", captured_text(&c));
	captured_free(&c);
}

Test(sink_text, every_table_with_rows_has_a_header)
{
	struct value cells[2 * COLUMNS];
	struct sink_table table = { .cells = cells, .rows = 2 }, empty = {};
	struct captured c;

	use_utc();
	captured_begin(&c, SINK_TEXT);
	/* Rows of a table have no time of their own. */
	c.sink.setup.show_time = true;
	make_small(cells, "one");
	make_small(cells + COLUMNS, "two");
	c.sink.ops->table(&c.sink, &table);
	c.sink.ops->table(&c.sink, &empty);
	c.sink.ops->table(&c.sink, &table);
	expect_text(captured_text(&c), HEADER "one          42     -7 22:13:20.123456   1.25ms <0.91.0>  \n"
					      "two          42     -7 22:13:20.123456   1.25ms <0.91.0>  \n" HEADER
					      "one          42     -7 22:13:20.123456   1.25ms <0.91.0>  \n"
					      "two          42     -7 22:13:20.123456   1.25ms <0.91.0>  \n");
	captured_free(&c);
}

Test(sink_text, one_of_what_is_counted_is_singular)
{
	const struct sink_note one[] = {
		{ .name = "a", .text = "cases were seen", .one = "case was seen", .count = 1 },
		{ .name = "b", .text = "cases were seen", .one = "case was seen", .count = 2 },
		{ .name = "c", .text = "of these", .count = 1 },
		{ .name = "d", .text = "cases were seen", .one = "case was seen" },
	};
	struct sink_table table = { .notes = one, .note_count = COUNT(one) };
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.ops->table(&c.sink, &table);
	expect_text(captured_text(&c), "1 case was seen, 2 cases were seen, 1 of these\n");
	captured_free(&c);
}

Test(sink_text, what_did_not_happen_is_a_sentence_that_is_safe_and_an_answer)
{
	struct sink_table empty = {};
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.ops->table(&c.sink, &empty);
	cr_expect(not(c.sink.has_answer));
	c.sink.ops->nothing(&c.sink, "In 5.00s, no process ran on \033[31ma@b.");
	cr_expect(c.sink.has_answer);
	expect_text(captured_text(&c), "In 5.00s, no process ran on \\x1b[31ma@b.\n");
	captured_free(&c);
}

Test(sink_text, the_summary_tells_of_losses_on_stderr_only, .init = cr_redirect_stderr)
{
	struct captured c;

	captured_begin(&c, SINK_TEXT);
	c.sink.ops->summary(&c.sink, &check_summary);
	expect_text(captured_text(&c), "");
	captured_free(&c);
	fflush(stderr);
	cr_assert_stderr_eq_str("5 messages went to other nodes\nlost: 7 of 107 events of message-send\n");
}

Test(sink_text, a_histogram_of_sizes_shows_numbers_and_their_unit)
{
	uint64_t slots[HIST_SLOTS];
	uint64_t sample = 5000;
	struct sink_hist hist = hist_of(&sample, 1, slots);
	struct captured c;

	hist.unit = "words";
	captured_begin(&c, SINK_TEXT);
	c.sink.ops->hist(&c.sink, &hist);
	cr_expect(strstr(captured_text(&c), "p99.9 5000, max 5000 (words)\n") != NULL, "%s", captured_text(&c));
	captured_free(&c);
}
