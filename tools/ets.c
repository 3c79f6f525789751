// SPDX-License-Identifier: BSD-2-Clause
/* ets: what operations on ETS tables cost. See bpf/ets.bpf.c. */
#include "tool.h"

#include "ets.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },
	{ "operation", COLUMN_TEXT, -24, false },
	{ "table", COLUMN_TEXT, -24, false },
	{ "began", COLUMN_TIME, -15, false },
	{ "took", COLUMN_DURATION, 8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_FUNCTION, FIELD_WHAT, FIELD_BEGAN, FIELD_TOOK, FIELD_NAME,
};

const struct tool tool_ets = {
	.name = "ets",
	.summary = "what operations on ETS tables cost",
	.description = "From the call of a BIF on an ETS table to its return.",
	.examples = "# Which tables take the most time?\nerlbpf ets --by table -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_BY_TABLE | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = ets_bpf__elf_bytes,
	.columns = columns,
	.column_count = TOOL_COUNT(columns),
	.fields = fields,
	.hist_title = "time in an ETS operation",
	.hist_unit = "ns",
};
