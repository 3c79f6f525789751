// SPDX-License-Identifier: BSD-2-Clause
#include "out/draw_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "out/cell.h"
#include "out/draw.h"

#define TEXT_WIDTH 12 /* of a column that has no width */

static bool may_be_shown(const struct column *column)
{
	return column->screen.width || column->width != COLUMN_NOT_IN_TEXT;
}

static int width_of(const struct column *column)
{
	if (column->screen.width)
		return column->screen.width;
	return column->width ? column->width : -TEXT_WIDTH;
}

static int width_of_all(const struct sink_setup *setup, const struct draw_layout *layout)
{
	int sum = 0;

	for (size_t i = 0; i < setup->column_count; i++)
		sum += layout->widths[i] ? abs(layout->widths[i]) + 1 : 0;
	/* The last one needs no blank behind it, and the last cell of a line is not written to. */
	return sum;
}

/* The shown column that can best be done without; column_count: all are needed. */
static size_t least_important(const struct sink_setup *setup, const struct draw_layout *layout)
{
	size_t found = setup->column_count;
	unsigned char rank = 0;

	for (size_t i = 0; i < setup->column_count; i++) {
		if (layout->widths[i] && setup->columns[i].screen.rank > rank) {
			rank = setup->columns[i].screen.rank;
			found = i;
		}
	}
	return found;
}

/* The first column of text gets what the others leave. */
static void spread(const struct sink_setup *setup, int spare, struct draw_layout *layout)
{
	for (size_t i = 0; spare > 0 && i < setup->column_count; i++) {
		if (setup->columns[i].type == COLUMN_TEXT && layout->widths[i]) {
			layout->widths[i] -= spare;
			return;
		}
	}
}

void draw_layout_make(const struct sink_setup *setup, int width, struct draw_layout *layout)
{
	size_t least;

	*layout = (struct draw_layout){};
	for (size_t i = 0; i < setup->column_count && i < DRAW_MAX_COLUMNS; i++)
		layout->widths[i] = may_be_shown(&setup->columns[i]) ? width_of(&setup->columns[i]) : 0;
	while (width_of_all(setup, layout) > width && (least = least_important(setup, layout)) < setup->column_count)
		layout->widths[least] = 0;
	spread(setup, width - width_of_all(setup, layout), layout);
}

/* What is left of the line for a cell of that width. */
static int fitting(int width)
{
	int room = COLS - 1 - getcurx(stdscr);

	if (abs(width) <= room)
		return width;
	return width < 0 ? -room : room;
}

void draw_titles(const struct sink_setup *setup, const struct draw_layout *layout, int y, size_t sort)
{
	attron(A_REVERSE);
	draw_line(y, "");
	move(y, 0);
	for (size_t i = 0; i < setup->column_count; i++) {
		char buf[CELL_SIZE];

		if (!layout->widths[i] || getcurx(stdscr) >= COLS - 1)
			continue;
		if (i == sort)
			attron(A_BOLD | A_UNDERLINE);
		draw_cell(cell_title(&setup->columns[i], buf), fitting(layout->widths[i]));
		attroff(A_BOLD | A_UNDERLINE);
		if (getcurx(stdscr) < COLS - 1)
			addch(' ');
	}
	attroff(A_REVERSE);
}

char *draw_value(const struct sink_setup *setup, size_t column, const struct value *value)
{
	const struct column *of = &setup->columns[column];
	char buf[CELL_SIZE], text[CELL_SIZE + 1];

	if (of->type == COLUMN_TEXT && !value->is_null)
		return text_for_terminal(value->text);
	if (!of->screen.is_human || value->is_null)
		return strdup(cell_format(of, value, setup->milliseconds, buf));
	snprintf(text, sizeof(text), "%s", cell_human(value->number, of->screen.is_bytes, buf));
	return strdup(text);
}

static enum draw_color color_of(const struct column *column, const struct value *value)
{
	const struct column_screen *screen = &column->screen;

	if (value->is_null || column->type == COLUMN_TEXT)
		return DRAW_PLAIN;
	if (screen->alarm && value->number >= screen->alarm)
		return DRAW_ALARM;
	return screen->warn && value->number >= screen->warn ? DRAW_WARN : DRAW_PLAIN;
}

void draw_row(const struct sink_setup *setup, const struct draw_layout *layout, int y, const struct value *cells,
	      bool is_selected)
{
	if (is_selected)
		attron(A_REVERSE);
	draw_line(y, "");
	move(y, 0);
	for (size_t i = 0; i < setup->column_count; i++) {
		_cleanup_free_ char *text = NULL;

		if (!layout->widths[i] || getcurx(stdscr) >= COLS - 1)
			continue;
		text = draw_value(setup, i, &cells[i]);
		draw_color(is_selected ? DRAW_PLAIN : color_of(&setup->columns[i], &cells[i]));
		draw_cell(text ? text : "?", fitting(layout->widths[i]));
		draw_color(DRAW_PLAIN);
		if (getcurx(stdscr) < COLS - 1)
			addch(' ');
	}
	attroff(A_REVERSE);
}
