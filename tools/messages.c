// SPDX-License-Identifier: BSD-2-Clause
/* messages: who sends what to whom, and how much. See bpf/messages.bpf.c. */
#include "messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "hist.h"
#include "out/sink_hist.h"
#include "probe/catalogue.h"
#include "tool.h"

#include "messages.skel.h"

#define MESSAGE_TEXT 8192
#define WHO_TEXT 640 /* two names, and what is around them */

static const char *const kinds[MESSAGES_KINDS] = {
	[MESSAGES_SEND] = "send",
	[MESSAGES_REMOTE] = "remote",
	[MESSAGES_QUEUED] = "queued",
	[MESSAGES_RECEIVED] = "received",
};

/* Events. */

enum { KIND, FROM, TO, SIZE, QUEUE, FROM_NAME, TO_NAME, PEER, LABEL, SERIAL, PREVIOUS, MESSAGE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KIND] = { "kind", COLUMN_TEXT, -8, false },
	[FROM] = { "from", COLUMN_TEXT, -14, false },
	[TO] = { "to", COLUMN_TEXT, -14, false },
	[SIZE] = { "size", COLUMN_NUMBER, 6, false, "words" },
	[QUEUE] = { "queue", COLUMN_NUMBER, 6, false },
	[FROM_NAME] = { "from_name", COLUMN_TEXT, -20, false },
	[TO_NAME] = { "to_name", COLUMN_TEXT, -20, false },
	[PEER] = { "peer", COLUMN_TEXT, -12, false },
	[LABEL] = { "label", COLUMN_SIGNED, 6, false },
	[SERIAL] = { "serial", COLUMN_SIGNED, 6, false },
	[PREVIOUS] = { "previous", COLUMN_SIGNED, COLUMN_NOT_IN_TEXT, false },
	[MESSAGE] = { "message", COLUMN_TEXT, 0, false },
};

/* The probes whose hits are counted. */

enum { C_KIND, C_FROM, C_TO, C_MESSAGES, C_WORDS, C_P50, C_MAX, C_FROM_NAME, C_TO_NAME, C_NODE, C_PROCESS, C_COLUMNS };

static const struct column pair_columns[C_COLUMNS] = {
	[C_KIND] = { "kind", COLUMN_TEXT, -8, false },
	[C_FROM] = { "from", COLUMN_TEXT, -14, false },
	[C_TO] = { "to", COLUMN_TEXT, -14, false },
	[C_MESSAGES] = { "messages", COLUMN_NUMBER, 10, false },
	[C_WORDS] = { "words", COLUMN_NUMBER, 12, false, "words" },
	[C_P50] = { "p50", COLUMN_NUMBER, 6, false, "words" },
	[C_MAX] = { "max", COLUMN_NUMBER, 6, false, "words" },
	[C_FROM_NAME] = { "from_name", COLUMN_TEXT, -20, false },
	[C_TO_NAME] = { "to_name", COLUMN_TEXT, -20, false },
	[C_NODE] = { "node", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[C_PROCESS] = { "os_pid", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
};

enum { K_KIND, K_KEY, K_MESSAGES, K_WORDS, K_P50, K_MAX, K_NAME, K_NODE, K_PROCESS, K_COLUMNS };

static const struct column key_columns[K_COLUMNS] = {
	[K_KIND] = { "kind", COLUMN_TEXT, -8, false },
	[K_KEY] = { "key", COLUMN_TEXT, -24, false },
	[K_MESSAGES] = { "messages", COLUMN_NUMBER, 10, false },
	[K_WORDS] = { "words", COLUMN_NUMBER, 12, false, "words" },
	[K_P50] = { "p50", COLUMN_NUMBER, 6, false, "words" },
	[K_MAX] = { "max", COLUMN_NUMBER, 6, false, "words" },
	[K_NAME] = { "name", COLUMN_TEXT, -20, false },
	[K_NODE] = { "node", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[K_PROCESS] = { "os_pid", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
};

static enum messages_by by_of(enum option_set by)
{
	if (!by)
		return MESSAGES_EACH;
	switch (by) {
	case TAKES_BY_PAIR: return MESSAGES_BY_PAIR;
	case TAKES_BY_PID: return MESSAGES_BY_PID;
	case TAKES_BY_NAME: return MESSAGES_BY_NAME;
	case TAKES_BY_MFA: return MESSAGES_BY_MFA;
	case TAKES_BY_NODE: return MESSAGES_BY_NODE;
	default: return MESSAGES_BY_KIND;
	}
}

static enum messages_by by(const struct run *run)
{
	return by_of(run_options(run)->by);
}

static int configure(struct run *run)
{
	const struct options *options = run_options(run);
	const char *glob = options->chose_glob ? options->glob : "message-send*";
	struct messages_config config = {
		.erl_pid = options->erl_pid,
		.show = options->show,
		.by = by(run),
		.measures = probe_is_chosen("vm:message-send-copy", glob),
	};

	run_choose_probes(run, glob);
	if (config.by == MESSAGES_BY_PAIR)
		run_table_columns(run, pair_columns, C_COLUMNS);
	else if (config.by)
		run_table_columns(run, key_columns, K_COLUMNS);
	return run_set(run, "messages_config", &config, sizeof(config));
}

static struct value number(uint64_t number, bool is_known)
{
	return (struct value){ .number = number, .is_null = !is_known };
}

static struct value signed_number(int64_t number, bool is_known)
{
	return (struct value){ .signed_number = number, .is_null = !is_known };
}

/* The name of a node, without the quotes that a note puts around it. */
static const char *node_name(struct run *run, int os_id, uint64_t id, char buf[WHO_TEXT])
{
	const char *name = run_id(run, os_id, id);
	size_t length = strlen(name);

	if (*name != '\'' || length < 2)
		return name;
	snprintf(buf, WHO_TEXT, "%.*s", (int)length - 2, name + 1);
	return buf;
}

static bool is_node(const char *name)
{
	return strchr(name, '@') != NULL;
}

/* A name on another node is kept as an MFA of the two atoms (bpf/messages.bpf.c); in notes it is a text. */
static const char *name_on_node(struct run *run, int os_id, uint64_t id, char buf[WHO_TEXT])
{
	uint64_t value = erl_id_value(id), mask = (1 << ERL_ID_ATOM_BITS) - 1;
	uint64_t node = erl_id_of(ERL_ID_ATOM, value >> (ERL_ID_ATOM_BITS + 8));
	uint64_t name = erl_id_of(ERL_ID_ATOM, value >> 8 & mask);
	int n = snprintf(buf, WHO_TEXT, "{%s,", run_id(run, os_id, name));

	snprintf(buf + n, WHO_TEXT - (size_t)n, "'%s'}", run_id(run, os_id, node));
	return buf;
}

/* A sender or a receiver. Messages to an alias on another node have the node in their pair. */
static const char *who(struct run *run, int os_id, uint64_t id, char buf[WHO_TEXT])
{
	const char *shown;

	if (erl_id_kind(id) == ERL_ID_MFA)
		return name_on_node(run, os_id, id, buf);
	shown = run_id(run, os_id, id);
	return *shown == '\'' ? node_name(run, os_id, id, buf) : shown;
}

/* The data behind the event; NULL if it is incomplete. */
static const struct term_snapshot *message_of(const struct messages_event *e, size_t size)
{
	const struct term_snapshot *message = (const void *)(e + 1);

	size -= sizeof(*e);
	return size >= TERM_SNAPSHOT_HEAD && size >= term_snapshot_size(message) ? message : NULL;
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct messages_event *e = record;
	const struct term_snapshot *message;
	char buf[MESSAGE_TEXT], to[WHO_TEXT], peer[WHO_TEXT], probe[PROBE_NAME_SIZE];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values };
	const char *other;
	int os_id;

	if (size < sizeof(*e) || e->probe >= probe_count() || e->kind >= MESSAGES_KINDS)
		return;
	os_id = (int)e->os_id;
	shown.probe = probe_name(e->probe, probe);
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_id = os_id;
	shown.node = run_node(run, os_id);
	other = node_name(run, os_id, e->peer, peer);
	values[KIND] = value_of_text(kinds[e->kind]);
	values[FROM] = value_of_text(e->from == e->peer && is_node(other) ? "" : run_id(run, os_id, e->from));
	values[TO] = value_of_text(who(run, os_id, e->to, to));
	values[SIZE] = number(e->size, e->has & MESSAGES_HAS_SIZE);
	values[QUEUE] = number(e->queue, e->has & MESSAGES_HAS_QUEUE);
	values[FROM_NAME] = value_of_text(run_id(run, os_id, e->from_name));
	values[TO_NAME] = value_of_text(run_id(run, os_id, e->to_name));
	values[PEER] = value_of_text(is_node(other) ? other : "");
	values[LABEL] = signed_number(e->label, e->has & MESSAGES_HAS_LABEL);
	values[SERIAL] = signed_number(e->serial, e->has & MESSAGES_HAS_TOKEN);
	values[PREVIOUS] = signed_number(e->previous, e->has & MESSAGES_HAS_TOKEN);
	message = e->has & MESSAGES_HAS_MESSAGE ? message_of(e, size) : NULL;
	values[MESSAGE] = value_of_text(message ? run_term(run, os_id, message, buf, sizeof(buf)) : "");
	run_event(run, &shown);
}

/* Rows that differ only in the slot of their size, which are side by side in an array. */
struct group {
	const struct counter_row *rows;
	size_t count;
	uint64_t messages;
	uint64_t sized; /* those whose size is known */
	uint64_t words;
	uint64_t max;
};

static uint32_t kind_of(const struct counter_row *row)
{
	return row->key.kind >> MESSAGES_COUNTER_SHIFT;
}

static uint32_t slot_of(const struct counter_row *row)
{
	return row->key.kind & MESSAGES_COUNTER_SLOT;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_groups(const struct counter_row *x, const struct counter_row *y)
{
	int order = compare(x->key.os_id, y->key.os_id);

	if (!order)
		order = compare(kind_of(x), kind_of(y));
	if (!order)
		order = compare(x->key.id, y->key.id);
	return order ? order : compare(x->key.other, y->key.other);
}

static int by_group(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;
	int order = compare_groups(x, y);

	return order ? order : compare(slot_of(x), slot_of(y));
}

static int by_messages(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int order = compare(x->messages, y->messages);

	return order ? order : by_group(x->rows, y->rows);
}

static void add_to_group(struct group *g, const struct counter_row *row)
{
	g->count++;
	g->messages += row->counter.count;
	if (slot_of(row) == MESSAGES_COUNTER_SLOT)
		return;
	g->sized += row->counter.count;
	g->words += row->counter.sum;
	if (row->counter.max > g->max)
		g->max = row->counter.max;
}

/* The groups of rows that are sorted by group, by ascending count of messages. Returns how many. */
static size_t make_groups(const struct counter_row *rows, size_t count, struct group *groups)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || compare_groups(&rows[i - 1], &rows[i]))
			groups[made++] = (struct group){ .rows = &rows[i] };
		add_to_group(&groups[made - 1], &rows[i]);
	}
	qsort(groups, made, sizeof(*groups), by_messages);
	return made;
}

/* Sizes of the group. The smallest is exact where its slot is: below 16, and where all in it are equal. */
static struct sink_hist hist_of(const struct group *g, uint64_t slots[HIST_SLOTS])
{
	struct sink_hist hist = {
		.title = "size of messages",
		.unit = "words",
		.count = g->sized,
		.unmeasured = g->messages - g->sized,
		.sum = g->words,
		.max = g->max,
		.slots = slots,
	};

	memset(slots, 0, HIST_SLOTS * sizeof(*slots));
	for (size_t i = g->count; i > 0; i--) {
		const struct counter_row *row = &g->rows[i - 1];
		uint32_t slot = slot_of(row);

		if (slot >= HIST_SLOTS)
			continue;
		slots[slot] = row->counter.count;
		hist.min = row->counter.sum == row->counter.count * row->counter.max ? row->counter.max
										     : hist_slot_lo(slot);
	}
	return hist;
}

/* A key of the result, other than a pair. */
static const char *key_text(struct run *run, const struct counter_row *row, char buf[WHO_TEXT])
{
	int os_id = (int)row->key.os_id;
	const char *node;

	switch (by(run)) {
	case MESSAGES_BY_NODE:
		node = node_name(run, os_id, row->key.id, buf);
		if (is_node(node))
			return node;
		node = run_node(run, os_id);
		return *node ? node : "(no name)";
	case MESSAGES_BY_KIND: return kinds[kind_of(row)];
	default: return row->key.id ? run_id(run, os_id, row->key.id) : "(unknown)";
	}
}

static const char *or_unknown(const char *text)
{
	return *text ? text : "(unknown)";
}

static const char *hist_key(struct run *run, const struct counter_row *row, char *buf, size_t size)
{
	int os_id = (int)row->key.os_id;
	uint32_t kind = kind_of(row);
	char one[WHO_TEXT];
	const char *before = kind == MESSAGES_QUEUED || kind == MESSAGES_RECEIVED ? kinds[kind] : "";
	int n = snprintf(buf, size, "%s%s", before, *before ? " " : "");

	if (by(run) == MESSAGES_BY_KIND)
		return kinds[kind];
	if (by(run) != MESSAGES_BY_PAIR) {
		snprintf(buf + n, size - (size_t)n, "%s", key_text(run, row, one));
		return buf;
	}
	n += snprintf(buf + n, size - (size_t)n, "%s -> ", or_unknown(run_id(run, os_id, row->key.id)));
	snprintf(buf + n, size - (size_t)n, "%s", or_unknown(who(run, os_id, row->key.other, one)));
	return buf;
}

static const char *hist_name(struct run *run, const struct counter_row *row, char *buf, size_t size)
{
	int os_id = (int)row->key.os_id, n;
	const struct counter *counter = &row->counter;

	if (by(run) == MESSAGES_BY_PID)
		return run_id(run, os_id, counter->name);
	if (by(run) != MESSAGES_BY_PAIR || (!counter->name && !counter->other_name))
		return NULL;
	n = snprintf(buf, size, "%s -> ", or_unknown(run_id(run, os_id, counter->name)));
	snprintf(buf + n, size - (size_t)n, "%s", or_unknown(run_id(run, os_id, counter->other_name)));
	return buf;
}

static bool is_text(const struct run *run)
{
	return run_options(run)->format == SINK_TEXT;
}

static void show_hist(struct run *run, const struct group *g, uint64_t slots[HIST_SLOTS])
{
	char key[2 * WHO_TEXT], name[2 * WHO_TEXT];
	struct sink_hist hist = hist_of(g, slots);

	hist.os_id = (int)g->rows->key.os_id;
	hist.node = run_node(run, hist.os_id);
	hist.key = hist_key(run, g->rows, key, sizeof(key));
	hist.name = hist_name(run, g->rows, name, sizeof(name));
	if (hist.count || is_text(run))
		run_hist(run, &hist);
}

/* People are shown histograms as the rows of a table, where this is one more. */
static void show_other(struct run *run, uint64_t other, uint64_t slots[HIST_SLOTS])
{
	const struct group none = { .messages = other };
	struct sink_hist hist = hist_of(&none, slots);

	hist.key = "other";
	if (other)
		run_hist(run, &hist);
}

/* Texts of a table's cells, which are not valid for long: kept until the table is shown. */
struct texts {
	char **made;
	size_t count;
};

static struct value keep(struct texts *texts, const char *from)
{
	char *copy = *from ? strdup(from) : NULL;

	if (copy)
		texts->made[texts->count++] = copy;
	return value_of_text(copy ? copy : "");
}

static void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->made[i]);
	free(texts->made);
}

static void fill_pair(struct run *run, const struct group *g, struct value *cells, struct texts *texts)
{
	const struct counter_row *row = g->rows;
	int os_id = (int)row->key.os_id;
	char buf[WHO_TEXT];

	cells[C_FROM] = keep(texts, run_id(run, os_id, row->key.id));
	cells[C_TO] = keep(texts, who(run, os_id, row->key.other, buf));
	cells[C_FROM_NAME] = keep(texts, run_id(run, os_id, row->counter.name));
	cells[C_TO_NAME] = keep(texts, run_id(run, os_id, row->counter.other_name));
	cells[C_NODE] = keep(texts, run_node(run, os_id));
	cells[C_PROCESS] = number(erl_os_pid(row->key.os_id), true);
}

static void fill_key(struct run *run, const struct group *g, struct value *cells, struct texts *texts)
{
	const struct counter_row *row = g->rows;
	int os_id = (int)row->key.os_id;
	char buf[WHO_TEXT];

	cells[K_KEY] = keep(texts, key_text(run, row, buf));
	cells[K_NAME] = keep(texts, run_id(run, os_id, row->counter.name));
	cells[K_NODE] = keep(texts, run_node(run, os_id));
	cells[K_PROCESS] = number(erl_os_pid(row->key.os_id), true);
}

/* Four columns with numbers of the group. */
static void fill_numbers(const struct group *g, struct value *cells, uint64_t slots[HIST_SLOTS])
{
	struct sink_hist hist = hist_of(g, slots);

	cells[0] = number(g->messages, true);
	cells[1] = number(g->words, g->sized);
	cells[2] = number(g->sized ? sink_percentile(&hist, 0.5) : 0, g->sized);
	cells[3] = number(g->max, g->sized);
}

static int show_table(struct run *run, const struct group *groups, size_t count, uint64_t other,
		      uint64_t slots[HIST_SLOTS])
{
	bool is_pair = by(run) == MESSAGES_BY_PAIR;
	size_t width = is_pair ? C_COLUMNS : K_COLUMNS;
	_cleanup_free_ struct value *cells = calloc(count * width + 1, sizeof(*cells));
	struct texts texts = { .made = calloc(count * width + 1, sizeof(*texts.made)) };
	const struct sink_note note = {
		.name = "other",
		.text = "more messages, whose keys did not fit in the table",
		.one = "more message, whose key did not fit in the table",
		.count = other,
	};
	struct sink_table table = { .cells = cells, .rows = count, .notes = &note, .note_count = 1 };

	for (size_t i = 0; cells && texts.made && i < count; i++) {
		/* The largest first. */
		const struct group *g = &groups[count - 1 - i];
		struct value *row = cells + i * width;

		row[0] = value_of_text(kinds[kind_of(g->rows)]);
		(is_pair ? fill_pair : fill_key)(run, g, row, &texts);
		fill_numbers(g, row + (is_pair ? C_MESSAGES : K_MESSAGES), slots);
	}
	if (cells && texts.made)
		run_table(run, &table);
	texts_free(&texts);
	return cells ? 0 : -ENOMEM;
}

/* Moves what did not fit under a key behind the others. Returns how many messages that were. */
static uint64_t take_other(const struct counter_row *rows, size_t *count)
{
	const struct counter_row *last = *count ? &rows[*count - 1] : NULL;

	if (!last || last->key.os_id)
		return 0;
	(*count)--;
	return last->counter.count;
}

static int show_counts(struct run *run, struct counter_row *rows, size_t count)
{
	_cleanup_free_ uint64_t *slots = calloc(HIST_SLOTS, sizeof(*slots));
	_cleanup_free_ struct group *groups = calloc(count + 1, sizeof(*groups));
	uint64_t other = take_other(rows, &count);
	size_t made;

	if (!slots || !groups)
		return -ENOMEM;
	qsort(rows, count, sizeof(*rows), by_group);
	made = make_groups(rows, count, groups);
	/* One table a file. */
	for (size_t i = 0; run_options(run)->format != SINK_CSV && i < made; i++)
		show_hist(run, &groups[i], slots);
	if (!is_text(run))
		return show_table(run, groups, made, other, slots);
	show_other(run, other, slots);
	return 0;
}

static int snapshot(struct run *run)
{
	const struct counter_row *borrowed;
	_cleanup_free_ struct counter_row *rows = NULL;
	size_t count;
	int err;

	if (!by(run))
		return 0;
	err = run_counter(run, &borrowed, &count);
	if (err)
		return err;
	rows = calloc(count + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	memcpy(rows, borrowed, count * sizeof(*rows));
	return show_counts(run, rows, count);
}

static size_t table_notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	(void)run;
	notes[0] = (struct sink_note){ .name = "other",
				       .text = "more messages, whose keys did not fit in the table",
				       .one = "more message, whose key did not fit in the table" };
	return 1;
}

const struct tool tool_messages = {
	.name = "messages",
	.summary = "which processes exchange messages, their size and their content",
	.nothing = "no message was seen",
	.instead = "`erlbpf messages 'message-*'` also shows what is queued and received",
	.description =
		"Prints each message that a process sends to a process of its own node or of another node: size\n"
		"in words, length of the receiver's mailbox, and label and serial of the seq_trace token if there\n"
		"is one. --show also prints the message like ~0p does; about 2000 bytes of a message are read, and\n"
		"`...` stands for the rest. --by counts messages and shows a table of their sizes: p50, p90, p99, max\n"
		"and total are words. --by pair groups by sender and receiver. Messages whose size is unknown are\n"
		"counted only.\n"
		"\n"
		"GLOB selects the probes: message-send* (the default), message-queued and message-receive;\n"
		"'message-*' selects all. The size is the number of words copied, so it is 0 for an atom, a small\n"
		"integer or a literal. On VMs without notes, sizes need an additional probe on every copy of a\n"
		"term (the glob message-send alone does without it), and the size of messages that are queued,\n"
		"received or sent to other nodes is unknown.",
	.examples = "# Which messages does one process send and get?\n"
		    "erlbpf messages --show --erl-pid '<0.91.0>'\n"
		    "# Which pairs of processes exchange most messages, and how large are they?\n"
		    "erlbpf messages --by pair -d 10\n"
		    "# What does it receive, and how long is its mailbox then?\n"
		    "erlbpf messages message-receive --erl-pid '<0.91.0>' -T",
	.takes = TAKES_ERL_PID | TAKES_SHOW | TAKES_GLOB | TAKES_BY_PROCESS | TAKES_BY_PAIR | TAKES_BY_KIND,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4) | TOOL_ARG(5) | TOOL_ARG(6) |
		TOOL_ARG(ERL_ARG_DETAILS) | TOOL_ARG(ERL_ARG_TERM) | TOOL_ARG(ERL_ARG_STATE),
	.elf = messages_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.hands_hists = true,
	.configure = configure,
	.event = event,
	.snapshot = snapshot,
	.table_notes = table_notes,
};
