// SPDX-License-Identifier: BSD-2-Clause
/* drivers: what do the callbacks of drivers cost? See bpf/drivers.bpf.c. */
#include "drivers.h"

#include "operation.h"
#include "tool.h"

#include "drivers.skel.h"

static const struct column columns[] = {
	{ "began", COLUMN_TIME, -15, false },
	{ "function", COLUMN_TEXT, -24, false },
	{ "port", COLUMN_TEXT, -14, false },
	{ "pid", COLUMN_PID, -16, false },
	{ "bytes", COLUMN_SIGNED, 10, false, "bytes" },
	{ "took", COLUMN_DURATION, 8, false },
	{ "port_name", COLUMN_TEXT, -16, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_BEGAN,
	FIELD_ID_0 + DRIVERS_FUNCTION,
	FIELD_ID_0 + OPERATION_THING,
	FIELD_PID,
	FIELD_AMOUNT_0 + OPERATION_BYTES,
	FIELD_TOOK,
	FIELD_WHAT,
	FIELD_NAME,
};

static const struct tool_histogram hist = {
	.title = "time in a driver's callback",
	.unit = "ns",
	.metric = "driver-callback",
	.is_of_calls = true,
};

const struct tool tool_drivers = {
	.name = "drivers",
	.summary = "how long the callbacks of port drivers take",
	.nothing = "no callback of a driver was called",
	.instead = "drivers that are loaded from files of their own are not measured",
	.description =
		"Measures each callback of a driver from call to return: how often it is called, how long it takes\n"
		"and how many bytes it gets. The callbacks are start, stop, flush, output, outputv, control, call,\n"
		"ready_input, ready_output, timeout, ready_async, process_exit, stop_select and emergency_close.\n"
		"pid is the owner of the port. For ready_async and stop_select the port is unknown, so drivers\n"
		"that share the callback appear under one name: vanilla+fd+spawn:stop_select. Drivers that are\n"
		"loaded from their own files are not measured. --by name groups calls by the name of the port.",
	.examples = "# Until Ctrl-C, calls, bytes and time by driver and callback\n"
		    "erlbpf drivers\n"
		    "# A histogram of each callback\n"
		    "erlbpf drivers --by function -d 10\n"
		    "# Every callback that blocks a scheduler for 1 ms or more, when it ends\n"
		    "erlbpf drivers --min 1ms -T",
	.takes = TAKES_BY_PID | TAKES_BY_NAME | TAKES_BY_NODE | TAKES_BY_FUNCTION | TAKES_BY_PORT | TAKES_BY_SCHEDULER |
		 TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2),
	.elf = drivers_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = operations_columns,
	.hist = &hist,
	.configure = run_operations_configure,
	.snapshot = run_operations_snapshot,
};
