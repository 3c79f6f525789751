// SPDX-License-Identifier: BSD-2-Clause
/* uprobe: any function of the VM. See bpf/uprobe.bpf.c. */
#include "uprobe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/catalogue.h"
#include "probe/functions.h"
#include "probe/prototype.h"
#include "node/terms/terms.h"
#include "tool.h"

#include "uprobe.skel.h"

#define VALUE_TEXT 4096
#define CALL_TEXT 16384

/* Exceptions (error.h of 25.2.3, 27.3.4.1 and 29.1.1, which has two more): class in the low bits, then the reason. */
#define CLASS(reason) ((reason)&3)
#define NUMBER(reason) ((reason) >> 10 & 31)
#define REASON_TRAP 0x400

_Static_assert(UPROBE_VALUES == PROTOTYPE_VALUES, "as many as can be asked for");

enum { COUNT_FUNCTION, COUNT_CALLS, COUNT_COLUMNS };

static const struct column count_columns[COUNT_COLUMNS] = {
	[COUNT_FUNCTION] = { "function", COLUMN_TEXT, -40, false },
	[COUNT_CALLS] = { "calls", COLUMN_NUMBER, 12, false },
};

enum { PID, FUNCTION, NAME, TOOK, CALL, RESULT, SHOW_COLUMNS };

static const struct column show_columns[SHOW_COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -16, false },
	[FUNCTION] = { "function", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[NAME] = { "name", COLUMN_TEXT, -24, false },
	[TOOK] = { "took", COLUMN_DURATION, 8, false },
	[CALL] = { "call", COLUMN_TEXT, -40, false },
	[RESULT] = { "result", COLUMN_TEXT, 0, false },
};

static const struct column time_columns[] = {
	{ "pid", COLUMN_PID, -16, false },    { "function", COLUMN_TEXT, -40, false },
	{ "began", COLUMN_TIME, -15, false }, { "took", COLUMN_DURATION, 8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field time_fields[] = {
	FIELD_PID, FIELD_FUNCTION, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

static int configure(struct run *run)
{
	enum function_mode mode = run_options(run)->functions.mode;
	struct uprobe_config config = { .mode = mode };

	if (mode != FUNCTIONS_TIME)
		run_without_hist(run);
	if (mode == FUNCTIONS_COUNT)
		run_table_columns(run, count_columns, COUNT_COLUMNS);
	if (mode == FUNCTIONS_SHOW)
		run_columns(run, show_columns, NULL, SHOW_COLUMNS);
	return run_set(run, "uprobe_config", &config, sizeof(config));
}

/* Counts. */

static int by_count(const void *a, const void *b)
{
	const struct counter_row *x = a, *y = b;

	if (x->counter.count != y->counter.count)
		return x->counter.count < y->counter.count ? 1 : -1;
	return x->key.id < y->key.id ? -1 : x->key.id > y->key.id;
}

static int snapshot(struct run *run)
{
	const struct counter_row *rows;
	_cleanup_free_ struct counter_row *sorted = NULL;
	_cleanup_free_ struct value *cells = NULL;
	struct sink_table table = {};
	int err;

	if (run_options(run)->functions.mode != FUNCTIONS_COUNT)
		return 0;
	err = run_counter(run, &rows, &table.rows);
	if (err)
		return err;
	sorted = calloc(table.rows + 1, sizeof(*sorted));
	cells = calloc((table.rows + 1) * COUNT_COLUMNS, sizeof(*cells));
	if (!sorted || !cells)
		return -ENOMEM;
	if (table.rows)
		memcpy(sorted, rows, table.rows * sizeof(*sorted));
	qsort(sorted, table.rows, sizeof(*sorted), by_count);
	for (size_t i = 0; i < table.rows; i++) {
		const char *name = function_name((uint32_t)erl_id_value(sorted[i].key.id));

		cells[i * COUNT_COLUMNS + COUNT_FUNCTION].text = *name ? name : "other";
		cells[i * COUNT_COLUMNS + COUNT_CALLS].number = sorted[i].counter.count;
	}
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

/* Values as text. */

struct text {
	char *buf;
	size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	size_t left = text->size - text->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buf + text->used, left, format, args);
	va_end(args);
	text->used += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left - 1;
}

struct shown_call {
	struct run *run;
	const struct uprobe_call *call;
	struct term_snapshot *memory;
};

static void add_term(const struct shown_call *s, struct text *text, uint64_t term)
{
	char buf[VALUE_TEXT];

	s->memory->term = term;
	add(text, "%s", run_term(s->run, (int)s->call->os_id, s->memory, buf, sizeof(buf)));
}

static void add_mfa(const struct shown_call *s, struct text *text, uint64_t address)
{
	uint64_t words[3], id = 0;

	if (terms_bytes(s->memory, address, words, sizeof(words)) == sizeof(words))
		id = erl_id_of_mfa(words[0], words[1], words[2]);
	add(text, "%s", id ? run_id(s->run, (int)s->call->os_id, id) : "(unreadable)");
}

static void add_text(const struct shown_call *s, struct text *text, const struct uprobe_value *value)
{
	char bytes[PROTOTYPE_BYTES];
	size_t size = value->size < sizeof(bytes) ? value->size : sizeof(bytes);
	size_t have = terms_bytes(s->memory, value->value, bytes, size), n = strnlen(bytes, have);

	if (!have)
		add(text, value->value ? "(unreadable)" : "NULL");
	else
		add(text, "\"%.*s\"%s", (int)n, bytes, n == have ? "..." : "");
}

static void add_bytes(const struct shown_call *s, struct text *text, const struct uprobe_value *value)
{
	unsigned char bytes[PROTOTYPE_BYTES];
	size_t size = value->size < sizeof(bytes) ? value->size : sizeof(bytes);
	size_t have = terms_bytes(s->memory, value->value, bytes, size);

	add(text, have ? "" : value->value ? "(unreadable)" : "NULL");
	for (size_t i = 0; i < have; i++)
		add(text, "%02x", bytes[i]);
	if (have && have < size)
		add(text, "...");
}

static void add_value(const struct shown_call *s, struct text *text, const struct uprobe_value *value)
{
	switch (value->form) {
	case ERL_FORM_TERM: add_term(s, text, value->value); break;
	case ERL_FORM_MFA: add_mfa(s, text, value->value); break;
	case ERL_FORM_TEXT: add_text(s, text, value); break;
	case ERL_FORM_BYTES: add_bytes(s, text, value); break;
	case ERL_FORM_SIGNED: add(text, "%" PRId64, (int64_t)value->value); break;
	case ERL_FORM_ADDRESS: add(text, "0x%" PRIx64, (uint64_t)value->value); break;
	case ERL_FORM_NUMBER: add(text, "%" PRIu64, (uint64_t)value->value); break;
	case ERL_FORM_MORE: add(text, "..."); break;
	default: add(text, "_");
	}
}

/* "ets:insert" of a BIF, else the name of the function. */
static void add_function(struct text *text, uint32_t function)
{
	const char *bif = function_bif(function);

	if (bif)
		add(text, "%.*s", (int)(strrchr(bif, '/') - bif), bif);
	else
		add(text, "%s", function_name(function));
}

static void add_call(const struct shown_call *s, struct text *text)
{
	const struct uprobe_value *values = s->call->values;

	add_function(text, s->call->function);
	add(text, "(");
	for (size_t i = 0; i < UPROBE_VALUES && values[i].form != ERL_FORM_NONE; i++) {
		add(text, i ? "," : "");
		add_value(s, text, &values[i]);
	}
	add(text, ")");
}

/* As erlang:raise/3 has class and reason, in one word for those that have a number. */
static void add_exception(const struct shown_call *s, struct text *text)
{
	static const char *const classes[] = { "error", "exit", "throw", "" };
	static const char *const reasons[32] = {
		[1] = "normal", "internal_error", "badarg",	  "badarith",	"badmatch", "function_clause",
		"case_clause",	"if_clause",	  "undef",	  "badfun",	"badarity", "timeout_value",
		"noproc",	"notalive",	  "system_limit", "try_clause", "notsup",   "badmap",
		"badkey",	"badrecord",	  "badfield",	  "novalue",
	};
	uint64_t reason = s->call->reason;

	if (reason == REASON_TRAP) {
		add(text, "(trap)");
		return;
	}
	add(text, "%s:", classes[CLASS(reason)]);
	if (reasons[NUMBER(reason)])
		add(text, "%s", reasons[NUMBER(reason)]);
	else
		add_term(s, text, s->call->values[UPROBE_RESULT].value);
}

static void add_result(const struct shown_call *s, struct text *text)
{
	const struct uprobe_value *value = &s->call->values[UPROBE_RESULT];

	if (s->call->reason)
		add_exception(s, text);
	else if (value->form != ERL_FORM_NONE)
		add_value(s, text, value);
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct uprobe_call *call = record;
	const struct term_snapshot *memory = terms_behind(record, sizeof(*call), size,
							  size < sizeof(*call) ? 0 : call->argument_lines);
	struct term_snapshot *part = run_state(run); /* too large for the stack */
	struct shown_call s = { .run = run, .call = call, .memory = part };
	char call_buf[CALL_TEXT] = "", result_buf[CALL_TEXT] = "", probe[PROBE_NAME_SIZE];
	struct text call_text = { call_buf, sizeof(call_buf), 0 };
	struct text result_text = { result_buf, sizeof(result_buf), 0 };
	struct value values[SHOW_COLUMNS];
	struct sink_event shown = { .values = values, .probe = probe };

	if (!memory || call->probe >= probe_count())
		return;
	terms_cut(memory, 0, call->argument_lines, part);
	add_call(&s, &call_text);
	terms_cut(memory, call->argument_lines, memory->count, part);
	add_result(&s, &result_text);
	probe_name(call->probe, probe);
	shown.time_ns = run_wall_ns(run, call->end_ns ? call->end_ns : call->start_ns);
	shown.os_id = (int)call->os_id;
	shown.node = run_node(run, shown.os_id);
	values[PID] = (struct value){ .is_null = !call->id, .number = call->id };
	values[FUNCTION] = (struct value){ .text = function_name(call->function) };
	values[NAME] = (struct value){ .is_null = !call->name, .text = run_id(run, shown.os_id, call->name) };
	values[TOOK] = (struct value){ .is_null = !call->end_ns, .number = call->end_ns - call->start_ns };
	values[CALL] = (struct value){ .text = call_buf };
	values[RESULT] = (struct value){ .is_null = !*result_buf, .text = result_buf };
	run_event(run, &shown);
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", count_columns, COUNT_COLUMNS },
	{ "what `--show` prints", show_columns, SHOW_COLUMNS },
	{},
};

static const struct tool_histogram hist = {
	.title = "time in a function",
	.unit = "ns",
	.is_of_calls = true,
};

const struct tool tool_uprobe = {
	.name = "uprobe",
	.summary = "calls of any function of the VM: how many, how long, with which arguments",
	.nothing = "none of the functions was called",
	.instead = "`erlbpf calls '*' --by function` shows which BIFs are called",
	.description = "FUNCTION is the name of a C function of the VM, the Erlang name of a BIF, or a glob of these.\n"
		       "Functions that the VM exports (`nm -D`) can be probed; all functions if it is not stripped.\n"
		       "By default, calls are counted by function. --time measures calls from entry to return; --by\n"
		       "groups the times by function or by process; --min prints each slow call.\n"
		       "--show prints each call. Arguments and results of BIFs are printed as Erlang prints them.\n"
		       "For other functions erlbpf must know the types, or you declare them:\n"
		       "'NAME(TYPE,TYPE,...) -> TYPE', where TYPE is int, uint, long, ulong, bool, hex, ptr, term,\n"
		       "process, port, mfa, str, bytes(N), terms(N) for an array of N terms, or _ to skip one.\n"
		       "Functions that do not return are not timed, and at most 512 functions are probed at a time;\n"
		       "--unsafe lifts both limits.",
	.examples = "# Which ETS operations are called, and how often?\n"
		    "erlbpf uprobe 'ets:*' -d 10\n"
		    "# How long does each of them take?\n"
		    "erlbpf uprobe 'ets:*' --by function -d 10\n"
		    "# What does one process insert into ETS tables?\n"
		    "erlbpf uprobe 'ets:insert*' --show --erl-pid '<0.91.0>'\n"
		    "# A function whose argument types you declare\n"
		    "erlbpf uprobe 'enif_port_command(ptr,_,_,term) -> int' --show",
	.takes = TAKES_VM_FUNCTIONS | TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_FUNCTION | TAKES_MIN |
		 TAKES_ERL_PID | TAKES_SHOW,
	.args = TOOL_ALL_ARGS,
	.elf = uprobe_bpf__elf_bytes,
	.columns = { time_columns, TOOL_COUNT(time_columns), time_fields },
	.other_columns = other_columns,
	.hist = &hist,
	.state_size = sizeof(struct term_snapshot),
	.configure = configure,
	.event = event,
	.snapshot = snapshot,
};
