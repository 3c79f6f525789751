// SPDX-License-Identifier: BSD-2-Clause
/* CSV as a reader of RFC 4180 sees it. */
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sink_check.h"

#define HEADER "time,os_pid,node,probe,text,number,signed,when,wait,pid\n"
#define BEFORE "1700000000123456789,4711,"
#define WINDOW ",watched_s,windows,rate,rate_low,rate_high"
#define AFTER ",18446744073709551615,-9223372036854775808,1700000000123456789,1250000,<0.91.0>\n"
#define ROW_END ",18446744073709551615,-9223372036854775808,1700000000123456789,1250000,<0.91.0>,,,,,\n"

static void send_text(struct captured *c, const char *text, const char *node)
{
	struct value values[COLUMNS];

	make_values(values, text);
	send_event(c, values, node);
}

Test(sink_csv, an_event_is_a_row_below_one_header)
{
	struct captured c;

	captured_begin(&c, SINK_CSV);
	send_text(&c, "one", "rabbit@host");
	send_text(&c, "two", "");
	expect_text(captured_text(&c),
		    HEADER BEFORE "rabbit@host,message-send,one" AFTER BEFORE ",message-send,two" AFTER);
	captured_free(&c);
}

static const struct {
	const char *text;
	const char *field;
} fields[] = {
	{ "", "" },
	{ "plain text", "plain text" },
	{ "a,b", "\"a,b\"" },
	{ "say \"hi\"", "\"say \"\"hi\"\"\"" },
	{ "\"", "\"\"\"\"" },
	{ ",", "\",\"" },
	{ "=1+1", "\"'=1+1\"" },
	{ "+1", "\"'+1\"" },
	{ "-1", "\"'-1\"" },
	{ "@SUM(A1)", "\"'@SUM(A1)\"" },
	{ "=\"x\",1", "\"'=\"\"x\"\",1\"" },
	{ "1=1", "1=1" },
	{ "a\nb", "a\\x0ab" },
	{ "a\r\nb", "a\\x0d\\x0ab" },
	{ "\t=1", "\\x09=1" },
	{ "\r=1", "\\x0d=1" },
	{ "\x1b[31m", "\\x1b[31m" },
	{ "\xff", "\\xff" },
	{ "\xe2\x80\xae", "\\u{202e}" },
	{ "Gr\xc3\xbc\xc3\x9f", "Gr\xc3\xbc\xc3\x9f" },
};

Test(sink_csv, fields_are_quoted_where_they_must_be_and_never_formulas)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		char expected[512];
		struct captured c;

		captured_begin(&c, SINK_CSV);
		send_text(&c, fields[i].text, fields[i].text);
		snprintf(expected, sizeof(expected), HEADER BEFORE "%s,message-send,%s" AFTER, fields[i].field,
			 fields[i].field);
		expect_text(captured_text(&c), expected);
		captured_free(&c);
	}
}

/* Fields of a row, by the grammar of RFC 4180; -1 if it breaks it. */
static int count_fields(const char *row)
{
	int count = 1;

	while (*row != '\n') {
		if (*row == '"') {
			for (row++; *row != '"' || row[1] == '"'; row += *row == '"' ? 2 : 1) {
				if (*row == '\n')
					return -1;
			}
			row++;
			if (*row != ',' && *row != '\n')
				return -1;
		}
		while (*row != ',' && *row != '\n') {
			if (*row++ == '"')
				return -1;
		}
		if (*row == ',') {
			row++;
			count++;
		}
	}
	return count;
}

Test(sink_csv, hostile_texts_keep_the_number_of_rows_and_fields)
{
	struct captured c;
	size_t rows = 0;

	captured_begin(&c, SINK_CSV);
	for (size_t i = 0; i < hostile_count; i++)
		send_text(&c, hostile_texts[i], hostile_texts[hostile_count - 1 - i]);
	for (const char *row = captured_text(&c); *row; row = strchr(row, '\n') + 1, rows++)
		cr_expect(eq(int, count_fields(row), 10), "row %zu", rows);
	cr_expect(eq(sz, rows, hostile_count + 1));
	captured_free(&c);
}

Test(sink_csv, absent_values_are_empty_fields)
{
	struct value values[COLUMNS] = {};
	struct captured c;

	captured_begin(&c, SINK_CSV);
	for (size_t i = 0; i < COLUMNS; i++)
		values[i].is_null = true;
	send_event(&c, values, "");
	expect_text(captured_text(&c), HEADER BEFORE ",message-send,,,,,,\n");
	captured_free(&c);
}

Test(sink_csv, columns_for_people_only_are_left_out)
{
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.columns[TEXT].only_text = true;
	c.columns[PID].only_text = true;
	send_text(&c, "one", "");
	expect_text(captured_text(&c), "time,os_pid,node,probe,number,signed,when,wait\n" BEFORE
				       ",message-send,18446744073709551615,-9223372036854775808,"
				       "1700000000123456789,1250000\n");
	captured_free(&c);
}

Test(sink_csv, a_table_may_leave_out_its_first_column)
{
	struct value cells[COLUMNS];
	struct sink_table table = { .cells = cells, .rows = 1 };
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.columns[TEXT].only_text = true;
	make_values(cells, "one");
	c.sink.ops->table(&c.sink, &table);
	expect_text(captured_text(&c), "number,signed,when,wait,pid" WINDOW "\n"
				       "18446744073709551615,-9223372036854775808,"
				       "1700000000123456789,1250000,<0.91.0>,,,,,\n");
	captured_free(&c);
}

Test(sink_csv, a_file_of_events_has_no_rows_of_another_table)
{
	static const uint64_t sample = 5;
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(&sample, 1, slots);
	struct captured c;

	captured_begin(&c, SINK_CSV);
	send_text(&c, "one", "");
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), HEADER BEFORE ",message-send,one" AFTER);
	captured_free(&c);
}

Test(sink_csv, a_file_of_a_table_has_no_rows_of_a_histogram)
{
	static const uint64_t sample = 5;
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(&sample, 1, slots);
	struct sink_table table = {};
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.sink.ops->table(&c.sink, &table);
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "text,number,signed,when,wait,pid" WINDOW "\n");
	captured_free(&c);
}

Test(sink_csv, what_is_apart_is_a_row_without_bounds)
{
	static const struct sink_note apart = { .name = "late", .count = 3 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(NULL, 0, slots);
	struct captured c;

	hist.apart = &apart;
	captured_begin(&c, SINK_CSV);
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "os_pid,node,key,name,unit,lo,hi,count" WINDOW "\n,,,,late,,,3,,,,,\n");
	captured_free(&c);
}

Test(sink_csv, what_is_below_the_resolution_is_one_row)
{
	static const uint64_t samples[] = { 0, 900, 1500 };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);
	struct captured c;

	hist.resolution_ns = 1088;
	captured_begin(&c, SINK_CSV);
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "os_pid,node,key,name,unit,lo,hi,count" WINDOW "\n"
				       ",,,,ns,0,1087,2,,,,,\n"
				       ",,,,ns,1088,2047,1,,,,,\n");
	captured_free(&c);
}

Test(sink_csv, a_histogram_is_a_row_for_each_bucket_that_is_not_empty)
{
	static const uint64_t samples[] = { 0, 1, 1, 5, 100, UINT64_MAX };
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.sink.ops->hist(&c.sink, &hist);
	hist = hist_of(samples + 3, 1, slots);
	hist.os_id = 4711;
	hist.node = "a,b";
	hist.key = "<0.91.0>";
	hist.name = "x,y";
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "os_pid,node,key,name,unit,lo,hi,count" WINDOW "\n"
				       ",,,,ns,0,0,1,,,,,\n"
				       ",,,,ns,1,1,2,,,,,\n"
				       ",,,,ns,4,7,1,,,,,\n"
				       ",,,,ns,64,127,1,,,,,\n"
				       ",,,,ns,9223372036854775808,18446744073709551615,1,,,,,\n"
				       "4711,\"a,b\",<0.91.0>,\"x,y\",ns,4,7,1,,,,,\n");
	captured_free(&c);
}

Test(sink_csv, a_table_is_rows_below_the_names_of_its_columns)
{
	struct value cells[2 * COLUMNS];
	struct sink_table table = { .cells = cells, .rows = 2 };
	struct captured c;

	captured_begin(&c, SINK_CSV);
	make_values(cells, "one");
	make_values(cells + COLUMNS, "=two");
	c.sink.ops->table(&c.sink, &table);
	expect_text(captured_text(&c), "text,number,signed,when,wait,pid" WINDOW "\none" ROW_END "\"'=two\"" ROW_END);
	captured_free(&c);
}

Test(sink_csv, intervals_and_the_summary_leave_no_trace_among_the_data, .init = cr_redirect_stderr)
{
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.sink.ops->interval(&c.sink, CHECK_TIME);
	c.sink.ops->summary(&c.sink, &check_summary);
	expect_text(captured_text(&c), "");
	captured_free(&c);
	fflush(stderr);
	cr_assert_stderr_eq_str("5 messages went to other nodes\nlost: 7 of 107 events of message-send\n");
}

Test(sink_csv, rows_of_a_sample_say_what_was_watched)
{
	static const uint64_t sample = 5;
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(&sample, 1, slots);
	struct captured c;

	captured_begin(&c, SINK_CSV);
	c.sink.window = check_sample;
	c.sink.ops->hist(&c.sink, &hist);
	c.sink.window.has_rate = false;
	c.sink.ops->hist(&c.sink, &hist);
	expect_text(captured_text(&c), "os_pid,node,key,name,unit,lo,hi,count" WINDOW "\n"
				       ",,,,ns,4,7,1,0.220,7,7650,5100,10300\n"
				       ",,,,ns,4,7,1,0.220,7,,,\n");
	captured_free(&c);
}
