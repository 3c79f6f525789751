// SPDX-License-Identifier: BSD-2-Clause
/* user-trace: what Erlang code tells through the module dyntrace. See bpf/user-trace.bpf.c. */
#include "user-trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "erl.h"
#include "probe/catalogue.h"
#include "tool.h"

#include "user-trace.skel.h"

enum {
	PID,
	PROBE,
	TAG,
	NUMBERS,
	STRINGS = NUMBERS + USER_TRACE_NUMBERS,
	NAME = STRINGS + USER_TRACE_STRINGS,
	EVENT_COLUMNS
};

static const struct column event_columns[EVENT_COLUMNS] = {
	[PID] = { "pid", COLUMN_PID, -12, false },	   [PROBE] = { "marker", COLUMN_TEXT, -6, false },
	[TAG] = { "tag", COLUMN_TEXT, -12, false },	   [NUMBERS] = { "i1", COLUMN_SIGNED, 8, false },
	[NUMBERS + 1] = { "i2", COLUMN_SIGNED, 8, false }, [NUMBERS + 2] = { "i3", COLUMN_SIGNED, 8, false },
	[NUMBERS + 3] = { "i4", COLUMN_SIGNED, 8, false }, [STRINGS] = { "s1", COLUMN_TEXT, -12, false },
	[STRINGS + 1] = { "s2", COLUMN_TEXT, -12, false }, [STRINGS + 2] = { "s3", COLUMN_TEXT, -12, false },
	[STRINGS + 3] = { "s4", COLUMN_TEXT, -12, false }, [NAME] = { "name", COLUMN_TEXT, 0, false },
};

enum { KEY, COUNT, NODE, TABLE_COLUMNS };

#define COLUMNS_BY(key)                                                                                                \
	{                                                                                                              \
		[KEY] = { key, COLUMN_TEXT, -40, false }, [COUNT] = { "count", COLUMN_NUMBER, 12, false },             \
		[NODE] = { "node", COLUMN_TEXT, 0, false },                                                            \
	}

static const struct column kind_columns[TABLE_COLUMNS] = COLUMNS_BY("kind");
static const struct column tag_columns[TABLE_COLUMNS] = COLUMNS_BY("tag");
static const struct column pid_columns[TABLE_COLUMNS] = COLUMNS_BY("pid");
static const struct column name_columns[TABLE_COLUMNS] = COLUMNS_BY("name");
static const struct column mfa_columns[TABLE_COLUMNS] = COLUMNS_BY("mfa");

/* "n42" of "user_trace-n42". */
static const char *marker_of(uint32_t probe, char buf[PROBE_NAME_SIZE])
{
	const char *dash = strchr(probe_name(probe, buf), '-');

	return dash ? dash + 1 : buf;
}

static int configure(struct run *run)
{
	uint32_t by_tag = run_options(run)->by == TAKES_BY_TAG;

	switch (run_options(run)->by) {
	case TAKES_BY_KIND: run_table_columns(run, kind_columns, TABLE_COLUMNS); break;
	case TAKES_BY_TAG: run_table_columns(run, tag_columns, TABLE_COLUMNS); break;
	case TAKES_BY_PID: run_table_columns(run, pid_columns, TABLE_COLUMNS); break;
	case TAKES_BY_NAME: run_table_columns(run, name_columns, TABLE_COLUMNS); break;
	case TAKES_BY_MFA: run_table_columns(run, mfa_columns, TABLE_COLUMNS); break;
	default: break;
	}
	return run_set(run, "user_trace_by_tag", &by_tag, sizeof(by_tag));
}

static struct value text_of(const char *at, int32_t length)
{
	if (length < 0)
		return (struct value){ .text = "(unreadable)" };
	return (struct value){ .text = at, .is_null = !length };
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct user_trace_event *e = record;
	char marker[PROBE_NAME_SIZE], name[PROBE_NAME_SIZE];
	const char *texts = (const char *)(e + 1), *process;
	struct value values[EVENT_COLUMNS];
	struct sink_event shown = { .probe = name, .values = values };

	if (size < sizeof(*e) || size - sizeof(*e) < (size_t)USER_TRACE_TEXTS * e->room || e->probe >= probe_count())
		return;
	probe_name(e->probe, name);
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_id = (int)e->os_id;
	shown.node = run_node(run, shown.os_id);
	values[PID] = (struct value){ .number = e->id, .is_null = !e->id };
	values[PROBE] = (struct value){ .text = marker_of(e->probe, marker) };
	values[TAG] = text_of(texts, e->lengths[0]);
	for (int i = 0; i < USER_TRACE_NUMBERS; i++)
		values[NUMBERS + i] = (struct value){ .signed_number = e->numbers[i], .is_null = !e->has_numbers };
	for (int i = 0; i < USER_TRACE_STRINGS; i++)
		values[STRINGS + i] = text_of(texts + (size_t)(i + 1) * e->room, e->lengths[i + 1]);
	process = run_id(run, shown.os_id, e->name);
	values[NAME] = (struct value){ .text = process, .is_null = !*process };
	run_event(run, &shown);
}

/* Kept by the caller in `buf`: the probe's name is made there. */
static const char *key_text(struct run *run, const struct counter_key *key, char buf[PROBE_NAME_SIZE])
{
	uint64_t probe = erl_id_value(key->id);

	if (!key->os_id)
		return "other";
	if (run_options(run)->by == TAKES_BY_KIND && probe < probe_count())
		return probe_name((uint32_t)probe, buf);
	if (!key->id)
		return run_options(run)->by == TAKES_BY_TAG ? "(no tag)" : "(unknown)";
	return run_id(run, (int)key->os_id, key->id);
}

static int snapshot(struct run *run)
{
	_cleanup_free_ char(*names)[PROBE_NAME_SIZE] = NULL;
	_cleanup_free_ struct value *cells = NULL;
	const struct counter_row *rows;
	struct sink_table table = {};
	int err = run_options(run)->by ? run_counter(run, &rows, &table.rows) : 0;

	if (err || !run_options(run)->by)
		return err;
	names = calloc(table.rows + 1, sizeof(*names));
	cells = calloc(table.rows * TABLE_COLUMNS + 1, sizeof(*cells));
	if (!names || !cells)
		return -ENOMEM;
	for (size_t i = 0; i < table.rows; i++) {
		cells[i * TABLE_COLUMNS + KEY].text = key_text(run, &rows[i].key, names[i]);
		cells[i * TABLE_COLUMNS + COUNT].number = rows[i].counter.count;
		cells[i * TABLE_COLUMNS + NODE].text = run_node(run, (int)rows[i].key.os_id);
	}
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", kind_columns, TABLE_COLUMNS },
	{},
};

const struct tool tool_user_trace = {
	.name = "user-trace",
	.summary = "the trace points that Erlang code hits with dyntrace:p and dyntrace:pn",
	.nothing = "no code called dyntrace or the package erlbpf",
	.instead = "`erlbpf count` shows which other probes fire",
	.description =
		"Prints every call of dyntrace:p/0..8, dyntrace:pn/1..9 and dyntrace:user_trace_s1/1, with the\n"
		"process, its tag (dyntrace:put_tag/1), four integers and four strings. An integer that the call\n"
		"does not pass is 0. GLOB selects markers: n42 is dyntrace:pn(42, ...), i4s4 is dyntrace:p, s1 is\n"
		"user_trace_s1 (its process is unknown). --by only counts the calls. dyntrace does nothing on a VM\n"
		"that is not built --with-dynamic-trace; there, call the functions of the package erlbpf\n"
		"(probes/app), which have the same names and fire the same probes on every VM.",
	.examples = "# Every marker\n"
		    "erlbpf user-trace\n"
		    "# dyntrace:pn(40, ...) to pn(49, ...) only\n"
		    "erlbpf user-trace 'n4?'\n"
		    "# How many calls have each tag, every second?\n"
		    "erlbpf user-trace --by tag 1",
	.takes = TAKES_GLOB | TAKES_BY_KIND | TAKES_BY_TAG | TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_MFA |
		 TAKES_ERL_PID,
	.args = TOOL_ALL_ARGS,
	.elf = user_trace_bpf__elf_bytes,
	.columns = { event_columns, EVENT_COLUMNS },
	.other_columns = other_columns,
	.configure = configure,
	.event = event,
	.snapshot = snapshot,
};
