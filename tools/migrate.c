// SPDX-License-Identifier: BSD-2-Clause
/* migrate: slices and calls that begin on one CPU and end on another. See bpf/migrate.bpf.c. */
#include "migrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool.h"

#include "migrate.skel.h"

enum { KEY, NAME, NODE, SLICES, MOVED, CROSSED, CALLS, CALLS_CROSSED, COLUMNS };

static const struct column columns[COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -28, false },	[NAME] = { "name", COLUMN_TEXT, -28, false },
	[NODE] = { "node", COLUMN_TEXT, -16, false },	[SLICES] = { "slices", COLUMN_NUMBER, 9, false },
	[MOVED] = { "moved", COLUMN_NUMBER, 9, false }, [CROSSED] = { "crossed", COLUMN_NUMBER, 9, false },
	[CALLS] = { "calls", COLUMN_NUMBER, 9, false }, [CALLS_CROSSED] = { "calls_crossed", COLUMN_NUMBER, 13, false },
};

/* With --min: the cases. */
static const struct column case_columns[] = {
	{ "pid", COLUMN_PID, -16, false },	  { "kind", COLUMN_TEXT, -5, false },
	{ "began", COLUMN_TIME, -15, false },	  { "took", COLUMN_DURATION, 8, false },
	{ "from", COLUMN_SIGNED, 5, false },	  { "to", COLUMN_SIGNED, 5, false },
	{ "scheduler", COLUMN_TEXT, -12, false }, { "call", COLUMN_TEXT, -28, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID,
	FIELD_KIND,
	FIELD_BEGAN,
	FIELD_TOOK,
	FIELD_AMOUNT_0 + MIGRATE_FROM,
	FIELD_AMOUNT_0 + MIGRATE_TO,
	FIELD_SCHEDULER,
	FIELD_WHAT,
	FIELD_NAME,
};

static const char *const kinds[] = { [MIGRATE_SLICE] = "slice", [MIGRATE_CALL] = "call" };

static int configure(struct run *run)
{
	if (run_options(run)->min_ns)
		run_columns(run, case_columns, fields, TOOL_COUNT(fields));
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	if (x->key.os_id != y->key.os_id)
		return x->key.os_id < y->key.os_id ? -1 : 1;
	return x->key.id == y->key.id ? 0 : x->key.id < y->key.id ? -1 : 1;
}

static int by_slices(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x[SLICES].number < y[SLICES].number ? 1 : x[SLICES].number > y[SLICES].number ? -1 : 0;
}

static void begin_row(struct run *run, const struct counter_row *row, struct value *cells)
{
	int os_id = (int)row->key.os_id;
	const char *key = run_id(run, os_id, row->key.id);

	cells[KEY].text = *key ? key : os_id ? run_options(run)->by ? "(unknown)" : "all" : "other";
	cells[NAME].text = row->counter.name ? run_id(run, os_id, row->counter.name) : "";
	cells[NAME].is_null = !*cells[NAME].text;
	cells[NODE].text = os_id ? run_node(run, os_id) : "";
}

static void add_kind(const struct counter_row *row, struct value *cells)
{
	switch (row->key.kind) {
	case MIGRATE_SLICE:
		cells[SLICES].number += row->counter.count;
		cells[CROSSED].number += row->counter.sum;
		break;
	case MIGRATE_CALL:
		cells[CALLS].number += row->counter.count;
		cells[CALLS_CROSSED].number += row->counter.sum;
		break;
	case MIGRATE_MOVED: cells[MOVED].number += row->counter.count; break;
	}
}

/* `sorted` has the rows of one key behind each other. */
static size_t fill_rows(struct run *run, const struct counter_row *sorted, size_t count, struct value *cells)
{
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || by_key(&sorted[i - 1], &sorted[i]))
			begin_row(run, &sorted[i], cells + filled++ * COLUMNS);
		add_kind(&sorted[i], cells + (filled - 1) * COLUMNS);
	}
	qsort(cells, filled, sizeof(*cells) * COLUMNS, by_slices);
	return filled;
}

static int show(struct run *run, const struct counter_row *sorted, size_t count)
{
	_cleanup_free_ struct value *cells = calloc((count + 1) * COLUMNS, sizeof(*cells));
	struct sink_table table = { .cells = cells };

	if (!cells)
		return -ENOMEM;
	table.rows = fill_rows(run, sorted, count, cells);
	run_table(run, &table);
	return 0;
}

static int snapshot(struct run *run)
{
	_cleanup_free_ struct counter_row *sorted = NULL;
	const struct counter_row *rows;
	size_t count;
	int err = run_counter(run, &rows, &count);

	if (err || run_options(run)->min_ns)
		return err;
	sorted = calloc(count + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, rows, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_key);
	return show(run, sorted, count);
}

static const struct tool_histogram hist = {
	.title = "slice or call that ended on another CPU",
	.unit = "ns",
};

/* The emulator without JIT calls its natives from within process_main(). */
static const struct tool_probe not_always[] = {
	{ "vm:native-entry", NEEDED_NEVER, .without = "calls of BIFs are not seen" },
	{ "vm:native-return", NEEDED_NEVER },
	{},
};

const struct tool tool_migrate = {
	.name = "migrate",
	.summary = "which slices and native calls start on one CPU and end on another",
	.nothing = "no slice and no native call ended on another CPU",
	.instead = "none does if schedulers are bound to CPUs (erl +sbt db)",
	.description =
		"A slice is the time from when a scheduler picks a process until it stops running it. Counts\n"
		"slices; the slices that `crossed`: they ended on another CPU, because the kernel moved the\n"
		"thread; and those that were `moved`: they ran on another scheduler than the slice before, because\n"
		"the VM moved the process. Also counts native calls (NIFs, and BIFs that are not light, that is,\n"
		"that compiled code does not call directly) and the calls that crossed. The histogram shows the\n"
		"duration of slices and calls that crossed. Slices never cross if schedulers are bound to CPUs\n"
		"(erl +sbt db).",
	.examples = "# All nodes, every second\n"
		    "erlbpf migrate 1\n"
		    "# Which processes are moved most?\n"
		    "erlbpf migrate --by pid -d 10\n"
		    "# Each slice or call of 1 ms or more that ended on another CPU\n"
		    "erlbpf migrate --min 1ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = migrate_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.kinds = { kinds, TOOL_COUNT(kinds) },
	.hist = &hist,
	.not_always = not_always,
	.configure = configure,
	.snapshot = snapshot,
};
