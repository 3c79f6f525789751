// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first lines say what all of it is (draw_head.h); below them are the titles and the rows (draw_table.h), or what
 * is shown instead (draw_page.h); the last line has the keys, a message, or the filter that is being typed. Everything
 * is drawn anew each time; ncurses sends what has changed.
 */
#include "out/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "out/cell.h"
#include "out/draw.h"
#include "out/draw_head.h"
#include "out/draw_page.h"
#include "out/draw_table.h"
#include "out/panel.h"

#define MAX_WIDTH 512
#define MAX_MESSAGES 32
#define TABLE_KEYS "q quit   ? help   < > sort   / filter   Enter open   p pause"
#define PAGE_KEYS "Esc back   ? help   Up Down scroll   p pause"
#define ESCAPE 27

static struct {
	struct sink *sink;
	struct view *view;
	uint64_t most_rows;
	bool is_open;
	bool is_typing;			   /* the filter */
	char typed_over[VIEW_FILTER_SIZE]; /* the filter before */
	bool has_help;			   /* instead of what else there is */
	size_t scrolled, page_lines;	   /* of a page or the help */
	struct view_key selected;	   /* the row; the cursor follows it while it is on the screen */
	bool is_pinned;			   /* else the cursor is where it is, whichever row that is */
	bool is_moving;			   /* a key has moved it: the row that is there is selected */
	size_t cursor;			   /* line within the rows */
	size_t rows, matching;		   /* that are shown, and that there are */
	struct draw_layout layout;
	int head_lines, group_lines;  /* of the table that was drawn last */
	char *messages[MAX_MESSAGES]; /* to be printed at the end */
	size_t message_count;
	struct termios termios; /* as they were */
} screen;

static void keep_message(const char *message)
{
	size_t last = screen.message_count < MAX_MESSAGES ? screen.message_count++ : MAX_MESSAGES - 1;

	free(screen.messages[last]);
	screen.messages[last] = strdup(message);
}

/* Beside the rows are the header, the titles and the line of keys. */
static void fit_rows(void)
{
	int around = screen.head_lines + screen.group_lines + 2;
	uint64_t fit = LINES > around ? (uint64_t)(LINES - around) : 1;

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
	draw_begin();
	screen.sink = sink;
	screen.head_lines = 2;
	view->has_screen = true;
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

/* `line` has MAX_WIDTH bytes, of which n are used. Returns how many are then. */
static int add_text(char *line, int n, const char *text)
{
	if (n < MAX_WIDTH)
		n += snprintf(line + n, (size_t)(MAX_WIDTH - n), "  %s", text);
	return n;
}

/* What stands first: it must not be missing. */
static void describe(const struct sink_table *table, char line[MAX_WIDTH])
{
	char text[MAX_WIDTH / 2];
	int n = snprintf(line, MAX_WIDTH, "%s", screen.sink->setup.tool);

	if (screen.view->is_paused)
		n = add_text(line, n, "paused");
	if (screen.view->filter[0]) {
		snprintf(text, sizeof(text), "with \"%s\"", screen.view->filter);
		n = add_text(line, n, text);
	}
	if (screen.view->hides_idle)
		n = add_text(line, n, "not idle");
	if (screen.view->grouping == VIEW_BY_FAMILY)
		n = add_text(line, n, "by ancestor");
	for (size_t i = 0; i < table->note_count; i++) {
		const struct sink_note *note = &table->notes[i];

		if (!note->text || !note->count)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", note->count, cell_note(note));
		n = add_text(line, n, text);
	}
}

static bool has_page(void)
{
	return screen.has_help || screen.view->is_open;
}

static void put_foot(void)
{
	const char *message = screen.message_count ? screen.messages[screen.message_count - 1] : NULL;
	const char *keys = has_page() ? PAGE_KEYS : TABLE_KEYS;
	char line[MAX_WIDTH];

	if (screen.is_typing)
		snprintf(line, sizeof(line), "rows with: %s_   (Enter: keep, Esc: back)", screen.view->filter);
	else
		snprintf(line, sizeof(line), "%s%s%s", keys, message ? "   | " : "", message ? message : "");
	attron(A_BOLD);
	draw_line(LINES - 1, line);
	attroff(A_BOLD);
}

static bool is_selected(const struct view_key *key)
{
	return key->id == screen.selected.id && key->os_id == screen.selected.os_id;
}

/* The cursor follows its row while that is on the screen; else another row comes to it. */
static void place_cursor(const struct sink_table *table)
{
	const struct view_key *keys = table->panel ? table->panel->keys : NULL;

	screen.rows = table->rows;
	screen.matching = table->panel ? table->panel->matching : table->rows;
	screen.view->first = table->panel ? table->panel->first : 0;
	if (!table->rows || !keys)
		return;
	for (size_t i = 0; screen.is_pinned && !screen.is_moving && i < table->rows; i++) {
		if (is_selected(&keys[i]))
			screen.cursor = i;
	}
	if (screen.cursor >= table->rows)
		screen.cursor = table->rows - 1;
	screen.selected = keys[screen.cursor];
	screen.is_moving = false;
}

/* Is the row the first of its group, of those that are shown? */
static bool begins_group(const struct sink_table *table, size_t row)
{
	const char *const *groups = table->panel ? table->panel->groups : NULL;

	return groups && (!row || groups[row] != groups[row - 1]);
}

static void put_group(const char *title, int y)
{
	_cleanup_free_ char *text = text_for_terminal(title);

	draw_color(DRAW_DIM);
	draw_line(y, text ? text : "?");
	draw_color(DRAW_PLAIN);
}

static void put_rows(const struct sink_table *table, int y)
{
	const struct sink_setup *setup = &screen.sink->setup;
	int groups = 0;

	draw_layout_make(setup, COLS, &screen.layout);
	draw_titles(setup, &screen.layout, y++, screen.view->sort);
	for (size_t i = 0; i < table->rows && y < LINES - 1; i++) {
		const struct value *cells = table->cells + i * setup->column_count;

		if (begins_group(table, i)) {
			groups++;
			put_group(table->panel->groups[i], y++);
		}
		if (y < LINES - 1)
			draw_row(setup, &screen.layout, y++, cells, table->panel && i == screen.cursor);
	}
	screen.group_lines = groups;
}

static void keep_scrolled(size_t lines, int y)
{
	size_t fit = LINES - 1 > y ? (size_t)(LINES - 1 - y) : 1;

	screen.page_lines = lines;
	if (screen.scrolled + fit > lines)
		screen.scrolled = lines > fit ? lines - fit : 0;
}

static void screen_table(struct sink *sink, const struct sink_table *table)
{
	static const struct panel none;
	const struct panel *panel = table->panel ? table->panel : &none;
	char first[MAX_WIDTH];
	int y;

	if (!screen.is_open)
		return;
	erase();
	describe(table, first);
	y = screen.head_lines = draw_head(panel, first);
	if (screen.has_help) {
		keep_scrolled(draw_help(y, screen.scrolled), y);
	} else if (panel->is_page) {
		keep_scrolled(draw_page(&sink->setup, table, y, screen.scrolled), y);
	} else {
		place_cursor(table);
		put_rows(table, y);
	}
	fit_rows();
	put_foot();
	refresh();
}

/* Keys. */

static bool is_shown(size_t column)
{
	return screen.layout.widths[column];
}

static void sort_by_next(int step)
{
	const struct sink_setup *setup = &screen.sink->setup;
	size_t count = setup->column_count, at = screen.view->sort;

	do {
		at = (at + count + (size_t)step) % count;
	} while (!is_shown(at) && at != screen.view->sort);
	screen.view->sort = at;
	screen.view->is_reversed = false;
}

static void type(int key)
{
	char *filter = screen.view->filter;
	size_t n = strlen(filter);

	if (key == '\n' || key == KEY_ENTER) {
		screen.is_typing = false;
	} else if (key == ESCAPE) {
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

/* By how many lines a key moves; a number that is larger than any table for those that go to the end. */
static int64_t distance_of(int key)
{
	int64_t page = LINES > screen.head_lines + 3 ? LINES - screen.head_lines - 3 : 1;

	switch (key) {
	case KEY_UP: return -1;
	case KEY_DOWN: return 1;
	case KEY_PPAGE: return -page;
	case KEY_NPAGE: return page;
	case KEY_HOME: return INT32_MIN;
	case KEY_END: return INT32_MAX;
	default: return 0;
	}
}

static size_t moved(size_t from, int64_t by, size_t count)
{
	int64_t to = (int64_t)from + by;

	if (to < 0 || !count)
		return 0;
	return to >= (int64_t)count ? count - 1 : (size_t)to;
}

/* The window over the rows goes with the cursor, and no farther than it must. */
static void move_cursor(int64_t by)
{
	size_t to = moved(screen.view->first + screen.cursor, by, screen.matching);

	if (to < screen.view->first)
		screen.view->first = to;
	else if (to >= screen.view->first + screen.view->rows)
		screen.view->first = to + 1 - screen.view->rows;
	screen.cursor = to - screen.view->first;
	screen.is_moving = true;
	/* At the top, whoever is first is selected. */
	screen.is_pinned = to > 0;
}

static void move_by(int64_t by)
{
	if (has_page())
		screen.scrolled = moved(screen.scrolled, by, screen.page_lines);
	else
		move_cursor(by);
}

static void toggle_help(void)
{
	screen.has_help = !screen.has_help;
	screen.scrolled = 0;
}

static void open_row(void)
{
	if (has_page() || !screen.rows)
		return;
	screen.view->is_open = true;
	screen.view->opened = screen.selected;
	screen.scrolled = 0;
}

/* From a page to the table; without one, there is nothing to leave. */
static bool leave_page(void)
{
	bool was_there = has_page();

	if (screen.has_help)
		screen.has_help = false;
	else
		screen.view->is_open = false;
	screen.scrolled = 0;
	return was_there;
}

static void begin_typing(void)
{
	screen.is_typing = true;
	strcpy(screen.typed_over, screen.view->filter);
}

/* Keys that change what of the table is shown. False: it is none of them. */
static bool change_view(int key)
{
	struct view *view = screen.view;

	switch (key) {
	case '<':
	case KEY_LEFT: sort_by_next(-1); return true;
	case '>':
	case KEY_RIGHT: sort_by_next(1); return true;
	case 'r': view->is_reversed = !view->is_reversed; return true;
	case 'i': view->hides_idle = !view->hides_idle; return true;
	case 't': view->grouping = (view->grouping + 1) % VIEW_GROUPINGS; return true;
	case '/': begin_typing(); return true;
	default: return false;
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
	if (distance_of(key)) {
		move_by(distance_of(key));
		return SCREEN_SHOW;
	}
	switch (key) {
	case 'q': return leave_page() ? SCREEN_SHOW : SCREEN_QUIT;
	case ESCAPE: leave_page(); return SCREEN_SHOW;
	case '?': toggle_help(); return SCREEN_SHOW;
	case '\n':
	case '\r':
	case KEY_ENTER: open_row(); return SCREEN_SHOW;
	case 'p':
	case ' ': screen.view->is_paused = !screen.view->is_paused; return SCREEN_SHOW;
	default: return !has_page() && change_view(key) ? SCREEN_SHOW : SCREEN_NOTHING;
	}
}

enum screen_request screen_keys(void)
{
	enum screen_request request = SCREEN_NOTHING;
	int key;

	while (screen.is_open && request != SCREEN_QUIT && (key = getch()) != ERR) {
		enum screen_request now;

		/* It is about the row that keys before it have brought, which has yet to be shown. */
		if (key == '\n' && request == SCREEN_SHOW && !screen.is_typing) {
			ungetch(key);
			break;
		}
		now = press(key);
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
