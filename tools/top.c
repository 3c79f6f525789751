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
#include "out/view.h"
#include "node/processes.h"
#include "node/schedulers.h"
#include "tool.h"

#include "top.skel.h"

#define SAMPLE_NS (2 * NS_PER_MS)	/* on average, at random times: processes work on beats of their own */
#define SAMPLE_SHARE 50			/* of one processor, a 50th may be used for samples... */
#define MAX_SPACING_NS (10 * NS_PER_MS) /* ... of which there are a hundred a second at least, on average */
#define CLOCK_SLACK_NS (10 * NS_PER_MS)
#define MAX_SAMPLES (1u << 16)
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

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -14, false },
	[NAME] = { "name", COLUMN_TEXT, -32, false },
	[CPU] = { "cpu", COLUMN_DECIMAL, 6, false },
	[REDS] = { "reds", COLUMN_NUMBER, 11, false },
	[QUEUE] = { "queue", COLUMN_NUMBER, 8, false },
	[IN] = { "in", COLUMN_NUMBER, 8, false },
	[OUT] = { "out", COLUMN_NUMBER, 8, false },
	[WAIT] = { "wait", COLUMN_DURATION, 8, false },
	[GC] = { "gc", COLUMN_DURATION, 8, false },
	[HEAP] = { "heap", COLUMN_NUMBER, 11, false },
	[STATUS] = { "status", COLUMN_TEXT, -9, false },
	[NODE] = { "node", COLUMN_TEXT, 0, false },
	[OS_PID] = { "os_pid", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[REGISTERED] = { "registered_name", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[INITIAL_CALL] = { "initial_call", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
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

/* A process that was found running, and in how many samples. */
struct sample {
	uint64_t id;
	uint32_t hits;
};

struct traced_node {
	struct run_target target;
	struct processes *processes; /* NULL: they cannot be read */
	struct schedulers *schedulers;
	struct activity *activities; /* by row of a process */
	size_t room;
	struct sample *samples;
	size_t sample_count;
	bool is_full;	     /* of samples that are no more to be merged */
	double hits_per_red; /* of all processes in the interval */
	uint64_t *running;   /* of one sample */
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
	uint32_t rounds;       /* samples of each scheduler */
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
		node->running = calloc(schedulers_count(node->schedulers) + 1, sizeof(*node->running));
	if (!node->running)
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
	return node->running && !node->target.is_over;
}

static void free_node(struct traced_node *node)
{
	processes_free(node->processes);
	schedulers_free(node->schedulers);
	free(node->activities);
	free(node->samples);
	free(node->running);
}

static void end(struct run *run)
{
	struct top *top = run_state(run);

	for (size_t i = 0; i < top->node_count; i++)
		free_node(&top->nodes[i]);
	free(top->nodes);
	free(top->suspects);
}

/* Sampling. */

static int by_id(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* One for each process. */
static void merge_samples(struct traced_node *node)
{
	size_t merged = 0;

	if (!node->sample_count)
		return;
	qsort(node->samples, node->sample_count, sizeof(*node->samples), by_id);
	for (size_t i = 1; i < node->sample_count; i++) {
		if (node->samples[i].id == node->samples[merged].id)
			node->samples[merged].hits += node->samples[i].hits;
		else
			node->samples[++merged] = node->samples[i];
	}
	node->sample_count = merged + 1;
	node->is_full = node->sample_count > MAX_SAMPLES / 2;
}

static void keep_sample(struct traced_node *node, uint64_t id)
{
	if (node->sample_count == MAX_SAMPLES && !node->is_full)
		merge_samples(node);
	if (node->sample_count < MAX_SAMPLES && array_has_room(node->samples, node->sample_count))
		node->samples[node->sample_count++] = (struct sample){ .id = id, .hits = 1 };
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

	merge_samples(node);
	for (size_t i = 0; i < node->sample_count; i++) {
		const struct process *process = processes_find(node->processes, node->samples[i].id);

		if (process) {
			activity_of(node, process)->hits = node->samples[i].hits;
			hits += node->samples[i].hits;
			reds += reds_of(process);
		} else {
			top->gone += node->samples[i].hits;
		}
	}
	node->hits_per_red = reds ? (double)hits / (double)reds : 0;
	node->sample_count = 0;
	node->is_full = false;
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

static void show_rows(struct run *run, const size_t *rows, size_t count)
{
	struct sink_note notes[TOOL_MAX_NOTES];
	struct value *cells = calloc(count * COLUMNS + 1, sizeof(*cells));
	struct sink_table table = {
		.cells = cells,
		.rows = count,
		.notes = notes,
		.note_count = table_notes(run, notes),
	};
	int err = cells ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < count; i++)
		err = fill_row(run, rows[i], cells + i * COLUMNS);
	if (!err)
		run_table(run, &table);
	if (cells)
		free_cells(cells, count);
}

static void show(struct run *run)
{
	struct top *top = run_state(run);
	const struct view *view = run_view(run);
	struct view_source source = { .data = run, .has_row = has_row, .cell = cell, .weight = weight };
	_cleanup_free_ size_t *rows = NULL;
	struct view bounded = *view;
	long count;

	for (size_t i = 0; i < top->node_count; i++)
		source.rows += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	if (bounded.rows > source.rows)
		bounded.rows = source.rows;
	rows = calloc(bounded.rows + 1, sizeof(*rows));
	count = rows ? view_pick(&bounded, columns, COLUMNS, &source, rows) : -ENOMEM;
	if (count < 0)
		return;
	refresh_names(top, rows, (size_t)count);
	show_rows(run, rows, (size_t)count);
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
	top->rounds++;
	for (size_t i = 0; i < top->node_count; i++) {
		struct traced_node *node = &top->nodes[i];
		size_t count = is_readable(node) ? schedulers_sample(node->schedulers, node->running) : 0;

		for (size_t k = 0; k < count; k++)
			keep_sample(node, node->running[k]);
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
	if (!err)
		err = take_probes(run, now);
	if (!err)
		show(run);
	top->rounds = 0;
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
