// SPDX-License-Identifier: BSD-2-Clause
/* slices: how long processes and ports keep their scheduler. See bpf/slices.bpf.c. */
#include "slices.h"

#include "tool.h"

#include "slices.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	  { "kind", COLUMN_TEXT, -7, false },
	{ "began", COLUMN_TIME, -15, false },	  { "ran", COLUMN_DURATION, 8, false },
	{ "scheduler", COLUMN_TEXT, -12, false }, { "call", COLUMN_TEXT, -28, false },
	{ "took", COLUMN_DURATION, 8, false },	  { "current", COLUMN_TEXT, -28, false },
	{ "initial", COLUMN_TEXT, -28, false },	  { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID,
	FIELD_KIND,
	FIELD_BEGAN,
	FIELD_TOOK,
	FIELD_SCHEDULER,
	FIELD_WHAT,
	FIELD_AMOUNT_0 + SLICES_CALL_NS,
	FIELD_ID_0 + SLICES_CURRENT,
	FIELD_ID_0 + SLICES_INITIAL,
	FIELD_NAME,
};

static const char *const kinds[SLICES_KINDS] = { [SLICES_PROCESS] = "process", [SLICES_PORT] = "port" };

static const struct tool_histogram hist = {
	.title = "time on a scheduler",
	.unit = "ns",
	.metric = "slice",
};

/* The longest call of a slice is shown only with --min. */
static const struct tool_probe not_always[] = {
	{ "vm:bif-call", NEEDED_WITH_MIN },	  { "vm:port-call", NEEDED_WITH_MIN },
	{ "vm:gc-run", NEEDED_WITH_MIN },	  { "erlang:nif-entry", NEEDED_WITH_MIN },
	{ "erlang:nif-return", NEEDED_WITH_MIN }, {},
};

const struct tool tool_slices = {
	.name = "slices",
	.summary = "how long processes and ports occupy a scheduler",
	.nothing = "no process ran",
	.description = "A slice is the time from when a scheduler picks a process or a port until it stops running\n"
		       "it. Slices on dirty schedulers are measured too. A slice of several milliseconds on a normal\n"
		       "scheduler means native code that does not yield; all processes behind it in the run queue\n"
		       "wait.\n"
		       "--min prints the long slices, each with its longest native call (a NIF, a BIF, a port driver\n"
		       "or a garbage collection), the duration of that call, and the function that the process was in\n"
		       "at the end. It times every native call, which costs about 1 to 2 us per call. If this is more\n"
		       "than half of the limit of --max-overhead, calls are no longer timed, and slices are printed\n"
		       "without a call. If slices alone exceed the limit, the trace ends. A slice of very many calls\n"
		       "is printed only if it was long even if timing them cost twice what is taken off for that.",
	.examples = "# Until Ctrl-C, one histogram of all nodes on this machine\n"
		    "erlbpf slices\n"
		    "# Every slice of 20 ms or more, when it ends, and its longest call\n"
		    "erlbpf slices --min 20ms -T\n"
		    "# Which processes occupy a scheduler longest?\n"
		    "erlbpf slices --by pid -d 10",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1),
	.elf = slices_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, SLICES_KINDS },
	.hist = &hist,
	.not_always = not_always,
	.details = "native calls are timed",
};
