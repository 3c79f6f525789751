// SPDX-License-Identifier: BSD-2-Clause
/* locks: how long the VM's threads wait for locks. See bpf/locks.bpf.c. */
#include "locks.h"

#include "tool.h"

#include "locks.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },     { "kind", COLUMN_TEXT, -7, false },
	{ "lock", COLUMN_TEXT, -32, false },   { "of", COLUMN_TEXT, -12, false },
	{ "began", COLUMN_TIME, -15, false },  { "waited", COLUMN_DURATION, 8, false },
	{ "thread", COLUMN_NUMBER, 8, false }, { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_ID_0 + LOCKS_OF, FIELD_BEGAN, FIELD_TOOK, FIELD_THREAD, FIELD_NAME,
};

static const char *const kinds[LOCKS_KINDS] = {
	[LOCKS_PROCESS] = "process",
	[LOCKS_TABLE] = "table",
	[LOCKS_VM] = "vm",
	[LOCKS_OTHER] = "other",
};

/* Asked neither for keys nor for single waits. */
enum { KIND, LOCK, WAITS, TIME, MAX, COUNTER_COLUMNS };

static const struct column counter_columns[COUNTER_COLUMNS] = {
	[KIND] = { "kind", COLUMN_TEXT, -8, false },	 [LOCK] = { "lock", COLUMN_TEXT, -40, false },
	[WAITS] = { "waits", COLUMN_NUMBER, 10, false }, [TIME] = { "time", COLUMN_DURATION, 8, false },
	[MAX] = { "max", COLUMN_DURATION, 8, false },
};

static bool shows_counters(const struct options *options)
{
	return !options->by && !options->min_ns;
}

static int configure(struct run *run)
{
	const struct options *o = run_options(run);
	struct locks_config config = { .by_kind = o->by == TAKES_BY_KIND, .counters = shows_counters(o) };

	if (config.counters)
		run_columns(run, counter_columns, NULL, COUNTER_COLUMNS);
	return run_set(run, "locks_config", &config, sizeof(config));
}

static void fill_row(struct run *run, const struct counter_row *row, struct value *cells)
{
	bool is_rest = !row->key.os_pid;

	cells[KIND].text = is_rest || row->key.kind >= LOCKS_KINDS ? "other" : kinds[row->key.kind];
	cells[LOCK].text = run_id(run, (int)row->key.os_pid, row->key.id);
	cells[LOCK].is_null = !*cells[LOCK].text;
	cells[WAITS].number = row->counter.count;
	cells[TIME].number = row->counter.sum;
	cells[MAX].number = row->counter.max;
}

static int snapshot(struct run *run)
{
	return shows_counters(run_options(run)) ? run_counter_table(run, COUNTER_COLUMNS, fill_row) : 0;
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", counter_columns, COUNTER_COLUMNS },
	{},
};

static const struct tool_histogram hist = {
	.title = "wait for a lock",
	.unit = "ns",
	.metric = "lock-wait",
};

const struct tool tool_locks = {
	.name = "locks",
	.summary = "how long the VM's threads wait for locks",
	.description =
		"Waits for locks of processes (main, msgq, btm, status, trace), of ETS tables, and for other\n"
		"read/write locks of the VM, from the moment a thread finds the lock taken to the moment it has\n"
		"it. A lock that is free is not seen and costs nothing. A lock in the VM's data is shown by its\n"
		"symbol, or as ~symbol+0x... behind the one before it; others by their address. The process\n"
		"is the one that waits, once its scheduler has picked it since the trace began; OF is the one\n"
		"whose lock it is. Locks of the C library are not seen: run queues, ports, allocators and timers\n"
		"have such.",
	.examples = "# Which locks are waited for?\n"
		    "erlbpf locks -d 10\n"
		    "# Who waits?\n"
		    "erlbpf locks --by name -d 10\n"
		    "# Every wait of 1 ms or more\n"
		    "erlbpf locks --min 1ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_KIND | TAKES_BY_LOCK | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = locks_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = other_columns,
	.kinds = { kinds, LOCKS_KINDS },
	.hist = &hist,
	.configure = configure,
	.snapshot = snapshot,
};
