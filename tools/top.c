// SPDX-License-Identifier: BSD-2-Clause
/*
 * top: what each process of a node does. What the VM keeps of a process anyway is read from its memory
 * (node/processes/processes.h), which one runs is sampled (node/processes/schedulers.h), and messages and collections
 * are counted by probes (bpf/top.bpf.c).
 */
#include "top_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "out/view.h"

#include "top.skel.h"

#define SAMPLE_NS (2 * NS_PER_MS)	/* on average, at random times: processes work on beats of their own */
#define SAMPLE_SHARE 50			/* of one processor, a 50th may be used for samples... */
#define MAX_SPACING_NS (10 * NS_PER_MS) /* ... of which there are a hundred a second at least, on average */
#define MAX_SUSPECTS (1u << 16)

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
	top_groups_free(&top->groups);
}

/* Taking. */

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

static void take_samples(struct top *top, struct traced_node *node)
{
	uint64_t hits = 0, reds = 0;

	running_merge(&node->samples);
	for (size_t i = 0; i < node->samples.count; i++) {
		const struct running_process *sample = &node->samples.list[i];
		const struct process *process = processes_find(node->processes, sample->id);

		if (process) {
			top_activity(node, process)->hits = sample->hits;
			hits += sample->hits;
			reds += top_reds(process);
		} else {
			top->gone += sample->hits;
		}
	}
	node->hits_per_red = reds ? (double)hits / (double)reds : 0;
	running_clear(&node->samples);
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

/* The work of the schedulers in the interval. */
static void take_hits(struct top *top)
{
	top->bar_count = 0;
	top->busy = top->collecting = 0;
	for (int kind = 0; kind < SCHEDULER_KINDS; kind++) {
		for (size_t i = 0; i < top->node_count; i++) {
			if (top_is_readable(&top->nodes[i]) && add_bars(top, &top->nodes[i], (enum scheduler_kind)kind))
				return;
		}
	}
	for (size_t i = 0; i < top->node_count; i++) {
		if (top_is_readable(&top->nodes[i]))
			schedulers_forget_hits(top->nodes[i].schedulers);
	}
}

static int read_node(struct top *top, struct traced_node *node)
{
	int read = processes_read(node->processes), err = make_activities(node);

	/* It may have ended just now: what was read before that is there all the same. */
	if (err || read)
		return read == -ENOMEM ? read : err;
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
			a->waited_ns = a->collecting_ns = 0;
		}
	}
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
	struct traced_node *node = top_node(suspects->top, of->os_id);
	const struct process *process = node ? processes_find(node->processes, of->id) : NULL;
	struct activity *a;

	if (!process)
		return is_gone(suspects, of);
	a = top_activity(node, process);
	a->sent = (uint32_t)(now->sent - a->counts.sent);
	a->received = (uint32_t)(now->received - a->counts.received);
	a->collections = (uint32_t)(now->collections - a->counts.collections);
	a->waited_ns = now->waited_ns - a->counts.waited_ns;
	a->collecting_ns = now->collecting_ns - a->counts.collecting_ns;
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

/* The base of the first interval. */
static void begin(struct run *run)
{
	struct top *top = run_state(run);

	follow_nodes(run);
	for (size_t i = 0; i < top->node_count; i++) {
		if (top_is_readable(&top->nodes[i]))
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

/* The more samples cost, the fewer there are. */
static void space_out(struct run *run, const struct top *top)
{
	uint64_t spacing = top->cost_ns * SAMPLE_SHARE;

	if (spacing > MAX_SPACING_NS)
		spacing = MAX_SPACING_NS;
	run_tick_every(run, spacing > SAMPLE_NS ? spacing : SAMPLE_NS);
}

static void tick(struct run *run)
{
	struct top *top = run_state(run);
	uint64_t began = used_ns();

	follow_nodes(run);
	top->rounds_now++;
	for (size_t i = 0; i < top->node_count; i++) {
		struct traced_node *node = &top->nodes[i];
		size_t count = top_is_readable(node) ? schedulers_sample(node->schedulers, node->sample) : 0;

		for (size_t k = 0; k < count; k++)
			running_add(&node->samples, node->sample[k]);
	}
	/* The reader process uses about as much. */
	top->cost_ns = (top->cost_ns * 7 + (used_ns() - began) * 2) / 8;
	space_out(run, top);
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
		if (top_is_readable(&top->nodes[i]))
			err = read_node(top, &top->nodes[i]);
	}
	top->rounds = top->rounds_now;
	top->rounds_now = 0;
	take_hits(top);
	if (!err)
		err = take_probes(run, now);
	if (!err)
		top_show(run);
	return err;
}

static const struct tool_probe not_always[] = {
	{ "vm:message-enqueued", NEEDED_NEVER },
	{ "erlang:message-send", NEEDED_INSTEAD, "vm:message-enqueued" },
	{ "erlang:message-send-remote", NEEDED_NEVER },
	{ "vm:message-removed", NEEDED_NEVER },
	{ "erlang:message-receive", NEEDED_INSTEAD, "vm:message-removed" },
	{},
};

static const struct tool_view view = { .sort = "cpu", .interval_ns = 2 * NS_PER_S, .show = top_show };

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
		"          proc_lib, that of its own module, as in observer; for one spawned with a fun, the oldest\n"
		"          function on its stack. Text adds the nearest ancestor with a name\n"
		"  cpu     percent of the time on a scheduler, normal or dirty. It is sampled at random\n"
		"          times, up to 500 a second (100 if that costs much): the error is +-4 at 50 in an\n"
		"          interval of 1 s, and less in longer intervals. For a process with at most 3\n"
		"          samples, its reductions are used too\n"
		"  reds    reductions in the interval\n"
		"  queue   messages in its mailbox now\n"
		"  in      messages that arrived: those received, and the growth of the queue\n"
		"  out     messages sent by it, also to aliases and to other nodes\n"
		"  wait    average time in the mailbox of the messages that it received\n"
		"  gc      time in garbage collections; JSON and CSV also have their number (gcs)\n"
		"  heap    bytes: both generations and fragments\n"
		"  binaries  on a wide screen, in JSON and CSV: bytes of binaries outside of heaps; each reference\n"
		"          of the process counts\n"
		"\n"
		"in, out, wait and gc come from probes, which cost the node about 0.8 us per hit. While this is\n"
		"less than 1 % of the capacity of its schedulers, the probes stay attached and the numbers are\n"
		"exact. Otherwise they are attached in random windows, and the numbers are what was seen in these:\n"
		"in is then the messages received. A line above the table says for how long probes were attached.\n"
		"--probes always gives exact numbers at any cost; --probes never turns these columns off.\n"
		"\n"
		"On a terminal, lines above the table sum up the nodes:\n"
		"  sched, dirty cpu, io   percent of the samples in which a scheduler of the kind ran a process or a\n"
		"             port, and a bar for each, by number\n"
		"  run queue  processes and ports that wait for a scheduler now\n"
		"  gc         percent of the samples of busy schedulers in which a process collected garbage\n"
		"  reds, msgs per second, of live processes: reductions, messages sent\n"
		"  procs, ports, atoms  number and limit; red from 80 % on\n"
		"  rss        memory of the VM, as the kernel counts it\n"
		"  heaps, binaries  bytes of all processes; each reference to a binary counts\n"
		"  ets, code  bytes of ETS tables, as erlang:memory(ets); of loaded code, as erlang:memory(code), but\n"
		"             without the tables of exports and funs\n"
		"Columns and numbers that do not fit are left out, the last first. k, M and G are\n"
		"thousands, millions and billions, K and more of bytes steps of 1,024. Numbers that stand out are\n"
		"coloured, unless NO_COLOR is set.\n"
		"\n"
		"Keys: Up, Down, PgUp, PgDn, Home and End select a row; < > or Left and Right sort by another column,\n"
		"r reverses, / filters, i hides processes that did nothing in the interval and have no messages,\n"
		"t groups the rows, with\n"
		"sums: by node, by the nearest registered ancestor that has started others, such as the supervisor\n"
		"of an application, or not at all; p or space pauses, ? lists the keys, q quits. Enter opens the "
		"selected\n"
		"process: all columns, its parent, its stack (up to 8 functions; for a running process, as of its "
		"last\n"
		"call of the VM), links, monitors, and the processes that monitor it. Esc goes back.\n"
		"While the page is open, probes also trace each message of this process. The page shows the age of "
		"the\n"
		"oldest waiting message (>= if it is older than the page), a histogram of the waiting times of\n"
		"received messages, and the senders with their counts.",
	.examples = "# A live table of all processes on this machine\n"
		    "erlbpf top\n"
		    "# The ten processes with the longest mailboxes, once\n"
		    "erlbpf top --sort queue --rows 10 1 1 | cat\n"
		    "# All rows that contain rabbit_, every 10 seconds, as JSON for other programs\n"
		    "erlbpf top -j --filter rabbit_ --rows 100000 10",
	.takes = TAKES_VIEW | TAKES_PACE,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = top_bpf__elf_bytes,
	.columns = { top_columns, COLUMNS },
	.not_always = not_always,
	.view = &view,
	.state_size = sizeof(struct top),
	.tick = { tick, SAMPLE_NS, .is_random = true },
	.begin = begin,
	.snapshot = snapshot,
	.table_notes = top_table_notes,
	.end = end,
};
