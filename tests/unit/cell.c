// SPDX-License-Identifier: BSD-2-Clause
/* Cells of tables as people read them, and what is said of a table as a whole. */
#include "out/cell.h"

#include <string.h>

#include "check.h"
#include "erl.h"

static const char *formatted(enum column_type type, struct value value)
{
	static char buf[CELL_SIZE];
	struct column column = { .name = "it", .type = type };

	return cell_format(&column, &value, false, buf);
}

Test(cell, values_are_short)
{
	expect_text(formatted(COLUMN_NUMBER, (struct value){ .number = UINT64_MAX }), "18446744073709551615");
	expect_text(formatted(COLUMN_SIGNED, (struct value){ .signed_number = -7 }), "-7");
	expect_text(formatted(COLUMN_DURATION, (struct value){ .number = 1250000 }), "1.25ms");
	expect_text(formatted(COLUMN_DECIMAL, (struct value){ .number = 99951 }), "100.0");
	expect_text(formatted(COLUMN_DECIMAL, (struct value){ .number = 1049 }), "1.0");
	expect_text(formatted(COLUMN_PID, (struct value){ .number = erl_id_make(ERL_ID_LOCAL, 91, 2) }), "<0.91.2>");
}

Test(cell, large_numbers_have_units)
{
	static const struct {
		uint64_t number;
		bool is_bytes;
		const char *text;
	} rows[] = {
		{ 0, false, "0" },
		{ 999, false, "999" },
		{ 1000, false, "1.0k" },
		{ 12345, false, "12.3k" },
		{ 99949, false, "99.9k" },
		{ 99950, false, "100k" },
		{ 999499, false, "999k" },
		{ 999500, false, "1.0M" },
		{ 4500000000, false, "4.5G" },
		{ 1024, true, "1.0K" },
		{ 999, true, "999" },
		{ 12ull << 20, true, "12.0M" },
		{ UINT64_MAX, false, "18.4E" },
		{ UINT64_MAX, true, "16.0E" },
	};
	char buf[CELL_SIZE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect_text(cell_human(rows[i].number, rows[i].is_bytes, buf), rows[i].text);
}

Test(cell, titles_are_names_in_capitals)
{
	struct column column = { .name = "os_pid" };
	char buf[CELL_SIZE];

	expect_text(cell_title(&column, buf), "OS_PID");
}

enum { NAME, SHARE, HIDDEN, COLUMNS };

static const struct column columns[COLUMNS] = {
	[NAME] = { "name", COLUMN_TEXT, -8, false },
	[SHARE] = { "share", COLUMN_DECIMAL, 6, false },
	[HIDDEN] = { "hidden", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
};

static const struct value cells[COLUMNS] = {
	[NAME] = { .text = "one" },
	[SHARE] = { .number = 12345 },
	[HIDDEN] = { .number = 42 },
};

static const struct sink_note notes[] = {
	{ .name = "all", .text = "rows in all", .count = 3 },
	{ .name = "took_ns", .count = 17 },
	{ .name = "missed", .text = "rows were missed", .count = 0 },
};

static const char *table_in(enum sink_format format)
{
	static char text[1024];
	const struct sink_table table = {
		.cells = cells,
		.rows = 1,
		.notes = notes,
		.note_count = COUNT(notes),
	};
	struct sink_setup setup = { .tool = "check", .columns = columns, .column_count = COLUMNS };
	struct sink sink = {};

	memset(text, 0, sizeof(text));
	setup.to = fmemopen(text, sizeof(text), "w");
	cr_assert(ne(ptr, setup.to, NULL));
	sink_init(&sink, format, &setup);
	sink.ops->table(&sink, &table);
	fclose(setup.to);
	return text;
}

Test(cell, a_table_says_what_it_is_of_and_hides_what_is_for_programs)
{
	expect_text(table_in(SINK_TEXT), "3 rows in all\nNAME      SHARE\none        12.3\n");
	expect_text(table_in(SINK_JSON),
		    "{\"schema\":1,\"type\":\"table\",\"tool\":\"check\",\"all\":3,\"took_ns\":17,\"missed\":0,"
		    "\"rows\":[{\"name\":\"one\",\"share\":12.345,\"hidden\":42}]}\n");
	expect_text(table_in(SINK_CSV),
		    "name,share,hidden,watched_s,windows,rate,rate_low,rate_high\none,12.345,42,,,,,\n");
}
