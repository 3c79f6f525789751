// SPDX-License-Identifier: BSD-2-Clause
/* calls --entry: which Erlang functions are called, not how long that takes. See bpf/entries.bpf.c. */
#include "functions_parts.h"

#include "base/duration.h"
#include "node/terms/terms.h"
#include "tool.h"

#include "entries.skel.h"

enum { KEY, CALLS, RATE, NAME };

const struct column entries_count_columns[ENTRIES_COUNT_COLUMNS] = {
	[KEY] = { "key", COLUMN_TEXT, -40, false },
	[CALLS] = { "calls", COLUMN_NUMBER, 12, false },
	[RATE] = { "per second", COLUMN_NUMBER, 12, false },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

enum { SHOWN_PID, SHOWN_FUNCTION, SHOWN_NAME, SHOWN_CALL, SHOWN_CALLERS };

const struct column entries_show_columns[ENTRIES_SHOW_COLUMNS] = {
	[SHOWN_PID] = { "pid", COLUMN_PID, -16, false },
	[SHOWN_FUNCTION] = { "function", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[SHOWN_NAME] = { "name", COLUMN_TEXT, -24, false },
	[SHOWN_CALL] = { "call", COLUMN_TEXT, -40, false },
	[SHOWN_CALLERS] = { "called by", COLUMN_TEXT, 0, false },
};

/* State of one run. */
struct entries {
	uint64_t since_ns;	   /* when the present interval began */
	struct term_snapshot part; /* too large for the stack */
};

static int configure(struct run *run)
{
	if (run_options(run)->show)
		run_columns(run, entries_show_columns, NULL, ENTRIES_SHOW_COLUMNS);
	else
		run_draws(run, entries_count_columns, ENTRIES_COUNT_COLUMNS);
	return functions_configure(run);
}

static void begin(struct run *run)
{
	struct entries *e = run_state(run);

	e->since_ns = duration_now();
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct functions_call *call = record;
	const struct term_snapshot *memory = terms_behind(record, sizeof(*call), size,
							  size < sizeof(*call) ? 0 : call->argument_lines);
	struct entries *e = run_state(run);
	char call_text[FUNCTIONS_CALL_TEXT], callers_text[FUNCTIONS_CALL_TEXT], name[RUN_NAME_SIZE];
	struct value values[ENTRIES_SHOW_COLUMNS];
	struct sink_event shown = { .values = values, .probe = "vm:breakpoint-entry" };

	if (!memory)
		return;
	terms_cut(memory, 0, call->argument_lines, &e->part);
	functions_format_call(run, call, &e->part, call_text);
	functions_format_callers(run, call, callers_text);
	shown.time_ns = run_wall_ns(run, call->start_ns);
	shown.os_id = (int)call->os_id;
	shown.node = run_node(run, shown.os_id);
	values[SHOWN_PID] = (struct value){ .is_null = !call->id, .number = call->id };
	values[SHOWN_NAME] = (struct value){ .text = run_name(run, shown.os_id, call->id, call->name, name) };
	values[SHOWN_CALL] = (struct value){ .text = call_text };
	values[SHOWN_CALLERS] = (struct value){ .text = callers_text };
	values[SHOWN_FUNCTION] = (struct value){ .text = run_id(run, shown.os_id, call->what) };
	run_event(run, &shown);
}

static int by_count(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	if (x->counter.count != y->counter.count)
		return x->counter.count < y->counter.count ? 1 : -1;
	return x->key.id < y->key.id ? -1 : x->key.id > y->key.id;
}

static const char *text_of_key(struct run *run, const struct counter_row *row)
{
	int os_id = (int)row->key.os_id;
	const char *text;

	if (!os_id)
		return "other";
	text = run_options(run)->by == TAKES_BY_NODE ? run_node(run, os_id) : run_id(run, os_id, row->key.id);
	return *text ? text : "(unknown)";
}

static void fill(struct run *run, const struct counter_row *row, struct value *cells, char name[RUN_NAME_SIZE])
{
	const struct entries *e = run_state(run);
	uint64_t now = run_reached_ns(run), interval_ns = now > e->since_ns ? now - e->since_ns : 1;
	int os_id = (int)row->key.os_id;
	bool is_process = erl_id_kind(row->key.id) == ERL_ID_LOCAL;

	cells[KEY].text = text_of_key(run, row);
	cells[CALLS].number = row->counter.count;
	cells[RATE].number = (uint64_t)((double)row->counter.count * NS_PER_S / (double)interval_ns + 0.5);
	cells[NAME].is_null = !is_process;
	cells[NAME].text = is_process ? run_name(run, os_id, row->key.id, row->counter.name, name) : "";
}

static int snapshot(struct run *run)
{
	struct entries *e = run_state(run);
	int err;

	if (run_options(run)->show)
		return 0;
	err = run_counter_rows(run, ENTRIES_COUNT_COLUMNS, by_count, fill);
	e->since_ns = run_reached_ns(run);
	return err;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	notes[0] = (struct sink_note){
		.name = "entered",
		.text = "functions were called",
		.one = "function was called",
		.count = run_called(run, run_sum(run, "accounts", FUNCTIONS_ENTERED)),
	};
	notes[1] = (struct sink_note){
		.name = "others",
		.text = "calls did not match --when",
		.one = "call did not match --when",
		.count = run_sum(run, "accounts", FUNCTIONS_OTHERS),
	};
	return 2;
}

/* Not in tools.def: it is what tool_calls becomes with --entry. */
const struct tool tool_entries = {
	.name = "calls",
	.summary = "which Erlang functions are called",
	.nothing = "no such function was called",
	.instead = "a longer trace may see more",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_ERL_PID | TAKES_FUNCTIONS |
		 TAKES_SHOW | TAKES_VIA | TAKES_BY_CALLER | TAKES_BY_ARGUMENT,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4) | TOOL_ARG(5),
	.elf = entries_bpf__elf_bytes,
	.columns = { entries_count_columns, ENTRIES_COUNT_COLUMNS, NULL },
	.state_size = sizeof(struct entries),
	.configure = configure,
	.begin = begin,
	.event = event,
	.snapshot = snapshot,
	.notes = notes,
	.table_notes = run_rows_notes,
};
