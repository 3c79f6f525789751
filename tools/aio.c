// SPDX-License-Identifier: BSD-2-Clause
/* aio: how long the queues of the async pool become, and what a job takes. See bpf/aio.bpf.c. */
#include "aio.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "operation.h"
#include "tool.h"

#include "aio.skel.h"

static const struct column columns[] = {
	{ "began", COLUMN_TIME, -15, false }, { "port", COLUMN_TEXT, -14, false },
	{ "pid", COLUMN_PID, -16, false },    { "took", COLUMN_DURATION, 8, false },
	{ "queue", COLUMN_SIGNED, 6, false }, { "port_name", COLUMN_TEXT, -16, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_BEGAN, FIELD_ID_0 + OPERATION_THING, FIELD_PID, FIELD_TOOK, FIELD_AMOUNT_0 + AIO_QUEUE, FIELD_WHAT,
	FIELD_NAME,
};

enum { JOBS, LARGEST, PROCESS, NODE, LENGTHS };

static const struct column lengths[LENGTHS] = {
	[JOBS] = { "jobs", COLUMN_NUMBER, 10, false },
	[LARGEST] = { "largest_queue", COLUMN_NUMBER, 13, false },
	[PROCESS] = { "process", COLUMN_NUMBER, 10, false },
	[NODE] = { "node", COLUMN_TEXT, 0, false },
};

static int configure(struct run *run)
{
	if (!run_options(run)->min_ns)
		run_table_columns(run, lengths, LENGTHS);
	return run_operations_key(run);
}

static void fill_row(struct run *run, const struct counter_row *row, struct value cells[LENGTHS])
{
	const char *node = run_node(run, (int)row->key.os_id);

	cells[JOBS].number = row->counter.count;
	cells[LARGEST].number = row->counter.max;
	cells[PROCESS] = (struct value){ .number = erl_os_pid((uint32_t)row->key.os_id), .is_null = !row->key.os_id };
	cells[NODE] = (struct value){ .text = node, .is_null = !*node };
}

static int snapshot(struct run *run)
{
	static const struct counter_row nothing;
	_cleanup_free_ struct value *cells = NULL;
	const struct counter_row *rows;
	struct sink_table table = {};
	int err = run_counter(run, &rows, &table.rows);

	if (err || run_options(run)->min_ns)
		return err;
	cells = calloc(table.rows + 1, sizeof(*cells) * LENGTHS);
	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < table.rows; i++)
		fill_row(run, &rows[i], cells + i * LENGTHS);
	/* That nothing was queued is an answer. */
	if (!table.rows)
		fill_row(run, &nothing, cells + table.rows++);
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[AIO_ACCOUNTS] = {
		[AIO_QUEUED] = { .name = "queued", .text = "jobs were queued", .one = "job was queued" },
		[AIO_READY] = { .name = "ready", .text = "jobs were completed", .one = "job was completed" },
		[AIO_DROPPED] = { .name = "dropped",
				  .text = "jobs ended after their port was closed",
				  .one = "job ended after its port was closed" },
	};

	return run_accounts(run, accounts, AIO_ACCOUNTS, notes);
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", lengths, TOOL_COUNT(lengths) },
	{},
};

static const struct tool_histogram hist = {
	.title = "time of a job in the async threads",
	.unit = "ns",
	.is_of_calls = true,
};

const struct tool tool_aio = {
	.name = "aio",
	.summary = "how many jobs queue for the async threads, and how long they take",
	.nothing = "no job was given to the async threads",
	.instead = "`erlbpf files` shows file operations, which do not use them",
	.description =
		"Drivers hand jobs to the async threads of the VM with driver_async. Shows the largest number of\n"
		"jobs that were queued or running at a time, by node, and a histogram of the time from when a job\n"
		"is queued until its driver gets the result. File operations do not use these threads (see\n"
		"`erlbpf files`); the driver of the standard output (until OTP 25) and drivers of other programs\n"
		"do. The number is 0 if no driver uses them.",
	.examples = "# The largest number of jobs in every 10 seconds\n"
		    "erlbpf aio 10\n"
		    "# Which ports wait for their jobs?\n"
		    "erlbpf aio --by port -d 10",
	.takes = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_NODE | TAKES_BY_PORT | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = aio_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = other_columns,
	.hist = &hist,
	.configure = configure,
	.snapshot = snapshot,
	.notes = notes,
};
