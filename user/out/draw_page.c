// SPDX-License-Identifier: BSD-2-Clause
#include "out/draw_page.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "out/draw.h"
#include "out/draw_table.h"

#define TITLE_WIDTH 17

static const struct {
	const char *keys, *what;
} help[] = {
	{ "Up Down PgUp PgDn", "select a row" },
	{ "Home End", "the first row, the last row" },
	{ "Enter", "open the selected process: stack, messages, senders, links" },
	{ "Esc", "back to the table" },
	{ "< > Left Right", "sort by another column" },
	{ "r", "reverse the order" },
	{ "/", "filter: show rows that contain a text" },
	{ "i", "hide or show rows that did nothing in the interval" },
	{ "t", "group the rows by node, by registered ancestor, or not" },
	{ "p Space", "pause or continue" },
	{ "?", "this help" },
	{ "q", "quit; on the page of a process or in the help: back" },
};

/* Where lines are drawn: those that are scrolled over, or have no room, are only counted. */
struct place {
	int top;
	size_t first, count;
};

static void put(struct place *place, const char *title, const char *text)
{
	size_t at = place->count++;

	if (at < place->first || (int)(at - place->first) >= LINES - 1 - place->top)
		return;
	move(place->top + (int)(at - place->first), 0);
	draw_color(DRAW_DIM);
	draw_cell(title, -TITLE_WIDTH);
	draw_color(DRAW_PLAIN);
	addch(' ');
	draw_cell(text, -(COLS - 2 - TITLE_WIDTH));
}

size_t draw_page(const struct sink_setup *setup, const struct sink_table *table, int y, size_t first)
{
	const struct panel *panel = table->panel;
	struct place place = { .top = y, .first = first };

	for (size_t i = 0; table->rows && i < setup->column_count; i++) {
		_cleanup_free_ char *text = draw_value(setup, i, &table->cells[i]);

		put(&place, setup->columns[i].name, text ? text : "?");
	}
	for (size_t i = 0; i < panel->line_count; i++) {
		_cleanup_free_ char *text = text_for_terminal(panel->lines[i].text);

		put(&place, panel->lines[i].title, text ? text : "?");
	}
	return place.count;
}

size_t draw_help(int y, size_t first)
{
	struct place place = { .top = y, .first = first };

	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++)
		put(&place, help[i].keys, help[i].what);
	return place.count;
}
