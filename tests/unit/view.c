// SPDX-License-Identifier: BSD-2-Clause
/* Which rows of a large table are shown, and in which order, against sorting all of them. */
#include "out/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "erl.h"

enum { PID, NAME, REDS, DELTA, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -14, false },
	[NAME] = { "name", COLUMN_TEXT, -32, false },
	[REDS] = { "reds", COLUMN_NUMBER, 10, false },
	[DELTA] = { "delta", COLUMN_SIGNED, 10, false },
};

struct row {
	bool is_empty;
	const char *name; /* NULL: not known */
	uint64_t reds;
	bool knows_reds;
	int64_t delta;
};

static bool has_row(void *data, size_t row)
{
	return !((struct row *)data)[row].is_empty;
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	const struct row *r = (struct row *)data + row;

	switch (column) {
	case PID: return (struct value){ .number = erl_id_make(ERL_ID_LOCAL, 100 + row, 0) };
	case NAME:
		/* As a tool does that makes its texts when they are asked for. */
		snprintf(buf, VIEW_TEXT_SIZE, "%s", r->name ? r->name : "");
		return (struct value){ .is_null = !r->name, .text = buf };
	case REDS: return (struct value){ .is_null = !r->knows_reds, .number = r->reds };
	default: return (struct value){ .signed_number = r->delta };
	}
}

static struct row fruits[] = {
	{ .name = "pear", .reds = 5, .knows_reds = true, .delta = -3 },
	{ .name = "apple", .reds = UINT64_MAX, .knows_reds = true, .delta = 2 },
	{ .is_empty = true, .name = "ghost", .reds = 99, .knows_reds = true, .delta = 99 },
	{ .name = NULL, .reds = 7, .knows_reds = true, .delta = 0 },
	{ .name = "fig", .delta = INT64_MIN },
	{ .name = "apple", .reds = 5, .knows_reds = true, .delta = 2 },
};

/* The rows that the view shows of the fruits, as digits. */
static const char *shown(struct view view)
{
	static char text[16];
	struct view_source source = { COUNT(fruits), fruits, has_row, cell, NULL };
	size_t picked[COUNT(fruits)];
	long n;

	view.rows = view.rows ? view.rows : COUNT(fruits);
	n = view_pick(&view, columns, COLUMNS, &source, picked, NULL);
	cr_assert(ge(long, n, 0));
	for (long i = 0; i < n; i++)
		text[i] = (char)('0' + picked[i]);
	text[n] = '\0';
	return text;
}

Test(view, large_numbers_come_first_and_unknown_ones_last)
{
	expect_text(shown((struct view){ .sort = REDS }), "13054");
	expect_text(shown((struct view){ .sort = REDS, .is_reversed = true }), "05314");
	expect_text(shown((struct view){ .sort = DELTA }), "15304");
}

static uint64_t weight(void *data, size_t row)
{
	(void)data;
	return row;
}

Test(view, of_rows_that_sort_alike_those_of_more_weight_come_first)
{
	struct view view = { .sort = REDS, .rows = COUNT(fruits) };
	struct view_source source = { COUNT(fruits), fruits, has_row, cell, weight };
	size_t picked[COUNT(fruits)];

	cr_assert(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, NULL), 5));
	cr_expect(eq(sz, picked[2], 5));
	cr_expect(eq(sz, picked[3], 0));
}

Test(view, texts_are_in_the_order_of_a_dictionary)
{
	expect_text(shown((struct view){ .sort = NAME }), "15403");
	expect_text(shown((struct view){ .sort = NAME, .is_reversed = true }), "04153");
	expect_text(shown((struct view){ .sort = PID }), "01345");
}

Test(view, a_filter_looks_into_texts_and_pids)
{
	expect_text(shown((struct view){ .sort = PID, .filter = "p" }), "015");
	expect_text(shown((struct view){ .sort = PID, .filter = "apple" }), "15");
	expect_text(shown((struct view){ .sort = PID, .filter = ".104." }), "4");
	expect_text(shown((struct view){ .sort = PID, .filter = "ghost" }), "");
	expect_text(shown((struct view){ .sort = PID, .filter = "APPLE" }), "");
}

Test(view, no_more_rows_are_shown_than_wanted)
{
	expect_text(shown((struct view){ .sort = REDS, .rows = 2 }), "13");
	expect_text(shown((struct view){ .sort = NAME, .rows = 1, .filter = "fig" }), "4");
}

Test(view, an_empty_table_shows_nothing)
{
	struct view_source source = { 0, NULL, has_row, cell, NULL };
	struct view view = { .rows = 10 };
	size_t picked[10];

	cr_expect(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, NULL), 0));
	view.rows = 0;
	source = (struct view_source){ COUNT(fruits), fruits, has_row, cell, NULL };
	cr_expect(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, NULL), 0));
}

static bool is_idle(void *data, size_t row)
{
	return !((struct row *)data)[row].knows_reds;
}

static uint64_t group(void *data, size_t row)
{
	(void)data;
	return row < 3;
}

Test(view, rows_are_hidden_that_are_idle_and_all_others_are_counted)
{
	struct view view = { .sort = REDS, .rows = 2, .hides_idle = true };
	struct view_source source = { COUNT(fruits), fruits, has_row, cell, .is_idle = is_idle };
	size_t picked[2], matching;

	cr_assert(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, &matching), 2));
	cr_expect(eq(sz, matching, 4));
	view.hides_idle = false;
	view_pick(&view, columns, COLUMNS, &source, picked, &matching);
	cr_expect(eq(sz, matching, 5));
}

Test(view, groups_stay_together_whatever_the_order)
{
	struct view view = { .sort = REDS, .rows = COUNT(fruits), .grouping = VIEW_BY_NODE };
	struct view_source source = { COUNT(fruits), fruits, has_row, cell, .group = group };
	size_t picked[COUNT(fruits)];
	static const size_t wanted[] = { 3, 5, 4, 1, 0 };

	cr_assert(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, NULL), 5));
	for (size_t i = 0; i < COUNT(wanted); i++)
		cr_expect(eq(sz, picked[i], wanted[i]));
	view.is_reversed = true;
	view_pick(&view, columns, COLUMNS, &source, picked, NULL);
	cr_expect(ge(sz, picked[0], 3));
	cr_expect(lt(sz, picked[4], 3));
}

Test(view, a_page_ends_with_the_last_row)
{
	struct view view = { .rows = 10 };

	cr_expect(eq(sz, view_first(&view, 100), 0));
	view.first = 85;
	cr_expect(eq(sz, view_first(&view, 100), 85));
	view.first = 95;
	cr_expect(eq(sz, view_first(&view, 100), 90));
	cr_expect(eq(sz, view_first(&view, 3), 0));
}

Test(view, columns_are_found_by_name)
{
	size_t column = 99;

	cr_expect(eq(int, view_find_column(columns, COLUMNS, "delta", &column), 0));
	cr_expect(eq(sz, column, DELTA));
	cr_expect(eq(int, view_find_column(columns, COLUMNS, "Delta", &column), -ENOENT));
	cr_expect(eq(sz, column, DELTA));
}

#define MANY 5000

static struct row many[MANY];

static int by_reds(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	if (many[*x].reds != many[*y].reds)
		return many[*x].reds < many[*y].reds ? 1 : -1;
	return *x < *y ? -1 : 1;
}

Test(view, the_best_of_many_rows_are_those_that_sorting_all_of_them_gives)
{
	struct view_source source = { MANY, many, has_row, cell, NULL };
	uint64_t state = 42;
	size_t all[MANY], picked[MANY];

	for (size_t i = 0; i < MANY; i++) {
		/* Many rows are alike. */
		many[i] = (struct row){ .reds = check_random(&state) % 500, .knows_reds = true };
		all[i] = i;
	}
	qsort(all, MANY, sizeof(*all), by_reds);
	for (size_t rows = 1; rows <= MANY; rows = rows * 3 + 1) {
		struct view view = { .sort = REDS, .rows = rows };

		cr_assert(eq(long, view_pick(&view, columns, COLUMNS, &source, picked, NULL), (long)rows));
		cr_expect(eq(int, memcmp(picked, all, rows * sizeof(*all)), 0), "the best %zu", rows);
	}
}
