// SPDX-License-Identifier: BSD-2-Clause
#include "out/draw.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define MAX_WIDTH 512

static bool has_color;

void draw_begin(void)
{
	static const short colors[DRAW_COLORS] = { -1, COLOR_GREEN, COLOR_YELLOW, COLOR_RED, COLOR_CYAN };
	const char *refused = getenv("NO_COLOR");

	has_color = !(refused && *refused) && has_colors() && start_color() != ERR && use_default_colors() != ERR;
	for (short i = 1; has_color && i < DRAW_COLORS; i++)
		init_pair(i, colors[i], -1);
}

void draw_color(enum draw_color color)
{
	attroff(A_BOLD);
	if (has_color)
		color_set((short)color, NULL);
	else if (color == DRAW_ALARM)
		attron(A_BOLD);
}

/* How many of the characters fit, without the one that `room` cuts. */
static size_t count_fitting(const wchar_t *wide, size_t n, int room)
{
	size_t fits = 0;

	for (int cells = 0; fits < n; fits++) {
		int w = wcwidth(wide[fits]);

		if (w < 0 || cells + w > room)
			break;
		cells += w;
	}
	return fits;
}

/* Up to the end of the last word that is not cut; all, if that would be nothing. */
static size_t cut_at_word(const wchar_t *wide, size_t fits)
{
	size_t at = fits;

	while (at && wide[at] != L' ')
		at--;
	while (at && wide[at - 1] == L' ')
		at--;
	return at ? at : fits;
}

static void draw_text(const char *text, int width, bool whole_words)
{
	wchar_t wide[MAX_WIDTH];
	size_t n = mbstowcs(wide, text, MAX_WIDTH - 1), fits;
	int room = abs(width) < MAX_WIDTH ? abs(width) : MAX_WIDTH - 1, cells = 0;

	/* Not of this locale. */
	if (n == (size_t)-1) {
		for (n = 0; n < MAX_WIDTH - 1 && text[n]; n++)
			wide[n] = isascii(text[n]) && isprint(text[n]) ? (wchar_t)text[n] : L'?';
	}
	fits = count_fitting(wide, n, room);
	if (whole_words && fits < n)
		fits = cut_at_word(wide, fits);
	for (size_t i = 0; i < fits; i++)
		cells += wcwidth(wide[i]);
	if (width > 0)
		printw("%*s", room - cells, "");
	addnwstr(wide, (int)fits);
	if (width < 0)
		printw("%*s", room - cells, "");
}

void draw_cell(const char *text, int width)
{
	draw_text(text, width, false);
}

void draw_line(int y, const char *text)
{
	move(y, 0);
	draw_text(text, -(COLS - 1), true);
}

void draw_block(unsigned int permille)
{
	static const wchar_t blocks[] = L"\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
	wchar_t block = permille ? blocks[permille >= 1000 ? 7 : permille * 8 / 1000] : L'_';

	draw_color(permille >= 900 ? DRAW_ALARM : permille >= 600 ? DRAW_WARN : DRAW_GOOD);
	/* A locale of single bytes has no such characters. */
	if (MB_CUR_MAX > 1)
		addnwstr(&block, 1);
	else
		addch((chtype)(permille >= 1000 ? '9' : '0' + permille / 100));
	draw_color(DRAW_PLAIN);
}
