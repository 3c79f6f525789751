// SPDX-License-Identifier: BSD-2-Clause
/* ports: what happens to ports, and for how long are they busy? See bpf/ports.bpf.c. */
#include "ports.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "tool.h"

#include "ports.skel.h"

static const struct column columns[] = {
	{ "began", COLUMN_TIME, -15, false },	  { "kind", COLUMN_TEXT, -8, false },
	{ "port", COLUMN_TEXT, -14, false },	  { "pid", COLUMN_PID, -16, false },
	{ "busy", COLUMN_DURATION, 8, false },	  { "number", COLUMN_SIGNED, 7, false },
	{ "new_owner", COLUMN_TEXT, -16, false }, { "port_name", COLUMN_TEXT, -16, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_BEGAN,
	FIELD_KIND,
	FIELD_ID_0 + PORTS_PORT,
	FIELD_PID,
	FIELD_TOOK,
	FIELD_AMOUNT_0 + PORTS_NUMBER,
	FIELD_ID_0 + PORTS_NEW_OWNER,
	FIELD_WHAT,
	FIELD_NAME,
};

static const char *const kinds[PORTS_KINDS] = {
	[PORTS_OPEN] = "open",	     [PORTS_COMMAND] = "command",   [PORTS_CLOSE] = "close",
	[PORTS_CONTROL] = "control", [PORTS_CONNECT] = "connect",   [PORTS_EXIT] = "exit",
	[PORTS_BUSY] = "busy",	     [PORTS_NOT_BUSY] = "not_busy",
};

enum { KEY, PORT_NAME, KIND, COUNT, BUSY, LONGEST, NAME, COUNTS };

static const struct column counts[COUNTS] = {
	[KEY] = { "key", COLUMN_TEXT, -16, false },	[PORT_NAME] = { "port_name", COLUMN_TEXT, -16, false },
	[KIND] = { "kind", COLUMN_TEXT, -8, false },	[COUNT] = { "count", COLUMN_NUMBER, 10, false },
	[BUSY] = { "busy", COLUMN_DURATION, 8, false }, [LONGEST] = { "longest", COLUMN_DURATION, 8, false },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

static int configure(struct run *run)
{
	if (run_options(run)->by)
		run_table_columns(run, counts, COUNTS);
	return 0;
}

static void fill_row(struct run *run, const struct counter_row *row, struct value cells[COUNTS])
{
	int os_id = (int)row->key.os_id;
	bool is_rest = !os_id, was_busy = row->key.kind == PORTS_NOT_BUSY && !is_rest;
	const char *key = run_options(run)->by == TAKES_BY_NODE ? run_node(run, os_id)
								: run_id(run, os_id, row->key.id);

	cells[KEY] = value_of_text(is_rest ? "other" : key);
	cells[PORT_NAME] = value_of_text(run_id(run, os_id, row->key.other));
	cells[KIND] = value_of_text(is_rest || row->key.kind >= PORTS_KINDS ? "" : kinds[row->key.kind]);
	cells[COUNT].number = row->counter.count;
	cells[BUSY] = (struct value){ .number = row->counter.sum, .is_null = !was_busy };
	cells[LONGEST] = (struct value){ .number = row->counter.max, .is_null = !was_busy };
	cells[NAME] = value_of_text(run_id(run, os_id, row->counter.name));
}

static int snapshot(struct run *run)
{
	_cleanup_free_ struct value *cells = NULL;
	const struct counter_row *rows;
	struct sink_table table = {};
	int err;

	if (!run_options(run)->by)
		return 0;
	err = run_counter(run, &rows, &table.rows);
	cells = err ? NULL : calloc(table.rows + 1, sizeof(*cells) * COUNTS);
	if (!cells)
		return err ? err : -ENOMEM;
	for (size_t i = 0; i < table.rows; i++)
		fill_row(run, &rows[i], cells + i * COUNTS);
	table.cells = cells;
	run_table(run, &table);
	return 0;
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[PORTS_ACCOUNTS] = {
		[PORTS_STILL_BUSY] = { .name = "still_busy",
				       .text = "ports closed while they were busy",
				       .one = "port closed while it was busy" },
	};

	return run_accounts(run, accounts, PORTS_ACCOUNTS, notes);
}

static const struct tool_other_columns other_columns[] = {
	{ "the table", counts, TOOL_COUNT(counts) },
	{},
};

const struct tool tool_ports = {
	.name = "ports",
	.summary = "which ports open, close and get commands, and how long they are busy",
	.nothing = "no port was opened, closed, busy or given a command",
	.instead = "`erlbpf drivers` shows what drivers do on their own",
	.description = "Prints when a port opens, gets a command or a control operation, changes its owner or closes,\n"
		       "and how long it is busy. A busy port suspends the processes that send commands to it. pid is\n"
		       "the process that acts on the port; for a busy port it is the owner. The number of a control\n"
		       "operation on an inet port is shown without the offset that these ports add to it. --by counts\n"
		       "events instead: by port, by the name of the port (--by name), by process or by node.",
	.examples = "# Every event, when it happens\n"
		    "erlbpf ports\n"
		    "# Which ports were busy for 100 ms or more?\n"
		    "erlbpf ports --min 100ms\n"
		    "# How many commands do drivers get, and which are busy, every second?\n"
		    "erlbpf ports --by name 1",
	.takes = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_NODE | TAKES_BY_PORT | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3),
	.elf = ports_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = other_columns,
	.kinds = { kinds, PORTS_KINDS },
	.configure = configure,
	.snapshot = snapshot,
	.notes = notes,
};
