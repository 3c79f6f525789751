// SPDX-License-Identifier: BSD-2-Clause
/* The screen of top without its rows: the header with the numbers of all nodes, and the page of a process. */
#include "top_parts.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "node/memory/limits.h"
#include "node/memory/memory.h"
#include "node/processes/process_details.h"
#include "out/process_page.h"
#include "out/view.h"
#include "out/vitals.h"

static struct view_key key_of(const struct top *top, size_t row)
{
	struct process *process;
	struct traced_node *node;

	if (!top_find_row(top, row, &node, &process))
		return (struct view_key){};
	return (struct view_key){ .id = process->id, .os_id = (uint32_t)node->target.os_id };
}

static void add_limit(struct node_limit *sum, const struct node_limit *limit)
{
	sum->used += limit->used;
	sum->most += limit->most;
}

static void add_processes(const struct top *top, struct traced_node *node, struct vitals *vitals)
{
	for (size_t row = 0; row < processes_rows(node->processes) && row < node->room; row++) {
		const struct process *process = processes_row(node->processes, row);

		if (!processes_has(node->processes, row))
			continue;
		vitals->heaps += process->heap;
		vitals->binaries += process->binaries;
		vitals->reds_per_s += top_reds(process);
		vitals->messages_per_s.number += top_seen(top, node->activities[row].sent).number;
	}
}

static void add_vitals(const struct top *top, struct traced_node *node, struct vitals *vitals)
{
	struct node_limits limits;

	add_processes(top, node, vitals);
	node_limits_read(node->target.target, &limits);
	add_limit(&vitals->limits.processes, &limits.processes);
	add_limit(&vitals->limits.ports, &limits.ports);
	add_limit(&vitals->limits.atoms, &limits.atoms);
	vitals->resident += node_resident(node->target.target);
	vitals->ets += node_ets(node->target.target);
	vitals->code += node_code(node->target.target);
	vitals->run_queue += schedulers_run_queue(node->schedulers);
}

static void read_vitals(const struct top *top, struct vitals *vitals)
{
	const double seconds = (double)top->interval_ns / NS_PER_S;

	*vitals = (struct vitals){
		.messages_per_s = { .is_null = !top_is_exact(top) },
		.busy = top->busy,
		.collecting = top->collecting,
	};
	for (size_t i = 0; i < top->node_count; i++) {
		if (top_is_readable(&top->nodes[i]))
			add_vitals(top, &top->nodes[i], vitals);
	}
	if (!top->interval_ns)
		return;
	vitals->reds_per_s = (uint64_t)((double)vitals->reds_per_s / seconds);
	vitals->messages_per_s.number = (uint64_t)((double)vitals->messages_per_s.number / seconds);
}

/* With all that the screen shows beside the rows. */
static void show_panel(struct run *run, const size_t *rows, size_t count, struct panel *panel)
{
	struct top *top = run_state(run);
	struct panel_fact facts[VITALS_FACTS];
	_cleanup_free_ struct view_key *keys = calloc(count + 1, sizeof(*keys));
	_cleanup_free_ const char **titles = top->groups.rows && !panel->is_page
						     ? calloc(count + 1, sizeof(const char *))
						     : NULL;
	struct sink_table table = { .rows = count, .panel = panel };
	struct vitals vitals;

	if (!keys)
		return;
	for (size_t i = 0; i < count; i++)
		keys[i] = key_of(top, rows[i]);
	for (size_t i = 0; titles && i < count; i++)
		titles[i] = top_group_title(run, rows[i]);
	read_vitals(top, &vitals);
	panel->bars = top->bars;
	panel->bar_count = top->bar_count;
	panel->facts = facts;
	panel->fact_count = vitals_facts(&vitals, facts);
	panel->keys = keys;
	panel->groups = titles;
	top_show_table(run, rows, &table);
}

/* The number of the row of a process. False: there is none any more. */
static bool find_key(const struct top *top, const struct view_key *key, size_t *row)
{
	const struct traced_node *node = top_node(top, key->os_id);
	const struct process *process = node ? processes_find(node->processes, key->id) : NULL;

	if (!process)
		return false;
	*row = (size_t)(process - processes_row(node->processes, 0));
	for (size_t i = 0; &top->nodes[i] != node; i++)
		*row += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	return true;
}

static size_t page_of(struct run *run, size_t row, struct panel_line lines[PROCESS_PAGE_LINES])
{
	struct top *top = run_state(run);
	struct process_details details;
	struct traced_node *node;
	struct process *process;
	size_t count;

	if (!top_find_row(top, row, &node, &process) || process_details_read(node->processes, process, &details))
		return 0;
	processes_refresh_name(node->processes, process);
	count = process_page_make(node->processes, &details, lines);
	top_watch_lines(run, node->processes, &details.look.process, lines, &count);
	return process_page_relate(node->processes, &details, lines, count);
}

static void show_page(struct run *run, const struct view_key *key)
{
	static char gone[] = "the process has exited";
	struct top *top = run_state(run);
	struct panel_line lines[PROCESS_PAGE_LINES];
	struct panel panel = { .is_page = true, .lines = lines };
	bool is_there;
	size_t row = 0;

	is_there = find_key(top, key, &row);
	panel.line_count = is_there ? page_of(run, row, lines) : 0;
	if (panel.line_count) {
		show_panel(run, &row, 1, &panel);
	} else {
		panel.lines = &(struct panel_line){ .title = "status", .text = gone };
		panel.line_count = 1;
		show_panel(run, NULL, 0, &panel);
		return;
	}
	process_page_free(lines, panel.line_count);
}

/* The rows from the first one of the page on. */
static void show_rows(struct run *run)
{
	const struct view *view = run_view(run);
	_cleanup_free_ size_t *rows = NULL;
	struct sink_table table = {};
	struct panel panel = {};
	bool is_grouped = !top_groups_make(run) && view->grouping;
	long count = top_pick(run, is_grouped ? top_group_rank : NULL, &rows, &panel.matching);

	if (count < 0)
		return;
	table.rows = (size_t)count;
	if (!view->has_screen) {
		top_show_table(run, rows, &table);
		return;
	}
	panel.first = view_first(view, panel.matching);
	show_panel(run, rows + panel.first, (size_t)count - panel.first, &panel);
}

void top_show(struct run *run)
{
	const struct view *view = run_view(run);

	if (view->has_screen)
		top_watch(run, view->is_open ? &view->opened : NULL);
	if (view->is_open)
		show_page(run, &view->opened);
	else
		show_rows(run);
}
