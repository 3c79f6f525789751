// SPDX-License-Identifier: BSD-2-Clause
/*
 * top: what each process of a node does. What the VM keeps of a process anyway is read from its memory
 * (node/processes.h), which one runs is sampled (node/schedulers.h), and messages and collections are
 * counted by probes (bpf/top.bpf.c).
 */
#include "top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/chance.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "node/limits.h"
#include "node/memory.h"
#include "node/process_details.h"
#include "node/processes.h"
#include "node/running.h"
#include "node/schedulers.h"
#include "out/panel.h"
#include "out/process_page.h"
#include "out/view.h"
#include "out/vitals.h"
#include "tool.h"

#include "top.skel.h"

#define SAMPLE_NS (2 * NS_PER_MS)	/* on average, at random times: processes work on beats of their own */
#define SAMPLE_SHARE 50			/* of one processor, a 50th may be used for samples... */
#define MAX_SPACING_NS (10 * NS_PER_MS) /* ... of which there are a hundred a second at least, on average */
#define CLOCK_SLACK_NS (10 * NS_PER_MS)
#define FEW_HITS 4 /* that are as many as chance makes of none */
#define MAX_SUSPECTS (1u << 16)
#define MIN_REDS 16000	     /* four slices: reductions are added up when one ends */
#define MAX_FRESH_NAMES 1000 /* names that are read again when they are shown */

enum {
	PID,
	NAME,
	CPU,
	REDS,
	QUEUE,
	IN,
	OUT,
	WAIT,
	GC,
	HEAP,
	STATUS,
	NODE,
	OS_PID,
	REGISTERED,
	INITIAL_CALL,
	GCS,
	TOTAL_REDS,
	COLUMNS,
};

/* The names take what is left of a wide screen; a narrow one has pids, names, and what most is asked for. */
static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -14, false },
	[NAME] = { "name", COLUMN_TEXT, -32, false, .screen = { .width = -20 } },
	[CPU] = { "cpu", COLUMN_DECIMAL, 6, false, .screen = { .warn = 50000, .alarm = 90000 } },
	[REDS] = { "reds", COLUMN_NUMBER, 11, false, .screen = { .width = 6, .is_human = true } },
	[QUEUE] = { "queue",
		    COLUMN_NUMBER,
		    8,
		    false,
		    .screen = { .width = 6, .is_human = true, .warn = 1000, .alarm = 10000 } },
	[IN] = { "in", COLUMN_NUMBER, 8, false, .screen = { .width = 6, .rank = 2, .is_human = true } },
	[OUT] = { "out", COLUMN_NUMBER, 8, false, .screen = { .width = 6, .rank = 3, .is_human = true } },
	[WAIT] = { "wait", COLUMN_DURATION, 8, false, .screen = { .rank = 5 } },
	[GC] = { "gc", COLUMN_DURATION, 8, false, .screen = { .rank = 6 } },
	[HEAP] = { "heap",
		   COLUMN_NUMBER,
		   11,
		   false,
		   .screen = { .width = 6, .rank = 1, .is_human = true, .is_bytes = true } },
	[STATUS] = { "status", COLUMN_TEXT, -9, false, .screen = { .rank = 4 } },
	[NODE] = { "node", COLUMN_TEXT, 0, false, .screen = { .width = -20, .rank = 7 } },
	[OS_PID] = { "os_pid", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[REGISTERED] = { "registered_name", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[INITIAL_CALL] = { "initial_call",
			   COLUMN_TEXT,
			   COLUMN_NOT_IN_TEXT,
			   false,
			   .screen = { .width = -28, .rank = 8 } },
	[GCS] = { "gcs", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[TOTAL_REDS] = { "reductions", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
};

/* What a process has done, beside what struct process says of it. */
struct activity {
	uint64_t id;		  /* whose it is */
	struct top_counts counts; /* at the end of the interval */
	/* In the interval, as far as probes were on; or in the last one in which they were. */
	uint32_t sent, received, collections;
	uint64_t waited_ns, collecting_ns, reds;
	uint32_t hits; /* of samples, in the interval */
};

struct traced_node {
	struct run_target target;
	struct processes *processes; /* NULL: they cannot be read */
	struct schedulers *schedulers;
	struct activity *activities; /* by row of a process */
	size_t room;
	struct running samples;
	double hits_per_red; /* of all processes in the interval */
	uint64_t *sample;    /* processes that run */
};

/* One table. */
struct top {
	struct traced_node *nodes;
	size_t node_count;
	struct top_key *suspects; /* accounts of processes that were not found */
	size_t suspect_count;
	uint64_t taken_ns; /* when the last interval ended */
	uint64_t interval_ns;
	uint64_t on_before_ns; /* for which probes had been on then */
	uint64_t on_ns;	       /* in this interval, or in the last one in which they were */
	uint64_t on_now_ns;    /* in this one */
	uint64_t gone;	       /* hits of processes that have ended */
	uint32_t rounds;       /* samples of each scheduler in the interval */
	uint32_t rounds_now;   /* and in the one that goes on */
	struct panel_bar *bars; /* of the schedulers, in the interval */
	size_t bar_count;
	uint64_t busy, collecting; /* samples of schedulers */
	uint64_t cost_ns;      /* processor time of one, on average */
	uint64_t chance;
	uint64_t live, dropped;
};

/* Nodes. */

static void open_node(const struct run *run, size_t number, struct traced_node *node)
{
	struct run_target t = node->target = run_target(run, number);

	node->schedulers = schedulers_new(t.target, t.pids);
	node->processes = node->schedulers ? processes_new(t.target, t.pids, run_name_style(run)) : NULL;
	if (node->processes)
		node->sample = calloc(schedulers_count(node->schedulers) + 1, sizeof(*node->sample));
	if (!node->sample)
		pr_warn("process %d: cannot read its Erlang processes: %s", t.target->pid,
			errno == ENOENT ? "the memory layout of this OTP release is unknown" : strerror(errno));
}

static void follow_nodes(const struct run *run)
{
	struct top *top = run_state(run);

	while (top->node_count < run_targets(run)) {
		if (!array_has_room(top->nodes, top->node_count))
			return;
		top->nodes[top->node_count++] = (struct traced_node){};
		open_node(run, top->node_count - 1, &top->nodes[top->node_count - 1]);
	}
	for (size_t i = 0; i < top->node_count; i++)
		top->nodes[i].target.is_over = run_target(run, i).is_over;
}

static bool is_readable(const struct traced_node *node)
{
	return node->sample && !node->target.is_over;
}

static void free_node(struct traced_node *node)
{
	processes_free(node->processes);
	schedulers_free(node->schedulers);
	free(node->activities);
	running_free(&node->samples);
	free(node->sample);
}

static void end(struct run *run)
{
	struct top *top = run_state(run);

	for (size_t i = 0; i < top->node_count; i++)
		free_node(&top->nodes[i]);
	free(top->nodes);
	free(top->suspects);
	free(top->bars);
}

/* Taking. */

static struct activity *activity_of(struct traced_node *node, const struct process *process)
{
	return &node->activities[process - processes_row(node->processes, 0)];
}

static int make_activities(struct traced_node *node)
{
	size_t rows = processes_rows(node->processes);
	struct activity *grown;

	/* Exactly as many: there may be two million, and the rows themselves grow by a quarter only. */
	if (rows > node->room) {
		grown = realloc(node->activities, rows * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + node->room, 0, (rows - node->room) * sizeof(*grown));
		node->activities = grown;
		node->room = rows;
	}
	for (size_t row = 0; row < rows; row++) {
		uint64_t id = processes_row(node->processes, row)->id;

		if (node->activities[row].id != id)
			node->activities[row] = (struct activity){ .id = id };
		node->activities[row].hits = 0;
	}
	return 0;
}

/* Reductions of the interval; fewer than before are those of a process that is new in its row. */
static uint64_t reds_of(const struct process *process)
{
	return process->reds > process->reds_before ? process->reds - process->reds_before : 0;
}

static void take_samples(struct top *top, struct traced_node *node)
{
	uint64_t hits = 0, reds = 0;

	running_merge(&node->samples);
	for (size_t i = 0; i < node->samples.count; i++) {
		const struct running_process *sample = &node->samples.list[i];
		const struct process *process = processes_find(node->processes, sample->id);

		if (process) {
			activity_of(node, process)->hits = sample->hits;
			hits += sample->hits;
			reds += reds_of(process);
		} else {
			top->gone += sample->hits;
		}
	}
	node->hits_per_red = reds ? (double)hits / (double)reds : 0;
	running_clear(&node->samples);
}

/*
 * In how many samples a process would be on average. A few hits are chance: what is expected of its reductions, at the
 * mean of the node, is weighed with them as much as one hit. So who did nothing is not above who did little.
 */
static double likely_hits(const struct traced_node *node, const struct process *process, const struct activity *a)
{
	double expected = (double)reds_of(process) * node->hits_per_red;

	if (a->hits >= FEW_HITS)
		return a->hits;
	return expected * (1 + a->hits) / (1 + expected);
}

/* Bars of one kind of all nodes are beside each other. */
static int add_bars(struct top *top, struct traced_node *node, enum scheduler_kind kind)
{
	static const char *const titles[SCHEDULER_KINDS] = { "sched", "dirty cpu", "io" };
	const struct scheduler_hits *hits = schedulers_hits(node->schedulers);
	size_t count = schedulers_of_kind(node->schedulers, kind);

	for (int before = 0; before < (int)kind; before++)
		hits += schedulers_of_kind(node->schedulers, (enum scheduler_kind)before);
	for (size_t i = 0; i < count; i++) {
		uint64_t busy = hits[i].busy;

		if (!array_has_room(top->bars, top->bar_count))
			return -ENOMEM;
		top->busy += busy;
		top->collecting += hits[i].collecting;
		top->bars[top->bar_count++] = (struct panel_bar){
			.kind = titles[kind],
			.permille = top->rounds ? (unsigned int)(busy * 1000 / top->rounds) : 0,
		};
	}
	return 0;
}

/* What the schedulers did in the interval. */
static void take_hits(struct top *top)
{
	top->bar_count = 0;
	top->busy = top->collecting = 0;
	for (int kind = 0; kind < SCHEDULER_KINDS; kind++) {
		for (size_t i = 0; i < top->node_count; i++) {
			if (is_readable(&top->nodes[i]) &&
			    add_bars(top, &top->nodes[i], (enum scheduler_kind)kind))
				return;
		}
	}
	for (size_t i = 0; i < top->node_count; i++) {
		if (is_readable(&top->nodes[i]))
			schedulers_forget_hits(top->nodes[i].schedulers);
	}
}

static int read_node(struct top *top, struct traced_node *node)
{
	int err = processes_read(node->processes);

	/* It may have ended just now. */
	if (err)
		return err == -ENOMEM ? err : 0;
	err = make_activities(node);
	if (!err)
		take_samples(top, node);
	top->live += processes_live(node->processes);
	top->dropped += processes_dropped(node->processes);
	return err;
}

static void forget_activity(struct top *top)
{
	for (size_t i = 0; i < top->node_count; i++) {
		for (size_t row = 0; row < top->nodes[i].room; row++) {
			struct activity *a = &top->nodes[i].activities[row];

			a->sent = a->received = a->collections = 0;
			a->waited_ns = a->collecting_ns = a->reds = 0;
		}
	}
}

static struct traced_node *node_of(const struct top *top, uint32_t os_id)
{
	for (size_t i = top->node_count; i > 0; i--) {
		if (is_readable(&top->nodes[i - 1]) && (uint32_t)top->nodes[i - 1].target.os_id == os_id)
			return &top->nodes[i - 1];
	}
	return NULL;
}

/* The accounts that were suspects before this reading began, and those that become ones. */
struct suspects {
	struct top *top;
	struct top_key *before;
	size_t before_count;
};

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct top_key));
}

/*
 * Is the account of a process that is gone? It is for sure if the process was not found twice: one that is
 * not found once may have begun after the processes had been read.
 */
static bool is_gone(const struct suspects *suspects, const struct top_key *key)
{
	struct top *top = suspects->top;

	if (bsearch(key, suspects->before, suspects->before_count, sizeof(*key), compare_keys))
		return true;
	if (top->suspect_count < MAX_SUSPECTS && array_has_room(top->suspects, top->suspect_count))
		top->suspects[top->suspect_count++] = *key;
	return false;
}

static bool take_account(void *data, const void *key, const void *value)
{
	const struct suspects *suspects = data;
	const struct top_key *of = key;
	const struct top_counts *now = value;
	struct traced_node *node = node_of(suspects->top, of->os_id);
	const struct process *process = node ? processes_find(node->processes, of->id) : NULL;
	struct activity *a;

	if (!process)
		return is_gone(suspects, of);
	a = activity_of(node, process);
	a->sent = (uint32_t)(now->sent - a->counts.sent);
	a->received = (uint32_t)(now->received - a->counts.received);
	a->collections = (uint32_t)(now->collections - a->counts.collections);
	a->waited_ns = now->waited_ns - a->counts.waited_ns;
	a->collecting_ns = now->collecting_ns - a->counts.collecting_ns;
	a->reds = now->reds - a->counts.reds;
	a->counts = *now;
	return false;
}

static int take_accounts(struct run *run)
{
	struct top *top = run_state(run);
	_cleanup_free_ struct top_key *before = malloc((top->suspect_count + 1) * sizeof(*before));
	struct suspects suspects = { .top = top, .before = before, .before_count = top->suspect_count };

	if (!before)
		return -ENOMEM;
	if (top->suspect_count)
		memcpy(before, top->suspects, top->suspect_count * sizeof(*before));
	qsort(before, suspects.before_count, sizeof(*before), compare_keys);
	top->suspect_count = 0;
	forget_activity(top);
	return run_each(run, "top_processes", take_account, &suspects);
}

/* Probes that were not on at all leave what was last known of the processes. */
static int take_probes(struct run *run, uint64_t now)
{
	struct top *top = run_state(run);
	uint64_t on_ns = run_on_ns(run, now);

	top->on_now_ns = on_ns - top->on_before_ns;
	top->on_before_ns = on_ns;
	if (!top->on_now_ns)
		return 0;
	top->on_ns = top->on_now_ns;
	return take_accounts(run);
}

/* Showing. */

static bool find_row(const struct top *top, size_t row, struct traced_node **node, struct process **process)
{
	for (size_t i = 0; i < top->node_count; i++) {
		size_t rows = top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;

		if (row < rows) {
			*node = &top->nodes[i];
			*process = processes_row(top->nodes[i].processes, row);
			return is_readable(*node) && row < (*node)->room && processes_has((*node)->processes, row);
		}
		row -= rows;
	}
	return false;
}

static bool has_row(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return find_row(run_state(data), row, &node, &process);
}

static bool is_exact(const struct top *top)
{
	/* A difference of less than a sample comes from two looks at the clock. */
	return top->on_now_ns + CLOCK_SLACK_NS >= top->interval_ns;
}

/*
 * What was seen of a process while probes were on, for the whole interval: by how much of its work was
 * done then, or by time where that was little.
 */
static struct value scaled(const struct top *top, const struct process *process, const struct activity *a,
			   uint64_t seen)
{
	struct value value = { .is_null = !top->on_ns };
	double scale = top->on_ns ? (double)top->interval_ns / (double)top->on_ns : 0;

	if (is_exact(top)) {
		value.number = seen;
		return value;
	}
	if (a->reds >= MIN_REDS)
		scale = (double)(process->reds - process->reds_before) / (double)a->reds;
	value.number = (uint64_t)((double)seen * scale + 0.5);
	value.is_estimate = true;
	return value;
}

/* What was received, and by what the mailbox has grown. */
static struct value came_in(const struct top *top, const struct process *process, const struct activity *a)
{
	struct value value = scaled(top, process, a, a->received);
	int64_t number = (int64_t)(value.number + process->queue - process->queue_before);

	/* The two are not read in the same moment. */
	value.number = number > 0 ? (uint64_t)number : 0;
	return value;
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	const struct run *run = data;
	const struct top *top = run_state(run);
	struct process *process;
	const struct activity *a;
	struct value value = {};
	struct traced_node *node;

	if (!find_row(top, row, &node, &process))
		return (struct value){ .is_null = true };
	a = activity_of(node, process);
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
	case OUT: return scaled(top, process, a, a->sent);
	case WAIT:
		value.is_null = !a->received;
		value.is_estimate = !is_exact(top);
		value.number = a->received ? a->waited_ns / a->received : 0;
		break;
	case GC: return scaled(top, process, a, a->collecting_ns);
	case HEAP: value.number = process->heap; break;
	case STATUS: return value_of_text(process_status(process));
	case NODE: return value_of_text(run_node(run, node->target.os_id));
	case OS_PID: value.number = (uint64_t)node->target.target->pid; break;
	case REGISTERED: return value_of_text(process_registered(node->processes, process, buf));
	case INITIAL_CALL: return value_of_text(process_initial_call(node->processes, process, buf));
	case GCS: return scaled(top, process, a, a->collections);
	case TOTAL_REDS: value.number = process->reds; break;
	}
	return value;
}

/* Samples tell few processes apart by CPU; reductions do. */
static uint64_t weight(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return find_row(run_state(data), row, &node, &process) ? process->reds - process->reds_before : 0;
}

static void refresh_names(const struct top *top, const size_t *rows, size_t count)
{
	for (size_t i = 0; i < count && i < MAX_FRESH_NAMES; i++) {
		struct process *process;
		struct traced_node *node;

		if (find_row(top, rows[i], &node, &process))
			processes_refresh_name(node->processes, process);
	}
}

/* Texts that live in a buffer become the row's own. */
static int fill_row(struct run *run, size_t row, struct value *cells)
{
	for (size_t column = 0; column < COLUMNS; column++) {
		char buf[VIEW_TEXT_SIZE];

		cells[column] = cell(run, row, column, buf);
		if (columns[column].type != COLUMN_TEXT || cells[column].is_null)
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
		if (columns[i % COLUMNS].type == COLUMN_TEXT && !cells[i].is_null)
			free((char *)cells[i].text);
	}
	free(cells);
}

static size_t table_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
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

/* The screen. */

static bool is_idle(void *data, size_t row)
{
	struct process *process;
	struct traced_node *node;

	return !find_row(run_state(data), row, &node, &process) ||
	       (!reds_of(process) && !process->queue && !activity_of(node, process)->hits);
}

static uint64_t group(void *data, size_t row)
{
	const struct top *top = run_state(data);
	struct process *process;
	struct traced_node *node;

	return find_row(top, row, &node, &process) ? (uint64_t)(node - top->nodes) : 0;
}

static struct view_key key_of(const struct top *top, size_t row)
{
	struct process *process;
	struct traced_node *node;

	if (!find_row(top, row, &node, &process))
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
		vitals->reds_per_s += reds_of(process);
		vitals->messages_per_s.number +=
			scaled(top, process, &node->activities[row], node->activities[row].sent).number;
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
	vitals->run_queue += schedulers_run_queue(node->schedulers);
}

static void read_vitals(const struct top *top, struct vitals *vitals)
{
	const double seconds = (double)top->interval_ns / NS_PER_S;

	*vitals = (struct vitals){
		.messages_per_s = { .is_null = !top->on_ns, .is_estimate = !is_exact(top) },
		.busy = top->busy,
		.collecting = top->collecting,
	};
	for (size_t i = 0; i < top->node_count; i++) {
		if (is_readable(&top->nodes[i]))
			add_vitals(top, &top->nodes[i], vitals);
	}
	if (!top->interval_ns)
		return;
	vitals->reds_per_s = (uint64_t)((double)vitals->reds_per_s / seconds);
	vitals->messages_per_s.number = (uint64_t)((double)vitals->messages_per_s.number / seconds);
}

/* The table as it is shown, from rows that were picked. */
static void show_table(struct run *run, const size_t *rows, struct sink_table *table)
{
	struct sink_note notes[TOOL_MAX_NOTES];
	struct value *cells = calloc(table->rows * COLUMNS + 1, sizeof(*cells));
	int err = cells ? 0 : -ENOMEM;

	table->cells = cells;
	table->notes = notes;
	table->note_count = table_notes(run, notes);
	for (size_t i = 0; !err && i < table->rows; i++)
		err = fill_row(run, rows[i], cells + i * COLUMNS);
	if (!err)
		run_table(run, table);
	if (cells)
		free_cells(cells, table->rows);
}

/* With all that the screen shows beside the rows. */
static void show_panel(struct run *run, const size_t *rows, size_t count, struct panel *panel)
{
	struct top *top = run_state(run);
	struct panel_fact facts[VITALS_FACTS];
	_cleanup_free_ struct view_key *keys = calloc(count + 1, sizeof(*keys));
	struct sink_table table = { .rows = count, .panel = panel };
	struct vitals vitals;

	if (!keys)
		return;
	for (size_t i = 0; i < count; i++)
		keys[i] = key_of(top, rows[i]);
	read_vitals(top, &vitals);
	panel->bars = top->bars;
	panel->bar_count = top->bar_count;
	panel->facts = facts;
	panel->fact_count = vitals_facts(&vitals, facts);
	panel->keys = keys;
	panel->group_column = NODE;
	show_table(run, rows, &table);
}

/* The number of the row of a process. False: there is none any more. */
static bool find_key(const struct top *top, const struct view_key *key, size_t *row)
{
	const struct traced_node *node = node_of(top, key->os_id);
	const struct process *process = node ? processes_find(node->processes, key->id) : NULL;

	if (!process)
		return false;
	*row = (size_t)(process - processes_row(node->processes, 0));
	for (size_t i = 0; &top->nodes[i] != node; i++)
		*row += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	return true;
}

static size_t page_of(struct top *top, size_t row, struct panel_line lines[PROCESS_PAGE_LINES])
{
	struct process_details details;
	struct traced_node *node;
	struct process *process;

	if (!find_row(top, row, &node, &process) ||
	    process_details_read(node->processes, process, &details))
		return 0;
	return process_page_make(node->processes, &details, lines);
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
	panel.line_count = is_there ? page_of(top, row, lines) : 0;
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
static void show_picked(struct run *run, size_t *rows, size_t count, size_t matching)
{
	const struct view *view = run_view(run);
	struct panel panel = { .matching = matching, .first = view->has_screen ? view_first(view, matching) : 0 };
	struct sink_table table = { .rows = count };

	refresh_names(run_state(run), rows + panel.first, count - panel.first);
	if (view->has_screen)
		show_panel(run, rows + panel.first, count - panel.first, &panel);
	else
		show_table(run, rows, &table);
}

static void show_rows(struct run *run)
{
	struct top *top = run_state(run);
	const struct view *view = run_view(run);
	struct view_source source = { .data = run,
				      .has_row = has_row,
				      .cell = cell,
				      .weight = weight,
				      .is_idle = is_idle,
				      .group = group };
	_cleanup_free_ size_t *rows = NULL;
	struct view bounded = *view;
	size_t matching;
	long count;

	for (size_t i = 0; i < top->node_count; i++)
		source.rows += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	if (view->first < source.rows && bounded.rows < source.rows - view->first)
		bounded.rows += view->first;
	else
		bounded.rows = source.rows;
	rows = calloc(bounded.rows + 1, sizeof(*rows));
	count = rows ? view_pick(&bounded, columns, COLUMNS, &source, rows, &matching) : -ENOMEM;
	if (count >= 0)
		show_picked(run, rows, (size_t)count, matching);
}

static void show(struct run *run)
{
	const struct view *view = run_view(run);

	if (view->is_open)
		show_page(run, &view->opened);
	else
		show_rows(run);
}

/* What the first interval is compared with. */
static void begin(struct run *run)
{
	struct top *top = run_state(run);

	follow_nodes(run);
	for (size_t i = 0; i < top->node_count; i++) {
		if (is_readable(&top->nodes[i]))
			processes_read(top->nodes[i].processes);
	}
	top->taken_ns = run_reached_ns(run);
	top->on_before_ns = run_on_ns(run, top->taken_ns);
}

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* The more samples cost, the fewer there are, left to chance: a fixed time between them would be a beat again. */
static bool is_left_out(struct top *top)
{
	uint64_t spacing = top->cost_ns * SAMPLE_SHARE;

	if (!top->chance)
		top->chance = duration_now() | 1;
	if (spacing > MAX_SPACING_NS)
		spacing = MAX_SPACING_NS;
	return spacing > SAMPLE_NS && chance_next(&top->chance) % spacing >= SAMPLE_NS;
}

static void tick(struct run *run)
{
	struct top *top = run_state(run);
	uint64_t began = used_ns();

	if (is_left_out(top))
		return;
	follow_nodes(run);
	top->rounds_now++;
	for (size_t i = 0; i < top->node_count; i++) {
		struct traced_node *node = &top->nodes[i];
		size_t count = is_readable(node) ? schedulers_sample(node->schedulers, node->sample) : 0;

		for (size_t k = 0; k < count; k++)
			running_add(&node->samples, node->sample[k]);
	}
	/* Who reads for us uses about as much. */
	top->cost_ns = (top->cost_ns * 7 + (used_ns() - began) * 2) / 8;
}

static int snapshot(struct run *run)
{
	struct top *top = run_state(run);
	uint64_t now = run_reached_ns(run);
	int err = 0;

	follow_nodes(run);
	top->interval_ns = now - top->taken_ns;
	top->taken_ns = now;
	top->gone = top->live = top->dropped = 0;
	for (size_t i = 0; !err && i < top->node_count; i++) {
		if (is_readable(&top->nodes[i]))
			err = read_node(top, &top->nodes[i]);
	}
	top->rounds = top->rounds_now;
	top->rounds_now = 0;
	take_hits(top);
	if (!err)
		err = take_probes(run, now);
	if (!err)
		show(run);
	return err;
}

static const struct tool_probe not_always[] = {
	{ "vm:message-enqueued", NEEDED_NEVER },
	{ "erlang:message-send", NEEDED_INSTEAD, "vm:message-enqueued" },
	{ "erlang:message-send-remote", NEEDED_NEVER },
	{},
};

static const struct tool_view view = { .sort = "cpu", .interval_ns = 2 * NS_PER_S, .show = show };

const struct tool tool_top = {
	.name = "top",
	.summary = "a live table of processes: CPU share, reductions, messages, waits, GC, heap",
	.nothing = "no process matched",
	.instead = "without --filter, all processes are shown",
	.description =
		"Shows one row per Erlang process. On a terminal the table is updated in place, and keys sort and\n"
		"filter it; otherwise a table is printed at each interval. The interval is 2 s, or longer if there\n"
		"are so many processes that reading them would take more than 4 % of a core. Most columns are read\n"
		"from the memory of the nodes, which costs the nodes nothing.\n"
		"\n"
		"  name    registered name, else the label (OTP 27), else the initial call; for a process of\n"
		"          proc_lib, that of its own module, as in observer; for one that was spawned with a fun,\n"
		"          the oldest function on its stack; in text with the ancestor that has a name\n"
		"  cpu     percent of the time on a scheduler, normal or dirty. It is sampled at random\n"
		"          times, up to 500 a second (100 if that costs much): the error is +-4 at 50 in an\n"
		"          interval of 1 s, and less in longer intervals. Of a process that was in 3 samples at\n"
		"          most, reductions are taken into account\n"
		"  reds    reductions in the interval\n"
		"  queue   messages in its mailbox now\n"
		"  in      messages that arrived: those received, and the growth of the queue\n"
		"  out     messages sent by it, also to aliases and to other nodes\n"
		"  wait    average time in the mailbox of the messages that it received\n"
		"  gc      time in garbage collections; JSON and CSV also have their number (gcs)\n"
		"  heap    bytes: both generations and fragments\n"
		"\n"
		"in, out, wait and gc come from probes, which cost the node about 0.8 us per hit. While this is\n"
		"less than 0.5 % of the capacity of its schedulers, the probes stay on and the numbers are exact.\n"
		"Otherwise they are on only in short windows, to stay below this limit. The numbers are then\n"
		"scaled to the whole interval, by the reductions of each process or by time, and marked with ~.\n"
		"--probes always gives exact numbers at any cost; --probes never turns these columns off.\n"
		"\n"
		"Keys: < > or arrows sort by another column, r reverses, / filters, p or space pauses, q quits.",
	.examples = "# A live table of all processes on this machine\n"
		    "erlbpf top\n"
		    "# The ten processes with the longest mailboxes, once\n"
		    "erlbpf top --sort queue --rows 10 1 1 | cat\n"
		    "# All rows that contain rabbit_, every 10 seconds, as JSON for other programs\n"
		    "erlbpf top -j --filter rabbit_ --rows 100000 10",
	.takes = TAKES_VIEW | TAKES_PACE,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = top_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.not_always = not_always,
	.view = &view,
	.state_size = sizeof(struct top),
	.tick = { tick, SAMPLE_NS, .is_random = true },
	.begin = begin,
	.snapshot = snapshot,
	.table_notes = table_notes,
	.end = end,
};
