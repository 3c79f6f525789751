// SPDX-License-Identifier: BSD-2-Clause
/* locks: how long the VM's threads wait for locks. See bpf/locks.bpf.c. */
#include "locks.h"

#include "tool.h"

#include "locks.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	  { "kind", COLUMN_TEXT, -7, false },
	{ "lock", COLUMN_TEXT, -32, false },	  { "of", COLUMN_TEXT, -12, false },
	{ "began", COLUMN_TIME, -15, false },	  { "waited", COLUMN_DURATION, 8, false },
	{ "scheduler", COLUMN_TEXT, -12, false }, { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_ID_0 + LOCKS_OF, FIELD_BEGAN, FIELD_TOOK, FIELD_SCHEDULER, FIELD_NAME,
};

static const char *const kinds[LOCKS_KINDS] = {
	[LOCKS_PROCESS] = "process",
	[LOCKS_TABLE] = "table",
	[LOCKS_VM] = "vm",
	[LOCKS_OTHER] = "other",
};

/* Asked neither for keys nor for single waits. */
enum { KIND, LOCK, OF, WAITS, TIME, MAX, OF_PID, COUNTER_COLUMNS };

static const struct column counter_columns[COUNTER_COLUMNS] = {
	[KIND] = { "kind", COLUMN_TEXT, -8, false },
	[LOCK] = { "lock", COLUMN_TEXT, -32, false },
	[OF] = { "of", COLUMN_TEXT, -28, false },
	[WAITS] = { "waits", COLUMN_NUMBER, 10, false },
	[TIME] = { "time", COLUMN_DURATION, 8, false },
	[MAX] = { "max", COLUMN_DURATION, 8, false },
	[OF_PID] = { "of_pid", COLUMN_PID, COLUMN_NOT_IN_TEXT, false },
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
		run_table_columns(run, counter_columns, COUNTER_COLUMNS);
	return run_set(run, "locks_config", &config, sizeof(config));
}

/* The owner of the lock: its name, else its pid, written into `name`. */
static const char *owner(struct run *run, const struct counter_row *row, char name[RUN_NAME_SIZE])
{
	int os_id = (int)row->key.os_id;
	const char *known = run_name(run, os_id, row->key.other, row->counter.other_name, name);

	return *known ? known : run_id(run, os_id, row->key.other);
}

static void fill_row(struct run *run, const struct counter_row *row, struct value *cells, char name[RUN_NAME_SIZE])
{
	bool is_rest = !row->key.os_id;

	cells[KIND].text = is_rest || row->key.kind >= LOCKS_KINDS ? "other" : kinds[row->key.kind];
	cells[LOCK] = value_of_text(run_id(run, (int)row->key.os_id, row->key.id));
	cells[OF] = value_of_text(row->key.other ? owner(run, row, name) : "");
	cells[WAITS].number = row->counter.count;
	cells[TIME].number = row->counter.sum;
	cells[MAX].number = row->counter.max;
	cells[OF_PID] = (struct value){ .number = row->key.other, .is_null = !row->key.other };
}

static int by_time(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	/* The row of locks that did not fit is last. */
	if (!x->key.os_id != !y->key.os_id)
		return x->key.os_id ? -1 : 1;
	return x->counter.sum < y->counter.sum ? 1 : x->counter.sum > y->counter.sum ? -1 : 0;
}

static int snapshot(struct run *run)
{
	return shows_counters(run_options(run)) ? run_counter_rows(run, COUNTER_COLUMNS, by_time, fill_row) : 0;
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
	.nothing = "no thread waited for a lock",
	.instead = "taking a free lock is not measured",
	.description =
		"Measures waits for process locks (main, msgq, btm, status, trace), for locks of ETS tables, and\n"
		"for other read/write locks of the VM, from when a thread finds the lock taken until it gets the\n"
		"lock. Taking a free lock is not measured and costs nothing. A lock in the VM's static data is\n"
		"shown by its symbol, or as ~symbol+0x... after the nearest symbol before it; other locks by their\n"
		"address. PID is the process that waits; it is known after a scheduler has picked the process\n"
		"once during the trace. OF is the process that the lock belongs to: its name, or its pid if it has\n"
		"none. The table has the locks that were waited for longest first. Mutexes of the C library are not\n"
		"measured: run queues, ports, allocators and timers use those.",
	.examples = "# Which locks do threads wait for?\n"
		    "erlbpf locks -d 10\n"
		    "# Which processes wait?\n"
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
	.table_notes = run_rows_notes,
};
