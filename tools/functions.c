// SPDX-License-Identifier: BSD-2-Clause
/* calls --via vm: how long calls of Erlang functions take, by breakpoints of the VM. See bpf/functions.bpf.c. */
#include "functions.h"

#include <stdio.h>
#include <string.h>

#include "node/terms.h"
#include "tool.h"

#include "functions.skel.h"

#define CALL_TEXT 16384
#define TERM_TEXT 4096

/* Those of calls of other kinds. */
static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "kind", COLUMN_TEXT, -9, false },
	{ "function", COLUMN_TEXT, -32, false }, { "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },	 { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

static const char *const kinds[] = { "function" };

enum { PID, FUNCTION, NAME, TOOK, CALL, RESULT, SHOW_COLUMNS };

static const struct column show_columns[SHOW_COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -16, false },
	[FUNCTION] = { "function", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[NAME] = { "name", COLUMN_TEXT, -24, false },
	[TOOK] = { "took", COLUMN_DURATION, 8, false },
	[CALL] = { "call", COLUMN_TEXT, -40, false },
	[RESULT] = { "result", COLUMN_TEXT, 0, false },
};

const struct tool_other_columns functions_columns[] = {
	{ "what `--via vm --show` prints", show_columns, SHOW_COLUMNS },
	{},
};

static int configure(struct run *run)
{
	__u32 show = run_options(run)->show;

	if (show) {
		run_without_hist(run);
		run_columns(run, show_columns, NULL, SHOW_COLUMNS);
	}
	return run_set(run, "functions_show", &show, sizeof(show));
}

static void add(char *text, size_t *used, const char *more)
{
	int n = snprintf(text + *used, CALL_TEXT - *used, "%s", more);

	*used += (size_t)n < CALL_TEXT - *used ? (size_t)n : CALL_TEXT - 1 - *used;
}

/* "shop:order(1,{a,b})": the function without its arity, and its arguments. */
static void format_call(struct run *run, const struct functions_call *call, struct term_snapshot *memory, char *text)
{
	const char *function = run_id(run, (int)call->os_id, call->what), *slash = strrchr(function, '/');
	char term[TERM_TEXT];
	size_t used = 0;

	snprintf(text, CALL_TEXT, "%.*s(", slash ? (int)(slash - function) : (int)strlen(function), function);
	used = strlen(text);
	for (uint32_t i = 0; i < call->arity && i < FUNCTIONS_ARGS; i++) {
		memory->term = call->args[i];
		add(text, &used, i ? "," : "");
		add(text, &used, run_term(run, (int)call->os_id, memory, term, sizeof(term)));
	}
	add(text, &used, call->arity > FUNCTIONS_ARGS ? ",...)" : ")");
}

static const char *format_result(struct run *run, const struct functions_call *call, struct term_snapshot *memory,
				 char *text)
{
	if (!call->end_ns)
		return "(exception)";
	memory->term = call->result;
	return call->result ? run_term(run, (int)call->os_id, memory, text, TERM_TEXT) : "(unknown)";
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct functions_call *call = record;
	const struct term_snapshot *memory = terms_behind(record, sizeof(*call), size,
							  size < sizeof(*call) ? 0 : call->argument_lines);
	struct term_snapshot *part = run_state(run); /* too large for the stack */
	char call_text[CALL_TEXT], result_text[TERM_TEXT], name[RUN_NAME_SIZE];
	struct value values[SHOW_COLUMNS];
	struct sink_event shown = { .values = values, .probe = "vm:breakpoint-return" };

	if (!memory)
		return;
	terms_cut(memory, 0, call->argument_lines, part);
	format_call(run, call, part, call_text);
	terms_cut(memory, call->argument_lines, memory->count, part);
	shown.time_ns = run_wall_ns(run, call->end_ns ? call->end_ns : call->start_ns);
	shown.os_id = (int)call->os_id;
	shown.node = run_node(run, shown.os_id);
	values[PID] = (struct value){ .is_null = !call->id, .number = call->id };
	values[NAME] = (struct value){ .text = run_name(run, shown.os_id, call->id, call->name, name) };
	values[TOOK] = (struct value){ .is_null = !call->end_ns, .number = call->end_ns - call->start_ns };
	values[CALL] = (struct value){ .text = call_text };
	values[RESULT] = (struct value){ .text = format_result(run, call, part, result_text) };
	/* Last, since the text is only valid until the next id is asked for. */
	values[FUNCTION] = (struct value){ .text = run_id(run, shown.os_id, call->what) };
	run_event(run, &shown);
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[FUNCTIONS_ACCOUNTS] = {
		[FUNCTIONS_ENTERED] = { .name = "entered",
					.text = "functions were called",
					.one = "function was called" },
		[FUNCTIONS_UNRETURNED] = { .name = "unreturned",
					   .text = "calls ended by an exception or with their process, and have no "
						   "duration",
					   .one = "call ended by an exception or with its process, and has no "
						  "duration" },
		[FUNCTIONS_TAIL] = { .name = "tail",
				     .text = "calls were tail calls of the same function, part of the call before",
				     .one = "call was a tail call of the same function, part of the call before" },
		[FUNCTIONS_DEEP] = { .name = "deep",
				     .text = "calls were nested too deep to be measured",
				     .one = "call was nested too deep to be measured" },
	};

	return run_accounts(run, accounts, FUNCTIONS_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "time in a call",
	.unit = "ns",
	.metric = "call",
};

static const struct tool_probe not_always[] = {
	{ "erlang:process-exit", NEEDED_NEVER },
	{},
};

/* Not in tools.def: it is what tool_calls becomes with --via vm. */
const struct tool tool_functions = {
	.name = "calls",
	.summary = "how long calls of Erlang functions take",
	.nothing = "no such function returned",
	.instead = "a longer trace may see more",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN | TAKES_ERL_PID |
		 TAKES_FUNCTIONS | TAKES_SHOW | TAKES_VIA,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4) | TOOL_ARG(5),
	.elf = functions_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, TOOL_COUNT(kinds) },
	.hist = &hist,
	.not_always = not_always,
	.state_size = sizeof(struct term_snapshot),
	.configure = configure,
	.event = event,
	.notes = notes,
};
