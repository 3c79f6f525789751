// SPDX-License-Identifier: BSD-2-Clause
/* dist: who waits for which node, and what is sent to each. See bpf/dist.bpf.c. */
#include "dist.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "erl.h"
#include "tool.h"

#include "dist.skel.h"

static const struct column event_columns[] = {
	{ "pid", COLUMN_PID, -16, false },	   { "kind", COLUMN_TEXT, -8, false },
	{ "peer", COLUMN_TEXT, -20, false },	   { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },	   { "until", COLUMN_TEXT, -9, false },
	{ "visibility", COLUMN_TEXT, -10, false }, { "reason", COLUMN_TEXT, -17, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID,
	FIELD_KIND,
	FIELD_WHAT,
	FIELD_BEGAN,
	FIELD_TOOK,
	FIELD_ID_0 + DIST_UNTIL,
	FIELD_ID_0 + DIST_VISIBILITY,
	FIELD_ID_0 + DIST_REASON,
	FIELD_NAME,
};

static const char *const kinds[DIST_KINDS] = {
	[DIST_BUSY] = "busy",
	[DIST_UP] = "nodeup",
	[DIST_DOWN] = "nodedown",
};

/* Tables of processes and of peers have the same columns. */
enum { KEY, BLOCKED, SUSPENSIONS, SUSPENDED, LONGEST, NODE, PROCESS_COLUMNS };
enum { PACKETS = PROCESS_COLUMNS, BYTES, LARGEST, PEER_COLUMNS };

#define TABLE_COLUMNS(key)                                                                                             \
	[KEY] = { key, COLUMN_TEXT, -28, false }, [BLOCKED] = { "blocked", COLUMN_NUMBER, 8, false, "processes" },     \
	[SUSPENSIONS] = { "suspensions", COLUMN_NUMBER, 11, false, NULL, "dist-suspensions" },                         \
	[SUSPENDED] = { "suspended", COLUMN_DURATION, 9, false, NULL, "dist-suspended" },                              \
	[LONGEST] = { "longest", COLUMN_DURATION, 8, false }, [NODE] = { "node", COLUMN_TEXT, -20, false }

static const struct column peer_columns[PEER_COLUMNS] = {
	TABLE_COLUMNS("peer"),
	[PACKETS] = { "packets", COLUMN_NUMBER, 10, false, NULL, "dist-packets" },
	[BYTES] = { "bytes", COLUMN_NUMBER, 12, false, "bytes", "dist" },
	[LARGEST] = { "largest", COLUMN_NUMBER, 10, false, "bytes" },
};

static const struct column pid_columns[PROCESS_COLUMNS] = { TABLE_COLUMNS("pid") };
static const struct column name_columns[PROCESS_COLUMNS] = { TABLE_COLUMNS("name") };
static const struct column mfa_columns[PROCESS_COLUMNS] = { TABLE_COLUMNS("mfa") };

struct row {
	struct dist_key key;
	struct counter packets, suspensions;
	uint64_t blocked;
};

struct rows {
	struct row *rows;
	size_t count;
	uint64_t whole_ns; /* see run_whole_since() */
	int err;
};

static bool is_of_peers(const struct run *run)
{
	return !run_options(run)->by || run_options(run)->by == TAKES_BY_PEER;
}

static struct row *row_of(struct rows *rows, uint64_t id, uint64_t os_id)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].key.id == id && rows->rows[i].key.os_id == os_id)
			return &rows->rows[i];
	}
	if (!array_has_room(rows->rows, rows->count)) {
		rows->err = -ENOMEM;
		return NULL;
	}
	rows->rows[rows->count] = (struct row){ .key = { .id = id, .os_id = os_id } };
	return &rows->rows[rows->count++];
}

static bool add_blocked(void *data, const void *key, const void *value)
{
	const struct dist_suspended *suspended = value;
	struct rows *rows = data;
	struct row *row;

	(void)key;
	/* It may have been resumed while the probes were away. */
	if (suspended->c.start_ns < rows->whole_ns)
		return false;
	row = row_of(rows, suspended->key, suspended->c.os_id);
	if (row)
		row->blocked++;
	return false;
}

static int make_rows(struct run *run, struct rows *rows)
{
	const struct counter_row *counters;
	size_t count;
	int err = run_counter(run, &counters, &count);

	for (size_t i = 0; !err && i < count; i++) {
		const struct counter_row *t = &counters[i];
		struct row *row = row_of(rows, t->key.id, t->key.os_id);

		if (row && t->key.kind == DIST_PACKETS)
			row->packets = t->counter;
		else if (row)
			row->suspensions = t->counter;
	}
	if (!err)
		err = run_each(run, "dist_suspended", add_blocked, rows);
	return err ? err : rows->err;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->suspensions.sum != y->suspensions.sum)
		return x->suspensions.sum > y->suspensions.sum ? -1 : 1;
	if (x->packets.sum != y->packets.sum)
		return x->packets.sum > y->packets.sum ? -1 : 1;
	return x->key.id < y->key.id ? -1 : x->key.id > y->key.id;
}

static void fill(struct run *run, const struct row *row, bool of_peers, struct value *cells)
{
	int os_id = (int)row->key.os_id;

	cells[KEY].text = row->key.id ? run_id(run, os_id, row->key.id) : os_id ? "(unknown)" : "other";
	cells[BLOCKED].number = row->blocked;
	cells[SUSPENSIONS].number = row->suspensions.count;
	cells[SUSPENDED].number = row->suspensions.sum;
	cells[LONGEST].number = row->suspensions.max;
	cells[NODE] = (struct value){ .os_id = os_id, .text = run_node(run, os_id) };
	if (!of_peers)
		return;
	cells[PACKETS].number = row->packets.count;
	cells[BYTES].number = row->packets.sum;
	cells[LARGEST].number = row->packets.max;
}

static int show_rows(struct run *run, const struct rows *rows)
{
	bool of_peers = is_of_peers(run);
	size_t columns = of_peers ? PEER_COLUMNS : PROCESS_COLUMNS;
	_cleanup_free_ struct value *cells = calloc(rows->count * columns + 1, sizeof(*cells));
	struct sink_table table = { .cells = cells, .rows = rows->count };

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++)
		fill(run, &rows->rows[i], of_peers, cells + i * columns);
	run_table(run, &table);
	return 0;
}

/* A file of CSV holds one table, which without --by is that of the events. */
static bool wants_table(const struct run *run)
{
	return run_options(run)->by || run_options(run)->format != SINK_CSV;
}

static int snapshot(struct run *run)
{
	struct rows rows = { .whole_ns = run_whole_since(run) };
	bool has_events = !run_options(run)->by;
	int err = make_rows(run, &rows);

	if (!err && rows.count)
		qsort(rows.rows, rows.count, sizeof(*rows.rows), compare);
	if (!err && wants_table(run) && (rows.count || !has_events)) {
		if (has_events)
			run_columns(run, peer_columns, fields, PEER_COLUMNS);
		err = show_rows(run, &rows);
		if (has_events)
			run_columns(run, event_columns, fields, TOOL_COUNT(event_columns));
	}
	free(rows.rows);
	return err;
}

static int configure(struct run *run)
{
	switch (run_options(run)->by) {
	case TAKES_BY_PEER: run_table_columns(run, peer_columns, PEER_COLUMNS); break;
	case TAKES_BY_PID: run_table_columns(run, pid_columns, PROCESS_COLUMNS); break;
	case TAKES_BY_NAME: run_table_columns(run, name_columns, PROCESS_COLUMNS); break;
	case TAKES_BY_MFA: run_table_columns(run, mfa_columns, PROCESS_COLUMNS); break;
	default: run_draws(run, wants_table(run) ? peer_columns : NULL, PEER_COLUMNS);
	}
	return 0;
}

static int finish(struct run *run)
{
	return run_options(run)->by ? 0 : run_show_open(run, "dist_suspended");
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[DIST_ACCOUNTS] = {
		[DIST_UNLISTED] = { .name = "unlisted",
				    .is_loss = true,
				    .text = "times more than 4096 processes were resumed at once; "
					    "the rest were not measured",
				    .one = "time more than 4096 processes were resumed at once; "
					   "the rest were not measured" },
	};

	return run_accounts(run, accounts, DIST_ACCOUNTS, notes);
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", peer_columns, PEER_COLUMNS },
	{},
};

const struct tool tool_dist = {
	.name = "dist",
	.summary = "which senders wait for which peer node, and how much is sent to each",
	.nothing = "no sender was suspended, no peer came or went, and nothing was sent to one",
	.instead = "`erlbpf sockets` shows all connections",
	.description =
		"The VM suspends a sender when the data that waits to be sent to a peer exceeds a limit (+zdbbl).\n"
		"Prints each suspension, until the process is resumed, the peer goes down or the process exits,\n"
		"and each peer that connects or disconnects. A suspension that lasts at the end of the trace is\n"
		"shown as \"still\". At the end, or at every interval, a table shows the packets and bytes that\n"
		"were queued for each peer, without the header of the carrier (4 bytes per packet for TCP). --by\n"
		"only prints the table. Not measured are ticks, the handshake of a connection, and suspensions\n"
		"that started before the trace.",
	.examples = "# Which processes are suspended for 10 ms or more, and by which peer?\n"
		    "erlbpf dist --min 10ms\n"
		    "# Traffic to every peer, every second\n"
		    "erlbpf dist --by peer 1\n"
		    "# Which processes are suspended longest?\n"
		    "erlbpf dist --by name -d 60",
	.takes = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_MFA | TAKES_BY_PEER | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2),
	.elf = dist_bpf__elf_bytes,
	.columns = { event_columns, TOOL_COUNT(event_columns), fields },
	.other_columns = other_columns,
	.kinds = { kinds, DIST_KINDS },
	.configure = configure,
	.snapshot = snapshot,
	.finish = finish,
	.notes = notes,
};
