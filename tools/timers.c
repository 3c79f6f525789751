// SPDX-License-Identifier: BSD-2-Clause
/* timers: which timers fire, and how late. See bpf/timers.bpf.c. */
#include "timers.h"

#include "tool.h"

#include "timers.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },    { "kind", COLUMN_TEXT, -7, false },    { "due", COLUMN_TIME, -15, false },
	{ "fired", COLUMN_TIME, -15, false }, { "late", COLUMN_DURATION, 8, false }, { "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_KIND, FIELD_BEGAN, FIELD_ENDED, FIELD_TOOK, FIELD_NAME,
};

static const char *const kinds[TIMERS_KINDS] = {
	[TIMERS_MESSAGE] = "message",
	[TIMERS_RECEIVE] = "receive",
	[TIMERS_PORT] = "port",
};

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[TIMERS_KINDS] = {
		[TIMERS_MESSAGE] = { .name = "messages",
				     .text = "timers that send a message fired",
				     .one = "timer that sends a message fired" },
		[TIMERS_RECEIVE] = { .name = "receives",
				     .text = "timers of receive ... after fired",
				     .one = "timer of receive ... after fired" },
		[TIMERS_PORT] = { .name = "ports", .text = "timers of ports fired", .one = "timer of a port fired" },
	};

	return run_accounts(run, accounts, TIMERS_KINDS, notes);
}

static const struct tool_histogram hist = {
	.title = "timer due to fired",
	.unit = "ns",
	.metric = "timer-lateness",
	.counts_ends = true,
};

const struct tool tool_timers = {
	.name = "timers",
	.summary = "which timers fire, and how late",
	.nothing = "no timer fired",
	.description =
		"Counts the timers that fire, and measures how late: from the time at which a timer is due to\n"
		"the time at which its scheduler fires it. There are three kinds: message (erlang:send_after and\n"
		"erlang:start_timer, which gen_statem and the module timer use), receive (receive ... after that\n"
		"has timed out, such as timeouts of gen_server) and port (a driver's timer). Timers that\n"
		"are cancelled or have a time of 0 do not count.\n"
		"A timer belongs to the scheduler that set it. Late timers show that this scheduler was blocked by\n"
		"a NIF or a long BIF, had more timers than it can fire, or did not get enough CPU time.\n"
		"The VM rounds the time of a timer up to a whole millisecond; this delay is not part of the\n"
		"measured time.",
	.examples = "# Until Ctrl-C, one histogram of all nodes on this machine\n"
		    "erlbpf timers\n"
		    "# Which processes' timers fire, and how often?\n"
		    "erlbpf timers --by name -d 10\n"
		    "# Every timer that fires 10 ms late or more\n"
		    "erlbpf timers --min 10ms",
	.takes = TAKES_BY_PROCESS | TAKES_BY_SCHEDULER | TAKES_BY_KIND | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = timers_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.kinds = { kinds, TIMERS_KINDS },
	.hist = &hist,
	.notes = notes,
};
