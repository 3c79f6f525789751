// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first line says what all of it is, the second has the titles, the last one the keys, a message, or
 * the filter that is being typed. Everything is drawn anew each time; ncurses sends what has changed.
 */
#include "out/screen.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "out/cell.h"

#define LINES_AROUND 3
#define MAX_WIDTH 512
#define MAX_MESSAGES 32
#define HELP "q quit   < > sort   r reverse   / filter   p pause"

static struct {
	struct sink *sink;
	struct view *view;
	uint64_t most_rows;
	bool is_open;
	bool is_typing;			   /* the filter */
	char typed_over[VIEW_FILTER_SIZE]; /* the filter before */
	char *messages[MAX_MESSAGES];	   /* to be printed at the end */
	size_t message_count;
	struct termios termios; /* as they were */
} screen;

static void keep_message(const char *message)
{
	size_t last = screen.message_count < MAX_MESSAGES ? screen.message_count++ : MAX_MESSAGES - 1;

	free(screen.messages[last]);
	screen.messages[last] = strdup(message);
}

static void fit_rows(void)
{
	uint64_t fit = LINES > LINES_AROUND ? (uint64_t)LINES - LINES_AROUND : 1;

	screen.view->rows = screen.most_rows && screen.most_rows < fit ? screen.most_rows : fit;
}

/* Ctrl-S and Ctrl-Z would leave probes in place, and nobody who sees what they cost. */
static void stop_stopping(void)
{
	struct termios now;

	if (!tcgetattr(STDIN_FILENO, &now)) {
		now.c_iflag &= ~(tcflag_t)IXON;
		now.c_cc[VSUSP] = _POSIX_VDISABLE;
		tcsetattr(STDIN_FILENO, TCSANOW, &now);
	}
	def_prog_mode();
}

int screen_open(struct sink *sink, struct view *view, uint64_t most_rows)
{
	SCREEN *terminal;

	if (tcgetattr(STDIN_FILENO, &screen.termios))
		return -errno;
	setlocale(LC_CTYPE, "");
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return -ENOTTY;
	set_term(terminal);
	cbreak();
	stop_stopping();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	screen.sink = sink;
	screen.view = view;
	screen.most_rows = most_rows;
	screen.is_open = true;
	log_divert(keep_message);
	fit_rows();
	return 0;
}

void screen_close(void)
{
	if (!screen.is_open)
		return;
	screen.is_open = false;
	endwin();
	log_divert(NULL);
	for (size_t i = 0; i < screen.message_count; i++) {
		fprintf(stderr, "%s\n", screen.messages[i] ? screen.messages[i] : "");
		free(screen.messages[i]);
		screen.messages[i] = NULL;
	}
	screen.message_count = 0;
}

void screen_abandon(void)
{
	/* Attributes off, cursor shown, the other screen: the sequences that all of today's terminals take. */
	static const char restore[] = "\033[0m\033[?25h\033[?1l\033>\033[?1049l\r\n";

	if (!screen.is_open)
		return;
	(void)!write(STDOUT_FILENO, restore, sizeof(restore) - 1);
	tcsetattr(STDIN_FILENO, TCSANOW, &screen.termios);
}

/* Drawing. */

static int width_of(const struct column *column)
{
	return abs(column->width);
}

static bool is_shown(const struct column *column)
{
	return column->width != COLUMN_NOT_IN_TEXT;
}

/* The first column of text gets what the others leave. */
static int spare_width(const struct sink_setup *setup)
{
	int used = 0;

	for (size_t i = 0; i < setup->column_count; i++) {
		if (is_shown(&setup->columns[i]))
			used += (width_of(&setup->columns[i]) ? width_of(&setup->columns[i]) : 12) + 1;
	}
	return used < COLS ? COLS - used : 0;
}

/* At most `width` cells of a line, filled up with blanks; a negative width aligns to the left. */
static void put_cell(const char *text, int width)
{
	wchar_t wide[MAX_WIDTH];
	size_t n = mbstowcs(wide, text, MAX_WIDTH - 1), fits = 0;
	int room = abs(width) < MAX_WIDTH ? abs(width) : MAX_WIDTH - 1, cells = 0;

	/* Not of this locale. */
	if (n == (size_t)-1) {
		for (n = 0; n < MAX_WIDTH - 1 && text[n]; n++)
			wide[n] = isascii(text[n]) && isprint(text[n]) ? (wchar_t)text[n] : L'?';
	}
	for (; fits < n; fits++) {
		int w = wcwidth(wide[fits]);

		if (w < 0 || cells + w > room)
			break;
		cells += w;
	}
	if (width > 0)
		printw("%*s", room - cells, "");
	addnwstr(wide, (int)fits);
	if (width < 0)
		printw("%*s", room - cells, "");
}

static void put_columns(const struct value *cells)
{
	const struct sink_setup *setup = &screen.sink->setup;
	int spare = spare_width(setup);
	bool is_first_text = true;

	for (size_t i = 0; i < setup->column_count; i++) {
		const struct column *column = &setup->columns[i];
		int width = column->width ? column->width : -COLS;
		char buf[CELL_SIZE];

		if (!is_shown(column) || getcurx(stdscr) >= COLS - 1)
			continue;
		if (column->type == COLUMN_TEXT && is_first_text) {
			width -= spare;
			is_first_text = false;
		}
		if (width < 0 && getcurx(stdscr) - width >= COLS)
			width = -(COLS - 1 - getcurx(stdscr));
		if (!cells) {
			if (i == screen.view->sort)
				attron(A_BOLD | A_UNDERLINE);
			put_cell(cell_title(column, buf), width);
			attroff(A_BOLD | A_UNDERLINE);
		} else if (column->type == COLUMN_TEXT && !cells[i].is_null) {
			_cleanup_free_ char *safe = text_for_terminal(cells[i].text);

			put_cell(safe ? safe : "?", width);
		} else {
			put_cell(cell_format(column, &cells[i], setup->milliseconds, buf), width);
		}
		if (getcurx(stdscr) < COLS - 1)
			addch(' ');
	}
}

/* A line that does not break, whatever is in it. */
static void put_line(int y, const char *text)
{
	move(y, 0);
	put_cell(text, -(COLS - 1));
}

static void put_head(const struct sink_table *table)
{
	char line[MAX_WIDTH];
	int n = snprintf(line, sizeof(line), "%s", screen.sink->setup.tool);

	for (size_t i = 0; i < table->note_count && n < (int)sizeof(line); i++) {
		const struct sink_note *note = &table->notes[i];

		if (note->text && note->count)
			n += snprintf(line + n, sizeof(line) - (size_t)n, "  %" PRIu64 " %s", note->count,
				      cell_note(note));
	}
	if (screen.view->filter[0] && n < (int)sizeof(line))
		n += snprintf(line + n, sizeof(line) - (size_t)n, "  with \"%s\"", screen.view->filter);
	if (screen.view->is_paused && n < (int)sizeof(line))
		snprintf(line + n, sizeof(line) - (size_t)n, "  paused");
	put_line(0, line);
}

static void put_foot(void)
{
	const char *message = screen.message_count ? screen.messages[screen.message_count - 1] : NULL;
	char line[MAX_WIDTH];

	if (screen.is_typing)
		snprintf(line, sizeof(line), "rows with: %s_   (Enter: keep, Esc: back)", screen.view->filter);
	else
		snprintf(line, sizeof(line), HELP "%s%s", message ? "   | " : "", message ? message : "");
	attron(A_BOLD);
	put_line(LINES - 1, line);
	attroff(A_BOLD);
}

static void screen_table(struct sink *sink, const struct sink_table *table)
{
	if (!screen.is_open)
		return;
	erase();
	put_head(table);
	attron(A_REVERSE);
	move(1, 0);
	put_columns(NULL);
	attroff(A_REVERSE);
	for (size_t i = 0; i < table->rows && i + LINES_AROUND < (size_t)LINES; i++) {
		move((int)i + 2, 0);
		put_columns(table->cells + i * sink->setup.column_count);
	}
	put_foot();
	refresh();
}

/* Keys. */

static void sort_by_next(int step)
{
	const struct sink_setup *setup = &screen.sink->setup;
	size_t count = setup->column_count, at = screen.view->sort;

	do {
		at = (at + count + (size_t)step) % count;
	} while (!is_shown(&setup->columns[at]));
	screen.view->sort = at;
	screen.view->is_reversed = false;
}

static void type(int key)
{
	char *filter = screen.view->filter;
	size_t n = strlen(filter);

	if (key == '\n' || key == KEY_ENTER) {
		screen.is_typing = false;
	} else if (key == 27) {
		screen.is_typing = false;
		strcpy(filter, screen.typed_over);
	} else if (key == KEY_BACKSPACE || key == 127 || key == 8) {
		/* A character may have several bytes. */
		while (n && ((unsigned char)filter[n - 1] & 0xc0) == 0x80)
			n--;
		filter[n ? n - 1 : 0] = '\0';
	} else if (key >= ' ' && key < 256 && n + 1 < VIEW_FILTER_SIZE) {
		filter[n] = (char)key;
		filter[n + 1] = '\0';
	}
}

static enum screen_request press(int key)
{
	if (key == KEY_RESIZE) {
		fit_rows();
		return SCREEN_SHOW;
	}
	if (screen.is_typing) {
		type(key);
		return SCREEN_SHOW;
	}
	switch (key) {
	case 'q': return SCREEN_QUIT;
	case '<':
	case KEY_LEFT: sort_by_next(-1); return SCREEN_SHOW;
	case '>':
	case KEY_RIGHT: sort_by_next(1); return SCREEN_SHOW;
	case 'r': screen.view->is_reversed = !screen.view->is_reversed; return SCREEN_SHOW;
	case 'p':
	case ' ': screen.view->is_paused = !screen.view->is_paused; return SCREEN_SHOW;
	case '/':
		screen.is_typing = true;
		strcpy(screen.typed_over, screen.view->filter);
		return SCREEN_SHOW;
	default: return SCREEN_NOTHING;
	}
}

enum screen_request screen_keys(void)
{
	enum screen_request request = SCREEN_NOTHING;
	int key;

	while (screen.is_open && request != SCREEN_QUIT && (key = getch()) != ERR) {
		enum screen_request now = press(key);

		request = now != SCREEN_NOTHING ? now : request;
	}
	return request;
}

/* The rest of a sink. */

static void screen_interval(struct sink *sink, uint64_t time_ns)
{
	(void)sink;
	(void)time_ns;
}

static void screen_summary(struct sink *sink, const struct sink_summary *summary)
{
	screen_close();
	sink_text.summary(sink, summary);
}

const struct sink_ops sink_screen = {
	.interval = screen_interval,
	.table = screen_table,
	.summary = screen_summary,
};
