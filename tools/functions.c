// SPDX-License-Identifier: BSD-2-Clause
/* calls --via vm: how long calls of Erlang functions take, by breakpoints of the VM. See bpf/functions.bpf.c. */
#include "functions_parts.h"

#include <stdio.h>
#include <string.h>

#include "node/terms/terms.h"
#include "tool.h"

#include "functions.skel.h"

/* Columns of other kinds of calls. */
static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "kind", COLUMN_TEXT, -9, false },
	{ "function", COLUMN_TEXT, -32, false }, { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },	 { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

static const char *const kinds[FUNCTIONS_KINDS] = {
	[FUNCTIONS_CALL] = "function",
	[FUNCTIONS_EXCEPTION] = "exception",
};

enum { PID, FUNCTION, NAME, TOOK, CALL, CLASS, RESULT, CALLERS, SHOW_COLUMNS };

static const struct column show_columns[SHOW_COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -16, false },
	[FUNCTION] = { "function", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[NAME] = { "name", COLUMN_TEXT, -24, false },
	[TOOK] = { "took", COLUMN_DURATION, 8, false },
	[CALL] = { "call", COLUMN_TEXT, -40, false },
	[CLASS] = { "class", COLUMN_TEXT, -6, false },
	[RESULT] = { "result", COLUMN_TEXT, -24, false },
	[CALLERS] = { "called by", COLUMN_TEXT, 0, false },
};

enum { RAISED_FUNCTION, RAISED_CLASS, RAISED_REASON, RAISED_COUNT, RAISED_COLUMNS };

static const struct column raised_columns[RAISED_COLUMNS] = {
	[RAISED_FUNCTION] = { "function", COLUMN_TEXT, -32, false },
	[RAISED_CLASS] = { "class", COLUMN_TEXT, -6, false },
	[RAISED_REASON] = { "reason", COLUMN_TEXT, -32, false },
	[RAISED_COUNT] = { "count", COLUMN_NUMBER, 10, false },
};

const struct tool_other_columns functions_columns[] = {
	{ "what `--via vm --show` prints", show_columns, SHOW_COLUMNS },
	{ "the table of exceptions with `--via vm`, without `--show` and `--min`", raised_columns, RAISED_COLUMNS },
	{ "the table with `--entry`", entries_count_columns, ENTRIES_COUNT_COLUMNS },
	{ "what `--entry --show` prints", entries_show_columns, ENTRIES_SHOW_COLUMNS },
	{},
};

/* Where single calls are printed, an exception is part of them. */
static bool counts_raised(const struct run *run)
{
	return !run_options(run)->show && !run_options(run)->min_ns;
}

static int configure(struct run *run)
{
	if (run_options(run)->show) {
		run_without_hist(run);
		run_columns(run, show_columns, NULL, SHOW_COLUMNS);
	} else if (counts_raised(run)) {
		run_table_columns(run, raised_columns, RAISED_COLUMNS);
	}
	return functions_configure(run);
}

static const char *format_result(struct run *run, const struct functions_call *call, struct term_snapshot *memory,
				 char *text)
{
	if (call->end == FUNCTIONS_IS_GONE)
		return "(no return)";
	memory->term = call->result;
	return call->result ? run_term(run, (int)call->os_id, memory, text, FUNCTIONS_TERM_TEXT) : "(unknown)";
}

static const char *class_of(struct run *run, int os_id, uint32_t atom)
{
	return run_id(run, os_id, erl_id_of(ERL_ID_ATOM, atom));
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct functions_call *call = record;
	const struct term_snapshot *memory = terms_behind(record, sizeof(*call), size,
							  size < sizeof(*call) ? 0 : call->argument_lines);
	struct term_snapshot *part = run_state(run); /* too large for the stack */
	char call_text[FUNCTIONS_CALL_TEXT], callers_text[FUNCTIONS_CALL_TEXT], result_text[FUNCTIONS_TERM_TEXT],
		name[RUN_NAME_SIZE];
	struct value values[SHOW_COLUMNS];
	struct sink_event shown = { .values = values, .probe = "vm:breakpoint-return" };

	if (!memory)
		return;
	terms_cut(memory, 0, call->argument_lines, part);
	functions_format_call(run, call, part, call_text);
	terms_cut(memory, call->argument_lines, memory->count, part);
	functions_format_callers(run, call, callers_text);
	shown.time_ns = run_wall_ns(run, call->end_ns ? call->end_ns : call->start_ns);
	shown.os_id = (int)call->os_id;
	shown.node = run_node(run, shown.os_id);
	values[PID] = (struct value){ .is_null = !call->id, .number = call->id };
	values[NAME] = (struct value){ .text = run_name(run, shown.os_id, call->id, call->name, name) };
	values[TOOK] = (struct value){ .is_null = !call->end_ns, .number = call->end_ns - call->start_ns };
	values[CALL] = (struct value){ .text = call_text };
	values[CLASS] = (struct value){ .is_null = call->end != FUNCTIONS_HAS_RAISED,
					.text = class_of(run, shown.os_id, (uint32_t)(call->class >> 6)) };
	values[CALLERS] = (struct value){ .text = callers_text };
	values[RESULT] = (struct value){ .text = format_result(run, call, part, result_text) };
	values[FUNCTION] = (struct value){ .text = run_id(run, shown.os_id, call->what) };
	run_event(run, &shown);
}

static void fill_raised(struct run *run, const struct counter_row *row, struct value *cells)
{
	int os_id = (int)row->key.os_id;
	bool is_rest = !row->key.id;

	cells[RAISED_FUNCTION] = (struct value){ .text = is_rest ? "other" : run_id(run, os_id, row->key.id) };
	cells[RAISED_CLASS] = (struct value){ .text = class_of(run, os_id, row->key.kind), .is_null = is_rest };
	cells[RAISED_REASON] = (struct value){ .text = run_id(run, os_id, row->key.other), .is_null = !row->key.other };
	cells[RAISED_COUNT] = (struct value){ .number = row->counter.count };
}

static int snapshot(struct run *run)
{
	return counts_raised(run) ? run_counter_table(run, RAISED_COLUMNS, fill_raised) : 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[FUNCTIONS_ACCOUNTS] = {
		[FUNCTIONS_ENTERED] = { .name = "entered",
					.text = "functions were called",
					.one = "function was called" },
		[FUNCTIONS_RAISED] = { .name = "raised",
				       .text = "calls ended by an exception",
				       .one = "call ended by an exception" },
		[FUNCTIONS_UNRETURNED] = { .name = "unreturned",
					   .text = "calls ended with their process",
					   .one = "call ended with its process" },
		[FUNCTIONS_TAIL] = { .name = "tail",
				     .text = "calls were tail calls of the same function, part of the call before",
				     .one = "call was a tail call of the same function, part of the call before" },
		[FUNCTIONS_OTHERS] = { .name = "others",
				       .text = "calls did not match --when",
				       .one = "call did not match --when" },
		[FUNCTIONS_DEEP] = { .name = "deep",
				     .text = "calls were nested too deep to be measured",
				     .one = "call was nested too deep to be measured" },
	};

	size_t count = run_accounts(run, accounts, FUNCTIONS_ACCOUNTS, notes);

	notes[FUNCTIONS_ENTERED].count = run_called(run, notes[FUNCTIONS_ENTERED].count);
	return count;
}

static const struct tool_histogram hist = {
	.title = "time in a call",
	.unit = "ns",
	.metric = "call",
};

static const struct tool_probe not_always[] = {
	{ "erlang:process-exit", NEEDED_NEVER },
	{ "vm:exception-caught", NEEDED_NEVER },
	{},
};

/* Not in tools.def: it is what tool_calls becomes with --via vm. */
const struct tool tool_functions = {
	.name = "calls",
	.summary = "how long calls of Erlang functions take",
	.nothing = "no such function returned",
	.instead = "a longer trace may see more",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID |
		 TAKES_FUNCTIONS | TAKES_SHOW | TAKES_VIA | TAKES_BY_CALLER | TAKES_BY_ARGUMENT,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4) | TOOL_ARG(5),
	.elf = functions_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, FUNCTIONS_KINDS },
	.hist = &hist,
	.not_always = not_always,
	.state_size = sizeof(struct term_snapshot),
	.configure = configure,
	.event = event,
	.snapshot = snapshot,
	.notes = notes,
};
