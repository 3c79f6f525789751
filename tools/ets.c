// SPDX-License-Identifier: BSD-2-Clause
/* ets: what operations on ETS tables cost. See bpf/ets.bpf.c. */
#include "ets.h"

#include "tool.h"

#include "ets.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },     { "operation", COLUMN_TEXT, -24, false },
	{ "table", COLUMN_TEXT, -40, false },  { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false }, { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_FUNCTION, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

/* Asked neither for keys nor for single operations. */
enum { TABLE, OPERATION, CALLS, TIME, MAX, COUNTER_COLUMNS };

static const struct column counter_columns[COUNTER_COLUMNS] = {
	[TABLE] = { "table", COLUMN_TEXT, -40, false },	 [OPERATION] = { "operation", COLUMN_TEXT, -24, false },
	[CALLS] = { "calls", COLUMN_NUMBER, 10, false }, [TIME] = { "time", COLUMN_DURATION, 8, false },
	[MAX] = { "max", COLUMN_DURATION, 8, false },
};

static bool shows_counters(const struct options *options)
{
	return !options->by && !options->min_ns;
}

static int configure(struct run *run)
{
	const struct options *o = run_options(run);
	struct ets_config config = {
		.by_function = o->by == TAKES_BY_FUNCTION,
		.counters = shows_counters(o),
	};

	if (config.counters)
		run_table_columns(run, counter_columns, COUNTER_COLUMNS);
	return run_set(run, "ets_config", &config, sizeof(config));
}

static void fill_row(struct run *run, const struct counter_row *row, struct value *cells)
{
	int os_id = (int)row->key.os_id;

	cells[TABLE].text = row->key.os_id ? run_id(run, os_id, row->key.id) : "other";
	cells[TABLE].is_null = !*cells[TABLE].text;
	cells[OPERATION].text = run_id(run, os_id, row->key.other);
	cells[OPERATION].is_null = !*cells[OPERATION].text;
	cells[CALLS].number = row->counter.count;
	cells[TIME].number = row->counter.sum;
	cells[MAX].number = row->counter.max;
}

static int snapshot(struct run *run)
{
	return shows_counters(run_options(run)) ? run_counter_table(run, COUNTER_COLUMNS, fill_row) : 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[ETS_ACCOUNTS] = {
		[ETS_YIELDED] = { .name = "yielded",
				  .text = "operations yielded before they were done",
				  .one = "operation yielded before it was done" },
		[ETS_UNFINISHED] = { .name = "unfinished",
				     .text = "of these did not end during the trace",
				     .one = "of these did not end during the trace" },
	};

	return run_accounts(run, accounts, ETS_ACCOUNTS, notes);
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", counter_columns, COUNTER_COLUMNS },
	{},
};

static const struct tool_histogram hist = {
	.title = "time in an ETS operation",
	.unit = "ns",
	.metric = "ets-operation",
	.is_of_calls = true,
};

const struct tool tool_ets = {
	.name = "ets",
	.summary = "how long operations on ETS tables take",
	.nothing = "no operation on an ETS table ended",
	.description = "Measures BIFs on ETS tables from call to return, by table and operation: how often they are\n"
		       "called and how long they take in total. An operation that yields is measured until it is\n"
		       "done. Operations that fail count too. An unnamed table is shown by the name that it was\n"
		       "created with and its reference. Functions of ets.erl appear as the BIFs that they call:\n"
		       "ets:tab2list/1 as ets:match_object/2, ets:foldl/3 as ets:first/1, ets:next/2 and\n"
		       "ets:lookup/2. Use `erlbpf locks` to see how long operations wait for the lock of a table.",
	.examples = "# Which operations on which tables take the most time?\n"
		    "erlbpf ets -d 10\n"
		    "# How long do they take, table by table?\n"
		    "erlbpf ets --by table -d 10\n"
		    "# Every operation of 1 ms or more, when it ends\n"
		    "erlbpf ets --min 1ms -T",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_TABLE | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = ets_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = other_columns,
	.hist = &hist,
	.configure = configure,
	.snapshot = snapshot,
	.notes = notes,
};
