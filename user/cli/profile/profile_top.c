// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each refresh is a profile of its own (profile/live.h): what was sampled since the one before. Its functions are the
 * rows of a table, which a sink shows: on the screen, with keys, or as text or JSON.
 */
#include "cli/profile/profile_top.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/hash.h"
#include "base/io/stream.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/process/privileges.h"
#include "cli/options/command.h"
#include "flame/profile_parts.h"
#include "out/panel.h"
#include "out/screen.h"
#include "run/unprivileged.h"
#include "trace/stop.h"

#define SCAN_NS NS_PER_S
#define FACTS 4

enum { SELF, SELF_TIME, TOTAL, TOTAL_TIME, FUNCTION, KIND, COLUMNS_COUNT };

/* Shares in thousandths of a percent. */
static const struct column columns[COLUMNS_COUNT] = {
	[SELF] = { .name = "self_pct", .type = COLUMN_DECIMAL, .width = 9, .screen = { .width = 8 } },
	[SELF_TIME] = { .name = "self_time", .type = COLUMN_DURATION, .width = 10, .screen = { .rank = 3 } },
	[TOTAL] = { .name = "total_pct", .type = COLUMN_DECIMAL, .width = 10, .screen = { .width = 9 } },
	[TOTAL_TIME] = { .name = "total_time", .type = COLUMN_DURATION, .width = 11, .screen = { .rank = 3 } },
	[FUNCTION] = { .name = "function", .type = COLUMN_TEXT, .width = -50 },
	[KIND] = { .name = "kind", .type = COLUMN_TEXT, .width = -7, .screen = { .rank = 2 } },
};

struct top {
	const struct profile_top_request *request;
	struct live *live;
	struct event_loop *waiting;
	struct sink sink;
	struct view view;
	bool has_screen;
	/* Shown on the screen. */
	struct profile *profile;
	struct function_total *totals;
	size_t count;
	uint64_t since_ns, length_ns;
	int err;
};

/* --- The table --------------------------------------------------------------------------------------------- */

static const char *const kinds[FRAME_KINDS] = { "erlang", "bif", "vm", "library", "kernel", "state", "group" };

static uint64_t permille_of_percent(uint64_t part, uint64_t of)
{
	return of ? (uint64_t)((unsigned __int128)part * 100000 / of) : 0;
}

static bool has_row(void *data, size_t row)
{
	const struct top *top = data;

	return top->totals[row].total;
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	const struct top *top = data;
	const struct function_total *total = &top->totals[row];
	const struct function *function = &top->profile->functions[total->function];

	(void)buf;
	switch (column) {
	case SELF: return (struct value){ .number = permille_of_percent(total->self, top->profile->total) };
	case SELF_TIME: return (struct value){ .number = total->self };
	case TOTAL: return (struct value){ .number = permille_of_percent(total->total, top->profile->total) };
	case TOTAL_TIME: return (struct value){ .number = total->total };
	case KIND: return value_of_text(kinds[function->kind]);
	default: return value_of_text(function->name);
	}
}

static uint64_t weight(void *data, size_t row)
{
	return ((const struct top *)data)->totals[row].total;
}

/* One that was on stacks and never did anything itself. */
static bool is_idle(void *data, size_t row)
{
	return !((const struct top *)data)->totals[row].self;
}

static uint64_t group(void *data, size_t row)
{
	(void)data;
	(void)row;
	return 0;
}

static struct view_key key_of(const struct top *top, size_t row)
{
	const struct function *function = &top->profile->functions[top->totals[row].function];

	return (struct view_key){ .id = fnv64(function->kind, function->name, strlen(function->name)) };
}

static uint64_t samples_of(const struct top *top, uint64_t ns)
{
	return ns / (NS_PER_S / top->request->live.frequency);
}

static size_t make_facts(const struct top *top, struct panel_fact facts[FACTS])
{
	struct live_totals totals = live_totals(top->live);
	double busy = top->length_ns ? (double)top->profile->total / (double)top->length_ns : 0;

	snprintf(facts[0].text, PANEL_TEXT_SIZE, "%zu node%s", totals.nodes, totals.nodes == 1 ? "" : "s");
	snprintf(facts[1].text, PANEL_TEXT_SIZE, "%.2f processors used", busy);
	snprintf(facts[2].text, PANEL_TEXT_SIZE, "%" PRIu64 " samples", samples_of(top, top->profile->total));
	if (!top->profile->lost)
		return 3;
	snprintf(facts[3].text, PANEL_TEXT_SIZE, "%" PRIu64 " samples lost", samples_of(top, top->profile->lost));
	facts[3].is_alarming = true;
	return 4;
}

static void show_rows(struct top *top, const size_t *rows, size_t count, struct panel *panel)
{
	_cleanup_free_ struct value *cells = calloc(count * COLUMNS_COUNT + 1, sizeof(*cells));
	_cleanup_free_ struct view_key *keys = calloc(count + 1, sizeof(*keys));
	const struct sink_note lost = {
		.name = "lost_ns", .text = "ns lost", .count = top->profile->lost, .is_loss = true
	};
	struct sink_table table = { .cells = cells, .rows = count, .panel = panel, .notes = &lost, .note_count = 1 };
	struct panel_fact facts[FACTS] = {};

	if (!cells || !keys)
		return;
	for (size_t i = 0; i < count; i++) {
		keys[i] = key_of(top, rows[i]);
		for (size_t c = 0; c < COLUMNS_COUNT; c++)
			cells[i * COLUMNS_COUNT + c] = cell(top, rows[i], c, NULL);
	}
	panel->keys = keys;
	panel->facts = facts;
	panel->fact_count = make_facts(top, facts);
	top->sink.ops->table(&top->sink, &table);
}

/* --- The page of one function: the heaviest stack that it is on ------------------------------------------------- */

struct heaviest {
	const struct profile *profile;
	uint32_t function;
	uint32_t frames[PROFILE_DEPTH + 1];
	size_t count;
	uint64_t value, all, stacks; /* of this one, and of all with the function */
};

static void look_at_stack(void *data, const struct stack *stack)
{
	struct heaviest *h = data;
	size_t i = 0;

	while (i < stack->count && h->profile->frames[stack->frames[i]].function != h->function)
		i++;
	if (i == stack->count)
		return;
	h->stacks++;
	h->all += stack->value;
	if (stack->value <= h->value)
		return;
	h->value = stack->value;
	h->count = stack->count;
	memcpy(h->frames, stack->frames, stack->count * sizeof(*stack->frames));
}

static void show_page(struct top *top, size_t row)
{
	struct heaviest h = { .profile = top->profile, .function = top->totals[row].function };
	struct panel_line *lines;
	struct panel panel = { .is_page = true };

	profile_each_stack(top->profile, look_at_stack, &h);
	lines = calloc(h.count + 2, sizeof(*lines));
	panel.lines = lines;
	if (lines && asprintf(&lines[0].text, "%" PRIu64 " different; the heaviest has %.1f%% of its time", h.stacks,
			      h.all ? 100.0 * (double)h.value / (double)h.all : 0) >= 0) {
		lines[0].title = "stacks";
		panel.line_count = 1;
	}
	for (size_t i = h.count; lines && i-- > 0; panel.line_count++) {
		lines[panel.line_count].title = i + 1 == h.count ? "stack" : "";
		lines[panel.line_count].text = strdup(profile_function(top->profile, h.frames[i])->name);
	}
	show_rows(top, &row, 1, &panel);
	for (size_t i = 0; lines && i < panel.line_count; i++)
		free(lines[i].text);
	free(lines);
}

static bool show_opened(struct top *top)
{
	for (size_t i = 0; i < top->count; i++) {
		if (key_of(top, i).id == top->view.opened.id) {
			show_page(top, i);
			return true;
		}
	}
	return false;
}

static void show(struct top *top)
{
	struct view_source source = { top->count, top, has_row, cell, weight, is_idle, group };
	_cleanup_free_ size_t *picked = NULL;
	struct view wide = top->view;
	struct panel panel = {};
	long count;

	if (!top->profile || (top->view.is_open && show_opened(top)))
		return;
	/* It is not on any stack now. */
	top->view.is_open = false;
	wide.grouping = VIEW_UNGROUPED;
	wide.rows = top->view.first + top->view.rows;
	picked = calloc(wide.rows + 1, sizeof(*picked));
	count = picked ? view_pick(&wide, columns, COLUMNS_COUNT, &source, picked, &panel.matching) : -ENOMEM;
	if (count < 0)
		return;
	panel.first = view_first(&top->view, panel.matching);
	if (panel.first > (size_t)count)
		panel.first = (size_t)count;
	show_rows(top, picked + panel.first,
		  (size_t)count - panel.first < top->view.rows ? (size_t)count - panel.first : top->view.rows, &panel);
}

/* --- Refreshes ---------------------------------------------------------------------------------------------------- */

static void forget(struct top *top)
{
	free(top->totals);
	profile_free(top->profile);
	top->totals = NULL;
	top->profile = NULL;
	top->count = 0;
}

static int sample(struct top *top)
{
	uint64_t now = duration_now();
	int err;

	forget(top);
	top->profile = profile_new("processor time", "ns");
	err = top->profile ? live_add(top->live, top->profile) : -ENOMEM;
	if (err)
		return err;
	top->length_ns = now - top->since_ns;
	top->since_ns = now;
	top->totals = totals_make(top->profile, &top->count);
	return top->totals ? 0 : -ENOMEM;
}

static void fail(struct top *top, int err)
{
	top->err = err;
	event_loop_stop(top->waiting);
}

/* While it is paused, samples are taken and forgotten. */
static void on_interval(void *data, uint64_t times)
{
	struct top *top = data;
	struct profile *empty;
	int err;

	(void)times;
	if (top->view.is_paused) {
		empty = profile_new("", "ns");
		err = empty ? live_add(top->live, empty) : -ENOMEM;
		profile_free(empty);
		top->since_ns = duration_now();
	} else {
		err = sample(top);
	}
	if (!err && !top->view.is_paused) {
		top->sink.ops->interval(&top->sink, duration_now() + duration_wall_offset());
		show(top);
	}
	if (!err && !top->has_screen)
		err = stream_flush(stdout);
	if (err)
		fail(top, err);
}

static void on_turn(void *data, uint64_t times)
{
	struct top *top = data;
	int err = live_turn(top->live);

	(void)times;
	if (err)
		fail(top, err);
	else if (top->request->live.nodes->pid_count && !live_totals(top->live).nodes)
		event_loop_stop(top->waiting);
}

static void on_scan(void *data, uint64_t times)
{
	const struct top *top = data;

	(void)times;
	live_scan(top->live);
}

static void on_stop(void *data, uint64_t times)
{
	(void)times;
	event_loop_stop(((struct top *)data)->waiting);
}

/* The last refresh may be late, or shorter. */
static void on_end(void *data, uint64_t times)
{
	struct top *top = data;

	if (duration_now() - top->since_ns > top->request->interval_ns / 2)
		on_interval(top, times);
	event_loop_stop(top->waiting);
}

static void on_key(void *data, uint64_t times)
{
	struct top *top = data;
	enum screen_request request;

	(void)times;
	while ((request = screen_keys()) == SCREEN_SHOW)
		show(top);
	if (request == SCREEN_QUIT)
		event_loop_stop(top->waiting);
}

static int open_screen(struct top *top)
{
	static const int deaths[] = { SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	const char *terminal = getenv("TERM");

	top->has_screen = !top->request->is_json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
			  strcmp(terminal ? terminal : "", "dumb") != 0;
	if (!top->has_screen)
		return 0;
	if (screen_open(&top->sink, &top->view, top->request->rows)) {
		pr_err("unknown terminal (TERM=%s); pipe the output to cat", terminal ? terminal : "");
		return -ENOTTY;
	}
	top->sink.ops = &sink_screen;
	for (size_t i = 0; i < sizeof(deaths) / sizeof(*deaths); i++)
		signal(deaths[i], stop_die);
	return event_loop_add(top->waiting, STDIN_FILENO, on_key, top);
}

static int prepare(struct top *top)
{
	const struct profile_top_request *request = top->request;
	uint64_t now = duration_now();
	int stop = stop_open(screen_abandon), err = stop < 0 ? stop : event_loop_add(top->waiting, stop, on_stop, top);

	if (!err)
		err = event_loop_add_timer(top->waiting, now + LIVE_TURN_NS, LIVE_TURN_NS, on_turn, top);
	if (!err)
		err = event_loop_add_timer(top->waiting, now + SCAN_NS, SCAN_NS, on_scan, top);
	if (!err)
		err = event_loop_add_timer(top->waiting, now + request->interval_ns, request->interval_ns, on_interval,
					   top);
	if (!err && request->duration_ns)
		err = event_loop_add_timer(top->waiting, now + request->duration_ns, 0, on_end, top);
	return err ? err : open_screen(top);
}

/* Nodes that start later are only found by who keeps something. The kernel's functions are named by CAP_SYSLOG. */
static int give_up(const struct top *top)
{
	const struct unprivileged how = {
		.kernel = top->request->live.kernel,
		.attaches = !top->request->live.nodes->pid_count,
		.more = PRIVILEGE(CAP_SYSLOG),
	};

	return top->request->keep_caps ? 0 : unprivileged_begin(&how);
}

static int run(struct top *top)
{
	int code = live_scan(top->live), err;
	char none[NO_NODES_SIZE];

	if (code != EXIT_OK)
		return code;
	if (!live_totals(top->live).nodes) {
		pr_err("%s", command_no_nodes(top->request->live.nodes, none));
		return EXIT_NO_TARGET;
	}
	err = live_start(top->live);
	top->since_ns = duration_now();
	if (!err)
		err = give_up(top);
	if (!err)
		err = prepare(top);
	while (!err && !event_loop_is_stopped(top->waiting)) {
		if (event_loop_turn(top->waiting, -1) < 0 && top->has_screen)
			on_key(top, 1);
	}
	screen_close();
	err = err ? err : top->err;
	if (err && err != -EPIPE)
		pr_err("cannot go on: %s", strerror(-err));
	return err && err != -EPIPE ? EXIT_FAILED : EXIT_OK;
}

int profile_top(const struct profile_top_request *request)
{
	struct top top = { .request = request, .waiting = event_loop_new(), .live = live_new(&request->live) };
	const struct sink_setup setup = {
		.to = stdout,
		.tool = "profile",
		.columns = columns,
		.column_count = COLUMNS_COUNT,
		.show_time = true, /* where one table ends and the next begins */
	};
	int code = EXIT_FAILED;

	top.view.rows = request->rows ? request->rows : TEXT_ROWS;
	sink_init(&top.sink, request->is_json ? SINK_JSON : SINK_TEXT, &setup);
	if (top.waiting && top.live)
		code = run(&top);
	forget(&top);
	live_free(top.live);
	event_loop_free(top.waiting);
	return code;
}
