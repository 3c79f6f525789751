// SPDX-License-Identifier: BSD-2-Clause
/* run-queue: how long processes wait for a scheduler, and how long queues are. See bpf/run-queue.bpf.c. */
#include "run-queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool.h"

#include "run-queue.skel.h"

enum { SCHEDULER, NODE, PICKS, LENGTH, LONGEST, MIGRATED, COLUMNS };

static const struct column columns[COLUMNS] = {
	[SCHEDULER] = { "scheduler", COLUMN_TEXT, -12, false }, [NODE] = { "node", COLUMN_TEXT, -20, false },
	[PICKS] = { "picks", COLUMN_NUMBER, 10, false },	[LENGTH] = { "length", COLUMN_DECIMAL, 8, false },
	[LONGEST] = { "longest", COLUMN_NUMBER, 8, false },	[MIGRATED] = { "migrated", COLUMN_NUMBER, 10, false },
};

/* With --min: the cases. */
static const struct column case_columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "queued", COLUMN_TIME, -15, false },
	{ "waited", COLUMN_DURATION, 8, false }, { "scheduler", COLUMN_TEXT, -12, false },
	{ "behind", COLUMN_SIGNED, 7, false },	 { "migrated", COLUMN_TEXT, -8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_BEGAN, FIELD_TOOK, FIELD_SCHEDULER, FIELD_AMOUNT_0 + RUN_QUEUE_BEHIND, FIELD_KIND, FIELD_NAME,
};

static const char *const kinds[] = { "no", "yes" };

static int configure(struct run *run)
{
	if (run_options(run)->min_ns)
		run_columns(run, case_columns, fields, TOOL_COUNT(fields));
	return 0;
}

static uint64_t migrated_to(const struct counter_row *rows, size_t count, const struct counter_key *scheduler)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].key.kind == RUN_QUEUE_MIGRATED && rows[i].key.id == scheduler->id &&
		    rows[i].key.os_id == scheduler->os_id)
			return rows[i].counter.count;
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct value *x = a, *y = b;
	int order = strcmp(x[NODE].text, y[NODE].text);

	/* 10 is behind 2. */
	return order ? order : strverscmp(x[SCHEDULER].text, y[SCHEDULER].text);
}

static size_t fill_rows(struct run *run, const struct counter_row *rows, size_t count, struct value *cells)
{
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		const struct counter_row *row = &rows[i];
		struct value *cell = cells + filled * COLUMNS;

		if (row->key.kind != RUN_QUEUE_LENGTH)
			continue;
		cell[SCHEDULER].text = row->key.id ? run_id(run, (int)row->key.os_id, row->key.id) : "other";
		cell[NODE].text = row->key.id ? run_node(run, (int)row->key.os_id) : "";
		cell[PICKS].number = row->counter.count;
		cell[LENGTH].number = (row->counter.sum * 1000 + row->counter.count / 2) / row->counter.count;
		cell[LONGEST].number = row->counter.max;
		cell[MIGRATED].number = migrated_to(rows, count, &row->key);
		filled++;
	}
	qsort(cells, filled, sizeof(*cells) * COLUMNS, by_name);
	return filled;
}

static int snapshot(struct run *run)
{
	_cleanup_free_ struct value *cells = NULL;
	struct sink_table table = {};
	const struct counter_row *rows;
	size_t count;
	int err = run_counter(run, &rows, &count);

	if (err || run_options(run)->min_ns)
		return err;
	cells = calloc((count + 1) * COLUMNS, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	table.cells = cells;
	table.rows = fill_rows(run, rows, count, cells);
	run_table(run, &table);
	return 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[RUN_QUEUE_ACCOUNTS] = {
		[RUN_QUEUE_UNSEEN] = { .name = "unqueued",
				       .text = "processes were picked whose enqueue was not seen",
				       .one = "process was picked whose enqueue was not seen" },
	};

	return run_accounts(run, accounts, RUN_QUEUE_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "runnable to running",
	.unit = "ns",
	.metric = "run-queue-wait",
};

const struct tool tool_run_queue = {
	.name = "run-queue",
	.summary = "how long processes wait in run queues, and how long the queues are",
	.nothing = "no process became runnable",
	.description =
		"Measures the time from when a process becomes runnable (it is spawned, woken, or preempted) to\n"
		"when a scheduler picks it. sched-latency measures the same for each message. For each scheduler\n"
		"the table shows how many processes it picked, how many others were in its run queue at that time\n"
		"(average and maximum), and how many of the picked processes had last run on another scheduler,\n"
		"because they were stolen or moved by load balancing. Steals and other moves are not\n"
		"distinguished.",
	.examples = "# How long are the run queues, every second?\n"
		    "erlbpf run-queue 1\n"
		    "# Which processes wait longest? For 10 seconds\n"
		    "erlbpf run-queue --by name -d 10\n"
		    "# Every wait of 5 ms or more, and how many processes waited behind\n"
		    "erlbpf run-queue --min 5ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0),
	.elf = run_queue_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.kinds = { kinds, TOOL_COUNT(kinds) },
	.hist = &hist,
	.configure = configure,
	.snapshot = snapshot,
	.notes = notes,
};
