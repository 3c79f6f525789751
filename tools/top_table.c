// SPDX-License-Identifier: BSD-2-Clause
/* The rows of top: what of its numbers a cell shows, and which rows are shown in which order. */
#include "top_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "out/view.h"

#define CLOCK_SLACK_NS (10 * NS_PER_MS)
#define FEW_HITS 4	     /* that are as many as chance makes of none */
#define MAX_FRESH_NAMES 1000 /* names that are read again when they are shown */

/* The names take what is left of a wide screen; a narrow one has pids, names, and what most is asked for. */
const struct column top_columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -14, false },
	[NAME] = { "name", COLUMN_TEXT, -32, false, .screen = { .width = -20 } },
	[CPU] = { "cpu", COLUMN_DECIMAL, 6, false, .screen = { .warn = 50000, .alarm = 90000 } },
	[REDS] = { "reds", COLUMN_NUMBER, 11, false, .screen = { .width = 6, .is_human = true } },
	[QUEUE] = { "queue", COLUMN_NUMBER, 8, false,
		    .screen = { .width = 6, .is_human = true, .warn = 1000, .alarm = 10000 } },
	[IN] = { "in", COLUMN_NUMBER, 8, false, .screen = { .width = 6, .rank = 2, .is_human = true } },
	[OUT] = { "out", COLUMN_NUMBER, 8, false, .screen = { .width = 6, .rank = 3, .is_human = true } },
	[WAIT] = { "wait", COLUMN_DURATION, 8, false, .screen = { .rank = 5 } },
	[GC] = { "gc", COLUMN_DURATION, 8, false, .screen = { .rank = 6 } },
	[HEAP] = { "heap", COLUMN_NUMBER, 11, false,
		   .screen = { .width = 6, .rank = 1, .is_human = true, .is_bytes = true } },
	[STATUS] = { "status", COLUMN_TEXT, -9, false, .screen = { .rank = 4 } },
	[NODE] = { "node", COLUMN_TEXT, 0, false, .screen = { .width = -20, .rank = 7 } },
	[OS_PID] = { "os_pid", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[REGISTERED] = { "registered_name", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[INITIAL_CALL] = { "initial_call", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false,
			   .screen = { .width = -28, .rank = 9 } },
	[GCS] = { "gcs", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[TOTAL_REDS] = { "reductions", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[BINARIES] = { "binaries", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false,
		       .screen = { .width = 8, .rank = 8, .is_human = true, .is_bytes = true } },
};

struct traced_node *top_node(const struct top *top, uint32_t os_id)
{
	for (size_t i = top->node_count; i > 0; i--) {
		if (top_is_readable(&top->nodes[i - 1]) && (uint32_t)top->nodes[i - 1].target.os_id == os_id)
			return &top->nodes[i - 1];
	}
	return NULL;
}

/*
 * In how many samples a process would be on average. A few hits are chance: what is expected of its reductions, at the
 * mean of the node, is weighed with them as much as one hit. So who did nothing is not above who did little.
 */
static double likely_hits(const struct traced_node *node, const struct process *process, const struct activity *a)
{
	double expected = (double)top_reds(process) * node->hits_per_red;

	if (a->hits >= FEW_HITS)
		return a->hits;
	return expected * (1 + a->hits) / (1 + expected);
}

bool top_find_row(const struct top *top, size_t row, struct traced_node **node, struct process **process)
{
	for (size_t i = 0; i < top->node_count; i++) {
		size_t rows = top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;

		if (row < rows) {
			*node = &top->nodes[i];
			*process = processes_row(top->nodes[i].processes, row);
			return top_is_readable(*node) && row < (*node)->room && processes_has((*node)->processes, row);
		}
		row -= rows;
	}
	return false;
}

static bool has_row(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return top_find_row(run_state(data), row, &node, &process);
}

bool top_is_exact(const struct top *top)
{
	/* A difference of less than a sample comes from two looks at the clock. */
	return top->on_now_ns + CLOCK_SLACK_NS >= top->interval_ns;
}

/* Counts of a process while probes were on. */
struct value top_seen(const struct top *top, uint64_t seen)
{
	return (struct value){ .is_null = !top->on_ns, .number = seen };
}

/* Messages received plus growth of the mailbox; known only if all receives were seen. */
static struct value came_in(const struct top *top, const struct process *process, const struct activity *a)
{
	struct value value = top_seen(top, a->received);
	int64_t number = (int64_t)(value.number + process->queue - process->queue_before);

	/* The two are not read in the same moment. */
	if (top_is_exact(top))
		value.number = number > 0 ? (uint64_t)number : 0;
	return value;
}

struct value top_cell(struct run *run, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	const struct top *top = run_state(run);
	struct process *process;
	const struct activity *a;
	struct value value = {};
	struct traced_node *node;

	if (!top_find_row(top, row, &node, &process))
		return (struct value){ .is_null = true };
	a = top_activity(node, process);
	switch (column) {
	case PID: value.number = process->id; break;
	case NAME: return value_of_text(process_description(node->processes, process, buf));
	case CPU:
		value.is_null = !top->rounds;
		value.number = top->rounds ? (uint64_t)(likely_hits(node, process, a) * 100000 / top->rounds) : 0;
		break;
	case REDS: value.number = process->reds - process->reds_before; break;
	case QUEUE: value.number = process->queue; break;
	case IN: return came_in(top, process, a);
	case OUT: return top_seen(top, a->sent);
	case WAIT:
		value.is_null = !a->received;
		value.number = a->received ? a->waited_ns / a->received : 0;
		break;
	case GC: return top_seen(top, a->collecting_ns);
	case HEAP: value.number = process->heap; break;
	case STATUS: return value_of_text(process_status(process));
	case NODE: return value_of_text(run_node(run, node->target.os_id));
	case OS_PID: value.number = (uint64_t)node->target.target->pid; break;
	case REGISTERED: return value_of_text(process_registered(node->processes, process, buf));
	case INITIAL_CALL: return value_of_text(process_initial_call(node->processes, process, buf));
	case GCS: return top_seen(top, a->collections);
	case TOTAL_REDS: value.number = process->reds; break;
	case BINARIES: value.number = process->binaries; break;
	}
	return value;
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	return top_cell(data, row, column, buf);
}

/* Samples tell few processes apart by CPU; reductions do. */
static uint64_t weight(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return top_find_row(run_state(data), row, &node, &process) ? process->reds - process->reds_before : 0;
}

static void refresh_names(const struct top *top, const size_t *rows, size_t count)
{
	for (size_t i = 0; i < count && i < MAX_FRESH_NAMES; i++) {
		struct process *process;
		struct traced_node *node;

		if (top_find_row(top, rows[i], &node, &process))
			processes_refresh_name(node->processes, process);
	}
}

/* Texts that live in a buffer become the row's own. */
static int fill_row(struct run *run, size_t row, struct value *cells)
{
	for (size_t column = 0; column < COLUMNS; column++) {
		char buf[VIEW_TEXT_SIZE];

		cells[column] = top_cell(run, row, column, buf);
		if (top_columns[column].type != COLUMN_TEXT || cells[column].is_null)
			continue;
		cells[column].text = strdup(cells[column].text);
		if (!cells[column].text)
			return -ENOMEM;
	}
	return 0;
}

static void free_cells(struct value *cells, size_t count)
{
	for (size_t i = 0; i < count * COLUMNS; i++) {
		if (top_columns[i % COLUMNS].type == COLUMN_TEXT && !cells[i].is_null)
			free((char *)cells[i].text);
	}
	free(cells);
}

size_t top_table_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct top none;
	const struct top *top = run ? run_state(run) : &none;
	const struct sink_note now[] = {
		{ .name = "processes", .text = "processes", .one = "process", .count = top->live },
		{ .name = "interval_ns", .count = top->interval_ns },
		{ .name = "probes_on_ns", .count = top->on_now_ns },
		{ .name = "probes_on_percent",
		  .text = "% of the time with probes on",
		  .count = top->interval_ns ? (top->on_now_ns * 100 + top->interval_ns / 2) / top->interval_ns : 0 },
		{ .name = "gone_percent",
		  .text = "% of a scheduler in processes that have exited",
		  .count = top->rounds ? top->gone * 100 / top->rounds : 0 },
		{ .name = "not_shown",
		  .text = "processes are missing because the table was full",
		  .one = "process is missing because the table was full",
		  .count = top->dropped },
	};

	memcpy(notes, now, sizeof(now));
	return TOOL_COUNT(now);
}

static bool is_idle(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return !top_find_row(run_state(data), row, &node, &process) ||
	       (!top_reds(process) && !process->queue && !top_activity(node, process)->hits);
}

/* The table as it is shown, from rows that were picked. */
void top_show_table(struct run *run, const size_t *rows, struct sink_table *table)
{
	struct sink_note notes[TOOL_MAX_NOTES];
	struct value *cells = calloc(table->rows * COLUMNS + 1, sizeof(*cells));
	int err = cells ? 0 : -ENOMEM;

	table->cells = cells;
	table->notes = notes;
	table->note_count = top_table_notes(run, notes);
	for (size_t i = 0; !err && i < table->rows; i++)
		err = fill_row(run, rows[i], cells + i * COLUMNS);
	if (!err)
		run_table(run, table);
	if (cells)
		free_cells(cells, table->rows);
}

void top_read_names(const struct top *top)
{
	for (size_t i = 0; i < top->node_count; i++) {
		if (top_is_readable(&top->nodes[i]))
			processes_read_names(top->nodes[i].processes);
	}
}

/* Most of many processes are not shown. */
static bool needs_all_names(const struct view *view)
{
	return view->filter[0] || top_columns[view->sort].type == COLUMN_TEXT || view->rows > MAX_FRESH_NAMES;
}

long top_pick(struct run *run, uint64_t (*group)(void *data, size_t row), size_t **rows, size_t *matching)
{
	const struct top *top = run_state(run);
	const struct view *view = run_view(run);
	struct view_source source = {
		.data = run, .has_row = has_row, .cell = cell, .weight = weight, .is_idle = is_idle, .group = group
	};
	struct view bounded = *view;
	long count;

	for (size_t i = 0; i < top->node_count; i++)
		source.rows += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	if (view->first < source.rows && bounded.rows < source.rows - view->first)
		bounded.rows += view->first;
	else
		bounded.rows = source.rows;
	if (needs_all_names(&bounded))
		top_read_names(top);
	*rows = calloc(bounded.rows + 1, sizeof(**rows));
	count = *rows ? view_pick(&bounded, top_columns, COLUMNS, &source, *rows, matching) : -ENOMEM;
	if (count > 0)
		refresh_names(top, *rows, (size_t)count);
	return count;
}
