// SPDX-License-Identifier: BSD-2-Clause
/*
 * mailbox: how long messages wait to be received. See bpf/mailbox.bpf.c. A message that is not received tells no probe
 * of it: what still waits is read from the mailboxes in the memory of the nodes, and when it came from the programs.
 * What they have not seen came before them, while the probes were away, or was made of a signal: how long it has waited
 * at least is known from earlier looks at the memory.
 */
#include "mailbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "hist.h"
#include "node/processes/backlogs.h"
#include "node/processes/processes.h"
#include "tool.h"

#include "mailbox.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "sender", COLUMN_TEXT, -16, false },
	{ "enqueued", COLUMN_TIME, -15, false }, { "received", COLUMN_TIME, -15, false },
	{ "wait", COLUMN_DURATION, 8, false },	 { "length", COLUMN_SIGNED, 8, false, "messages" },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_WHAT, FIELD_BEGAN, FIELD_ENDED, FIELD_TOOK, FIELD_AMOUNT_0 + MAILBOX_LENGTH, FIELD_NAME,
};

static int configure(struct run *run)
{
	__u32 length = run_options(run)->length;

	if (length)
		run_measures(run, "length of the mailbox when a message is received", "messages");
	return run_set(run, "mailbox_length", &length, sizeof(length));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[MAILBOX_ACCOUNTS] = {
		[MAILBOX_UNSEEN] = { .name = "not_enqueued",
				     .text = "messages were enqueued before the trace, or made from signals",
				     .one = "message was enqueued before the trace, or made from a signal" },
	};

	return run_accounts(run, accounts, MAILBOX_ACCOUNTS, notes);
}

/* Messages that still wait. */

#define MIN_WAIT_NS (100 * NS_PER_MS) /* a message that is younger is on its way to be received */
#define MAX_WAITING (1u << 12)	      /* processes; of many more, those with the longest mailboxes */
#define LOOK_NS NS_PER_S	      /* between two looks, while probes are sampled */

struct traced_node {
	struct run_target target;
	struct processes *processes; /* NULL: they cannot be read */
	struct backlogs *backlogs;   /* the same */
};

/* A message that was seen to come, in the order of receivers, and of the oldest first. */
struct seen_message {
	uint64_t receiver, enqueued_ns;
	uint32_t os_id;
};

struct mailboxes {
	struct traced_node *nodes;
	size_t node_count;
	struct seen_message *seen;
	size_t seen_count;
	uint64_t reached_ns;
	uint64_t whole_ns; /* since when all messages were seen, see run_whole_since() */
};

/* A process and what waits in its mailbox: `unseen` messages, in parts, then those of `seen`. */
struct waiting_process {
	const struct traced_node *node;
	struct process *process;
	const struct seen_message *seen;
	size_t seen_count;
	uint64_t unseen;
	struct backlog_part parts[BACKLOG_PARTS + 1];
	size_t part_count;
	char key[NAME_SIZE];
};

static void free_node(struct traced_node *node)
{
	processes_free(node->processes);
	backlogs_free(node->backlogs);
}

/* Removes messages that are gone. Both lists have the same order. */
static void drop_nodes(const struct run *run, struct mailboxes *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->node_count; i++) {
		if (kept < run_targets(run) && run_target(run, kept).serial == m->nodes[i].target.serial)
			m->nodes[kept++] = m->nodes[i];
		else
			free_node(&m->nodes[i]);
	}
	m->node_count = kept;
}

static void follow_nodes(struct run *run)
{
	struct mailboxes *m = run_state(run);

	drop_nodes(run, m);
	while (m->node_count < run_targets(run)) {
		struct traced_node *node;

		if (!array_has_room(m->nodes, m->node_count))
			return;
		node = &m->nodes[m->node_count];
		*node = (struct traced_node){ .target = run_target(run, m->node_count) };
		node->processes = processes_new(node->target.target, node->target.pids, run_name_style(run));
		node->backlogs = node->processes ? backlogs_new() : NULL;
		m->node_count++;
	}
	for (size_t i = 0; i < m->node_count; i++)
		m->nodes[i].target.is_over = run_target(run, i).is_over;
}

static void end(struct run *run)
{
	struct mailboxes *m = run_state(run);

	for (size_t i = 0; i < m->node_count; i++)
		free_node(&m->nodes[i]);
	free(m->nodes);
	free(m->seen);
}

static bool keep_seen(void *data, const void *key, const void *value)
{
	const struct mailbox_message *message = value;
	const struct mailbox_key *of = key;
	struct mailboxes *m = data;

	/* It is unknown whether a message from before the probes went off still waits. */
	if (message->enqueued_ns >= m->whole_ns && array_has_room(m->seen, m->seen_count))
		m->seen[m->seen_count++] = (struct seen_message){ message->receiver, message->enqueued_ns, of->os_id };
	return false;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_receivers(const struct seen_message *a, const struct seen_message *b)
{
	int order = compare_numbers(a->os_id, b->os_id);

	return order ? order : compare_numbers(a->receiver, b->receiver);
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen_message *x = a, *y = b;
	int order = compare_receivers(x, y);

	return order ? order : compare_numbers(x->enqueued_ns, y->enqueued_ns);
}

/* The first that is not before the key. */
static size_t lower_bound(const struct mailboxes *m, const struct seen_message *key)
{
	size_t from = 0, to = m->seen_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (compare_receivers(&m->seen[middle], key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* More may have been seen than there are: what was dropped is not always forgotten. The newest are there. */
static void find_seen(const struct mailboxes *m, struct waiting_process *w)
{
	struct seen_message key = { .receiver = w->process->id, .os_id = (uint32_t)w->node->target.os_id };
	size_t from = lower_bound(m, &key), to;

	for (to = from; to < m->seen_count && !compare_receivers(&m->seen[to], &key);)
		to++;
	if (to - from > w->process->queue)
		from = to - w->process->queue;
	w->seen = m->seen + from;
	w->seen_count = to - from;
	w->unseen = w->process->queue - w->seen_count;
}

/* If all was seen since the oldest message is where it is, and none came to that place, it is that one. */
static uint64_t oldest_since(const struct run *run, const struct waiting_process *w)
{
	const struct mailboxes *m = run_state(run);
	struct mailbox_key key = { .os_id = (uint32_t)w->node->target.os_id };
	struct mailbox_message message;
	uint64_t since_ns;

	key.message = backlogs_head(w->node->backlogs, w->process->id, &since_ns);
	if (!key.message || since_ns < m->whole_ns || !run_get(run, "mailbox_waiting", &key, &message))
		return m->reached_ns;
	return since_ns;
}

/* The known part about messages that no program saw. */
static void find_unseen(const struct run *run, struct waiting_process *w)
{
	const struct mailboxes *m = run_state(run);
	uint64_t rest = w->unseen, since_ns = rest ? oldest_since(run, w) : 0;
	size_t known = backlogs_parts(w->node->backlogs, w->process->id, w->parts);

	w->part_count = 0;
	for (size_t i = 0; i < known && rest && w->parts[i].since_ns < since_ns; i++) {
		if (w->parts[i].messages > rest)
			w->parts[i].messages = rest;
		rest -= w->parts[i].messages;
		w->part_count++;
	}
	if (rest)
		w->parts[w->part_count++] = (struct backlog_part){ since_ns, rest };
	else if (!w->part_count)
		w->parts[0] = (struct backlog_part){ m->reached_ns, 0 };
}

static uint64_t age(const struct mailboxes *m, uint64_t enqueued_ns)
{
	return m->reached_ns > enqueued_ns ? m->reached_ns - enqueued_ns : 0;
}

static uint64_t age_of_oldest(const struct mailboxes *m, const struct waiting_process *w)
{
	uint64_t unseen = w->unseen ? age(m, w->parts[0].since_ns) : 0;
	uint64_t seen = w->seen_count ? age(m, w->seen[0].enqueued_ns) : 0;

	return unseen > seen ? unseen : seen;
}

static void set_key(struct run *run, struct waiting_process *w)
{
	const char *text = "";

	switch (run_options(run)->by) {
	case TAKES_BY_PID: text = run_id(run, w->node->target.os_id, w->process->id); break;
	case TAKES_BY_NAME: text = process_name(w->node->processes, w->process, w->key); break;
	case TAKES_BY_MFA: text = process_call(w->node->processes, w->process, w->key); break;
	case TAKES_BY_NODE: text = run_node(run, w->node->target.os_id); break;
	default: break;
	}
	if (text != w->key)
		snprintf(w->key, sizeof(w->key), "%s", text);
}

static int compare_keys(const void *a, const void *b)
{
	const struct waiting_process *x = a, *y = b;
	int order = compare_numbers((uint64_t)x->node->target.os_id, (uint64_t)y->node->target.os_id);

	return order ? order : strcmp(x->key, y->key);
}

struct waiting_hist {
	struct sink_hist shown;
	uint64_t slots[HIST_SLOTS];
};

static void add(struct waiting_hist *hist, uint64_t value, uint64_t times)
{
	if (!times)
		return;
	if (!hist->shown.count || value < hist->shown.min)
		hist->shown.min = value;
	if (value > hist->shown.max)
		hist->shown.max = value;
	hist->shown.count += times;
	hist->shown.sum += value * times;
	hist->slots[hist_slot(value)] += times;
}

static void add_process(struct run *run, const struct waiting_process *w, struct waiting_hist *hist)
{
	const struct mailboxes *m = run_state(run);

	if (run_options(run)->length) {
		add(hist, w->process->queue, 1);
		return;
	}
	for (size_t i = 0; i < w->part_count; i++)
		add(hist, age(m, w->parts[i].since_ns), w->parts[i].messages);
	for (size_t i = 0; i < w->seen_count; i++)
		add(hist, age(m, w->seen[i].enqueued_ns), 1);
}

/* Processes with one key on one node. */
static void show_group(struct run *run, const struct waiting_process *group, size_t count, struct waiting_hist *hist)
{
	bool by_length = run_options(run)->length;
	char name[NAME_SIZE];

	*hist = (struct waiting_hist){
		.shown = {
			.title = by_length ? "length of mailboxes whose messages still wait" :
					     "still waiting in the mailbox, at least so long",
			.unit = by_length ? "messages" : "ns",
			.is_waiting = true,
		},
	};
	if (run_options(run)->by) {
		hist->shown.key = group->key[0] ? group->key : "(unknown)";
		hist->shown.node = run_node(run, group->node->target.os_id);
		hist->shown.os_id = group->node->target.os_id;
	}
	if (run_options(run)->by == TAKES_BY_PID)
		hist->shown.name = process_description(group->node->processes, group->process, name);
	hist->shown.slots = hist->slots;
	for (size_t i = 0; i < count; i++)
		add_process(run, &group[i], hist);
	run_hist(run, &hist->shown);
}

/* With --min: the process, and the oldest message in its mailbox. */
static void show_case(struct run *run, const struct waiting_process *w)
{
	const struct mailboxes *m = run_state(run);
	uint64_t oldest_ns = age_of_oldest(m, w);
	struct value values[] = {
		{ .number = w->process->id },
		{ .is_null = true },
		{ .is_null = w->unseen, .number = run_wall_ns(run, m->reached_ns - oldest_ns) },
		{ .is_null = true },
		{ .number = oldest_ns, .is_at_least = w->unseen > 0 },
		{ .signed_number = (int64_t)w->process->queue },
		{ .text = "" },
	};
	struct sink_event shown = {
		.probe = "still-waiting",
		.time_ns = run_wall_ns(run, m->reached_ns),
		.os_id = w->node->target.os_id,
		.node = run_node(run, w->node->target.os_id),
		.values = values,
	};
	char name[NAME_SIZE];

	processes_refresh_name(w->node->processes, w->process);
	values[TOOL_COUNT(values) - 1].text = process_description(w->node->processes, w->process, name);
	run_event(run, &shown);
}

/* False: it cannot be read. */
static bool look(const struct traced_node *node)
{
	if (!node->processes || !node->backlogs || node->target.is_over || processes_read(node->processes))
		return false;
	backlogs_look(node->backlogs, node->processes, duration_now());
	return true;
}

static int find_waiting(struct run *run, struct waiting_process **list, size_t *count)
{
	const struct mailboxes *m = run_state(run);
	const struct options *o = run_options(run);
	uint64_t least = o->min_ns > MIN_WAIT_NS ? o->min_ns : MIN_WAIT_NS;

	for (size_t i = 0; i < m->node_count; i++) {
		const struct traced_node *node = &m->nodes[i];

		if (!look(node))
			continue;
		if (o->by && o->by != TAKES_BY_NODE)
			processes_read_names(node->processes);
		for (size_t row = 0; row < processes_rows(node->processes) && *count < MAX_WAITING; row++) {
			struct waiting_process w = { .node = node, .process = processes_row(node->processes, row) };

			if (!processes_has(node->processes, row) || !w.process->queue ||
			    (o->erl_pid && o->erl_pid != w.process->id))
				continue;
			find_seen(m, &w);
			find_unseen(run, &w);
			if (age_of_oldest(m, &w) < least)
				continue;
			set_key(run, &w);
			if (!array_has_room(*list, *count))
				return -ENOMEM;
			(*list)[(*count)++] = w;
		}
	}
	return 0;
}

static int show_waiting(struct run *run, struct waiting_process *list, size_t count)
{
	_cleanup_free_ struct waiting_hist *hist = malloc(sizeof(*hist));
	bool is_one = !run_options(run)->by;

	if (!hist)
		return -ENOMEM;
	if (count)
		qsort(list, count, sizeof(*list), compare_keys);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && (is_one || !compare_keys(&list[from], &list[to]));)
			to++;
		show_group(run, &list[from], to - from, hist);
	}
	return 0;
}

static void begin(struct run *run)
{
	const struct mailboxes *m = run_state(run);

	follow_nodes(run);
	for (size_t i = 0; i < m->node_count; i++)
		look(&m->nodes[i]);
}

/* New nodes, and all nodes with messages that no probe sees. */
static void tick(struct run *run)
{
	const struct mailboxes *m = run_state(run);
	size_t known = m->node_count;

	follow_nodes(run);
	for (size_t i = run_whole_since(run) ? 0 : known; i < m->node_count; i++)
		look(&m->nodes[i]);
}

static int snapshot(struct run *run)
{
	struct mailboxes *m = run_state(run);
	_cleanup_free_ struct waiting_process *list = NULL;
	size_t count = 0;
	int err;

	follow_nodes(run);
	m->seen_count = 0;
	m->reached_ns = run_reached_ns(run);
	m->whole_ns = run_whole_since(run);
	err = run_each(run, "mailbox_waiting", keep_seen, m);
	if (m->seen_count)
		qsort(m->seen, m->seen_count, sizeof(*m->seen), compare_seen);
	if (!err)
		err = find_waiting(run, &list, &count);
	if (!err)
		err = show_waiting(run, list, count);
	for (size_t i = 0; !err && run_options(run)->min_ns && i < count; i++)
		show_case(run, &list[i]);
	return err;
}

static const struct tool_histogram hist = {
	.title = "time of a message in the mailbox",
	.unit = "ns",
	.metric = "mailbox-wait",
};

const struct tool tool_mailbox = {
	.name = "mailbox",
	.summary = "how long messages wait in mailboxes",
	.nothing = "no message was received",
	.instead = "`erlbpf top` shows how many wait in mailboxes",
	.description =
		"Measures the time from when a message enters the mailbox of its receiver to when a receive\n"
		"takes it out, in any order. A message waits until its receiver is scheduled, until the messages\n"
		"before it are handled, and until a receive matches it. --min prints each message that waited\n"
		"that long, with the length of the mailbox when it was received, itself included. --length shows\n"
		"a histogram of that length. Messages that the VM makes from a signal when the receiver handles\n"
		"it ('DOWN', 'EXIT') are not measured.\n"
		"\n"
		"Messages that still wait at the end, or at an interval, are shown too: for each mailbox whose oldest\n"
		"message has waited for 100 ms or --min, how long all of its messages have waited so far. If no probe\n"
		"saw a message (it is older than the trace, arrived while the probes were off, or was made from a\n"
		"signal), this is at least the time since it was first found in the node's memory, which is read at\n"
		"the start, at each interval, and once a second if probes are off.",
	.examples = "# Which receivers leave messages waiting longest?\n"
		    "erlbpf mailbox --by name -d 10\n"
		    "# How long are their mailboxes?\n"
		    "erlbpf mailbox --by name --length -d 10\n"
		    "# Each message that waited for 1 s or more, when it is received\n"
		    "erlbpf mailbox --min 1s",
	.takes = TAKES_BY_PROCESS | TAKES_MIN | TAKES_ERL_PID | TAKES_LENGTH,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = mailbox_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.hist = &hist,
	.tick = { tick, LOOK_NS },
	.configure = configure,
	.state_size = sizeof(struct mailboxes),
	.begin = begin,
	.snapshot = snapshot,
	.end = end,
	.notes = notes,
};
