// SPDX-License-Identifier: BSD-2-Clause
/*
 * On a low terminal a bar is one character; on a high one bars of the first kind have lines of their own, if these are
 * few. Facts stand after the name of the tool, after the bars, and on as many lines below them as the terminal can
 * spare. Those that have no room are left out, the least important first.
 */
#include "out/draw_head.h"

#include <stdio.h>
#include <string.h>

#include "out/draw.h"

#define TALL 30 /* lines from which on the terminal is a high one */
#define BAR_WIDTH 20
#define MOST_BAR_LINES 4
#define ROOMY 20	/* lines from which on it can spare one for facts, and a high one two */
#define MOST_COMPACT 64 /* bars of a kind, as characters */

static size_t bars_beside(void)
{
	return COLS / BAR_WIDTH > 1 ? (size_t)(COLS / BAR_WIDTH) : 1;
}

/* Bars of the kind that is first. */
static size_t first_kind(const struct panel *panel)
{
	size_t count = 0;

	while (count < panel->bar_count && panel->bars[count].kind == panel->bars[0].kind)
		count++;
	return count;
}

/* Lines for bars of the first kind, 0: they are characters, as others are. */
static int bar_lines(const struct panel *panel)
{
	size_t lines = (first_kind(panel) + bars_beside() - 1) / bars_beside();

	return LINES >= TALL && lines <= MOST_BAR_LINES ? (int)lines : 0;
}

/* "12[|||||      43%]" */
static void draw_bar(const struct panel_bar *bar, size_t number)
{
	char text[BAR_WIDTH], label[8];
	int room = BAR_WIDTH - 9, full;

	full = (int)(bar->permille * (unsigned int)room / 1000);
	full = full > room ? room : full;
	snprintf(label, sizeof(label), "%.2s%zu", bar->kind, number % 10000);
	draw_cell(label, 4);
	addch('[');
	draw_color(bar->permille >= 900 ? DRAW_ALARM : bar->permille >= 600 ? DRAW_WARN : DRAW_GOOD);
	for (int i = 0; i < room; i++)
		addch(i < full ? '|' : ' ');
	draw_color(DRAW_PLAIN);
	snprintf(text, sizeof(text), "%u%%", bar->permille / 10);
	draw_cell(text, 4 - 1);
	addch(']');
}

static void draw_bars(const struct panel *panel, int y)
{
	for (size_t i = 0; i < first_kind(panel); i++) {
		move(y + (int)(i / bars_beside()), (int)(i % bars_beside()) * BAR_WIDTH);
		draw_bar(&panel->bars[i], i + 1);
	}
}

/* "sched 43% [blocks]": the mean, and each as a character. */
static size_t draw_kind(const struct panel *panel, size_t from)
{
	size_t to = from;
	uint64_t sum = 0;

	for (; to < panel->bar_count && panel->bars[to].kind == panel->bars[from].kind; to++)
		sum += panel->bars[to].permille;
	printw("%s %u%% ", panel->bars[from].kind, (unsigned int)(sum / (to - from) / 10));
	for (size_t i = from; i < to && i - from < MOST_COMPACT && getcurx(stdscr) < COLS - 2; i++)
		draw_block(panel->bars[i].permille);
	addstr("  ");
	return to;
}

static void draw_compact(const struct panel *panel, size_t from, int y)
{
	move(y, 0);
	for (size_t i = from; i < panel->bar_count && getcurx(stdscr) < COLS - 16;)
		i = draw_kind(panel, i);
}

/* From the cursor on, as many as fit. Returns which one comes next. */
static size_t draw_facts(const struct panel *panel, size_t from)
{
	size_t i = from;

	for (; i < panel->fact_count; i++) {
		int length = (int)strlen(panel->facts[i].text);

		if (getcurx(stdscr) + length >= COLS)
			break;
		draw_color(panel->facts[i].is_alarming ? DRAW_ALARM : DRAW_PLAIN);
		addstr(panel->facts[i].text);
		draw_color(DRAW_PLAIN);
		if (getcurx(stdscr) + 2 < COLS)
			addstr("  ");
	}
	return i;
}

/* Lines of facts below the bars. A line that was needed once stays: numbers that become shorter do not move the rows.
 */
static int fact_lines(const struct panel *panel, size_t next, int y)
{
	static int lines, of_columns, of_lines;
	int spare = LINES >= TALL ? 2 : LINES >= ROOMY ? 1 : 0, used = 0;

	if (of_columns != COLS || of_lines != LINES)
		lines = 0;
	of_columns = COLS;
	of_lines = LINES;
	for (; used < spare && next < panel->fact_count; used++) {
		move(y + used, 0);
		next = draw_facts(panel, next);
	}
	lines = used > lines ? used : lines;
	return lines;
}

int draw_head(const struct panel *panel, const char *first)
{
	int bars = bar_lines(panel), y = 1;
	size_t next = 0;

	draw_line(0, first);
	if (!panel->bar_count && !panel->fact_count)
		return 1;
	if ((int)strlen(first) + 2 < COLS) {
		move(0, (int)strlen(first) + 2);
		next = draw_facts(panel, next);
	}
	if (bars)
		draw_bars(panel, y);
	y += bars;
	draw_compact(panel, bars ? first_kind(panel) : 0, y);
	next = draw_facts(panel, next);
	y++;
	return y + fact_lines(panel, next, y);
}
