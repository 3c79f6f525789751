// SPDX-License-Identifier: BSD-2-Clause
/* app: the probes that the code of an application fires with the package erlbpf. See bpf/app.bpf.c. */
#include "app.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "node/terms/terms.h"
#include "probe/catalogue.h"
#include "tool.h"

#include "app.skel.h"

#define TERM_TEXT 4096
#define TRACE_DIGITS 39 /* of a number of 128 bits */
#define TRACE_TEXT 33	/* the same in hexadecimal, terminated */

enum { PID, PROBE, KIND, TOOK, SPAN, PARENT, NAME, TERM, TRACE, EVENT_COLUMNS };

static const struct column event_columns[EVENT_COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -12, false },
	[PROBE] = { "name", COLUMN_TEXT, -24, false },
	[KIND] = { "kind", COLUMN_TEXT, -9, false },
	[TOOK] = { "took", COLUMN_DURATION, 8, false },
	[SPAN] = { "span", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[PARENT] = { "parent", COLUMN_NUMBER, COLUMN_NOT_IN_TEXT, false },
	[NAME] = { "process_name", COLUMN_TEXT, COLUMN_NOT_IN_TEXT, false },
	[TERM] = { "term", COLUMN_TEXT, -40, false },
	[TRACE] = { "trace_id", COLUMN_TEXT, 0, false },
};

enum { KEY, COUNT, SPANS, EXCEPTIONS, TIME, LONGEST, NODE, TABLE_COLUMNS };

static const struct column table_columns[TABLE_COLUMNS] = {
	[KEY] = { "name", COLUMN_TEXT, -40, false },
	[COUNT] = { "count", COLUMN_NUMBER, 12, false, .metric = "app-probe-hits" },
	[SPANS] = { "spans", COLUMN_NUMBER, 10, false },
	[EXCEPTIONS] = { "exceptions", COLUMN_NUMBER, 10, false, .metric = "app-span-exceptions" },
	[TIME] = { "time", COLUMN_DURATION, 10, false },
	[LONGEST] = { "longest", COLUMN_DURATION, 8, false },
	[NODE] = { "node", COLUMN_TEXT, 0, false },
};

static const char *const kinds[APP_KINDS] = {
	[APP_START] = "start",
	[APP_STOP] = "stop",
	[APP_EXCEPTION] = "exception",
	[APP_HIT] = "hit",
};

/* NAME, or its beginning and "*". Of a name that is longer than a pattern, the beginning counts. */
static struct pattern pattern_of(const char *glob)
{
	struct pattern pattern = {};
	size_t size = strcspn(glob, "*"), most = sizeof(pattern.text) - 2;

	pattern.size = (__u32)(size < most ? size : most);
	pattern.is_prefix = glob[pattern.size] != '\0';
	memcpy(pattern.text, glob, pattern.size);
	return pattern;
}

static int configure(struct run *run)
{
	const char *glob = run_options(run)->glob;
	struct app_config config = {
		.pattern = pattern_of(glob),
		.is_any = !strcmp(glob, "*"),
		.counts = run_options(run)->by != 0,
	};

	run_choose_probes(run, "vm:app-*");
	if (config.counts)
		run_table_columns(run, table_columns, TABLE_COLUMNS);
	else
		run_without_hist(run);
	return run_set(run, "app_config", &config, sizeof(config));
}

/* The digits of a number of 128 bits, as OpenTelemetry writes them; "" if it is none. */
static const char *hexadecimal(const char *digits, char buf[TRACE_TEXT])
{
	size_t size = strspn(digits, "0123456789");
	unsigned __int128 value = 0;

	if (!size || size > TRACE_DIGITS || digits[size])
		return "";
	for (size_t i = 0; i < size; i++)
		value = value * 10 + (unsigned int)(digits[i] - '0');
	snprintf(buf, TRACE_TEXT, "%016" PRIx64 "%016" PRIx64, (uint64_t)(value >> 64), (uint64_t)value);
	return buf;
}

static const char *trace_text(struct run *run, const struct app_event *e, struct term_snapshot *memory,
			      char buf[TRACE_TEXT])
{
	char digits[TRACE_TEXT * 2];

	if (!e->trace)
		return "";
	memory->term = e->trace;
	return hexadecimal(run_term(run, (int)e->os_id, memory, digits, sizeof(digits)), buf);
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct app_event *e = record;
	const struct term_snapshot *memory = terms_behind(record, sizeof(*e), size, 0);
	struct term_snapshot *all = run_state(run); /* too large for the stack */
	char text[TERM_TEXT], trace[TRACE_TEXT], name[RUN_NAME_SIZE], probe[PROBE_NAME_SIZE];
	struct value values[EVENT_COLUMNS] = {};
	struct sink_event shown = { .values = values };
	bool is_span;

	if (!memory || e->kind >= APP_KINDS || e->probe >= probe_count())
		return;
	is_span = e->kind != APP_HIT;
	terms_cut(memory, 0, memory->count, all);
	all->term = memory->term;
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_id = (int)e->os_id;
	shown.node = run_node(run, shown.os_id);
	shown.probe = probe_name(e->probe, probe);
	values[PID] = (struct value){ .number = e->id, .is_null = !e->id };
	values[KIND] = (struct value){ .text = kinds[e->kind] };
	values[TOOK] = (struct value){ .number = e->took_ns, .is_null = !is_span || e->kind == APP_START };
	values[SPAN] = (struct value){ .number = e->span, .is_null = !is_span };
	values[PARENT] = (struct value){ .number = e->parent, .is_null = !e->parent };
	values[NAME] = value_of_text(run_name(run, shown.os_id, e->id, e->name, name));
	values[TERM] = (struct value){ .text = run_term(run, shown.os_id, all, text, sizeof(text)) };
	values[TRACE] = value_of_text(trace_text(run, e, all, trace));
	/* Last, since the text is only valid until the next id is asked for. */
	values[PROBE] = (struct value){ .text = run_id(run, shown.os_id, e->what) };
	run_event(run, &shown);
}

static void fill(struct run *run, const struct counter_row *row, struct value *cells)
{
	const struct counter *counter = &row->counter;
	int os_id = (int)row->key.os_id;
	uint64_t spans = counter->extras[0];

	cells[KEY].text = !os_id ? "other" : row->key.id ? run_id(run, os_id, row->key.id) : run_node(run, os_id);
	cells[COUNT].number = counter->count;
	cells[SPANS].number = spans;
	cells[EXCEPTIONS].number = counter->extras[1];
	cells[TIME] = (struct value){ .number = counter->sum, .is_null = !spans };
	cells[LONGEST] = (struct value){ .number = counter->max, .is_null = !spans };
	cells[NODE] = (struct value){ .text = run_node(run, os_id), .os_id = os_id };
}

static int snapshot(struct run *run)
{
	return run_options(run)->by ? run_counter_table(run, TABLE_COLUMNS, fill) : 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[APP_ACCOUNTS] = {
		[APP_NAMELESS] = { .name = "nameless",
				   .text = "firings had no atom as their name",
				   .one = "firing had no atom as its name" },
	};

	return run_accounts(run, accounts, APP_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "time of spans",
	.unit = "ns",
	.metric = "app-span",
};

static const struct tool_other_columns other_columns[] = {
	{ "the table with --by kind", table_columns, TABLE_COLUMNS },
	{},
};

const struct tool tool_app = {
	.name = "app",
	.summary = "the probes that an application's own code fires, with their terms",
	.nothing = "no code fired a probe of the package erlbpf",
	.instead = "`erlbpf list 'app:*'` lists the names in a node's code",
	.description =
		"Prints every probe that Erlang or Elixir code fires with the package erlbpf (probes/app), with its\n"
		"term as ~0p prints it: a hit of erlbpf:probe/2, or a span of erlbpf:span/3, which has a start and\n"
		"then a stop or an exception, with its duration. trace_id is the OpenTelemetry trace that the process\n"
		"of a span was in. NAME selects probes by name, or by the beginning of the name and \"*\". `erlbpf "
		"trace\n"
		"app:NAME` is the same, and so is `erlbpf trace NAME` if erlbpf itself has no probe of that name.\n"
		"--by kind counts firings by name, and shows how long spans take: `erlbpf count app:NAME`.\n"
		"A name is known once it fires, so a name that never fires is only reported at the end. A firing "
		"costs\n"
		"its process about 2 us if it is shown, and 1 us if it is counted.",
	.examples = "# Every probe of an application, as it fires\n"
		    "erlbpf app --node shop\n"
		    "# One of them; the same as erlbpf trace order_placed\n"
		    "erlbpf app order_placed\n"
		    "# How often does each fire, and how long do spans take, every 10 seconds?\n"
		    "erlbpf app --by kind 10\n"
		    "# Spans of Phoenix and Ecto that took 100 ms or more\n"
		    "erlbpf app --min 100ms",
	.takes = TAKES_GLOB | TAKES_BY_KIND | TAKES_BY_NODE | TAKES_ERL_PID | TAKES_MIN,
	.args = TOOL_ALL_ARGS,
	.elf = app_bpf__elf_bytes,
	.columns = { event_columns, EVENT_COLUMNS },
	.other_columns = other_columns,
	.hist = &hist,
	.export_by = TAKES_BY_KIND,
	.state_size = sizeof(struct term_snapshot),
	.configure = configure,
	.event = event,
	.snapshot = snapshot,
	.notes = notes,
};
