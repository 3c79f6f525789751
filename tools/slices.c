// SPDX-License-Identifier: BSD-2-Clause
/* slices: how long processes keep their scheduler. See bpf/slices.bpf.c. */
#include "tool.h"

#include "slices.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },
	{ "began", COLUMN_TIME, -15, false },
	{ "ran", COLUMN_DURATION, 8, false },
	{ "thread", COLUMN_NUMBER, 8, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = { FIELD_PID, FIELD_BEGAN, FIELD_TOOK, FIELD_THREAD, FIELD_NAME };

const struct tool tool_slices = {
	.name = "slices",
	.summary = "how long processes keep their scheduler",
	.description =
		"From the moment a scheduler picks a process to the moment it lets it go, dirty schedulers\n"
		"included. A slice of more than some milliseconds on a normal scheduler is a BIF or a NIF that\n"
		"does not yield, and everybody behind it in the run queue waits.",
	.examples =
		"# Until Ctrl-C, one histogram of all nodes on this machine\n"
		"erlbpf slices\n"
		"# Every slice of 20 ms or more, as it ends\n"
		"erlbpf slices --min 20ms -T\n"
		"# Which processes keep a scheduler longest?\n"
		"erlbpf slices --by pid -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0),
	.elf = slices_bpf__elf_bytes,
	.columns = columns,
	.column_count = TOOL_COUNT(columns),
	.fields = fields,
	.hist_title = "time on a scheduler",
	.hist_unit = "ns",
};
