// SPDX-License-Identifier: BSD-2-Clause
/* sockets: what do operations on sockets cost, and how many bytes do they move? See bpf/sockets.bpf.c. */
#include "sockets.h"

#include "base/duration.h"
#include "operation.h"
#include "tool.h"

#include "sockets.skel.h"

static const struct column columns[] = {
	{ "began", COLUMN_TIME, -15, false },
	{ "kind", COLUMN_TEXT, -5, false },
	{ "function", COLUMN_TEXT, -24, false },
	{ "socket", COLUMN_TEXT, -14, false },
	{ "pid", COLUMN_PID, -16, false },
	{ "received", COLUMN_SIGNED, 10, false, "bytes" },
	{ "sent", COLUMN_SIGNED, 10, false, "bytes" },
	{ "took", COLUMN_DURATION, 8, false },
	{ "local", COLUMN_TEXT, -21, false },
	{ "peer", COLUMN_TEXT, -21, false },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_BEGAN,
	FIELD_KIND,
	FIELD_FUNCTION,
	FIELD_ID_0 + OPERATION_THING,
	FIELD_PID,
	FIELD_AMOUNT_0 + OPERATION_BYTES,
	FIELD_AMOUNT_0 + OPERATION_SENT,
	FIELD_TOOK,
	FIELD_LOCAL,
	FIELD_PEER,
	FIELD_NAME,
};

static const char *const kinds[SOCKETS_KINDS] = {
	[SOCKETS_TCP] = "tcp",	   [SOCKETS_UDP] = "udp",     [SOCKETS_SCTP] = "sctp",
	[SOCKETS_LOCAL] = "local", [SOCKETS_OTHER] = "other",
};

static const struct tool_histogram hist = {
	.title = "time in an operation on a socket",
	.unit = "ns",
	.metric = "socket-operation",
	.is_of_calls = true,
};

/* They are seldom opened and closed within this. */
#define LOOK_NS (500 * NS_PER_MS)

static int configure(struct run *run)
{
	__u32 keep_fds = run_options(run)->by == TAKES_BY_PORT || run_options(run)->min_ns;
	int err = run_operations_configure(run);

	if (keep_fds)
		run_with_addresses(run);
	return err ? err : run_set(run, "sockets_keep_fds", &keep_fds, sizeof(keep_fds));
}

const struct tool tool_sockets = {
	.name = "sockets",
	.summary = "how long socket operations take, and how many bytes they transfer",
	.nothing = "no operation on a socket ended",
	.description =
		"Measures operations on sockets from call to return: callbacks of the inet drivers (used by\n"
		"gen_tcp, gen_udp and gen_sctp) and NIFs of prim_socket (used by the module socket). Shows how\n"
		"often they are called, how long they take, and how many bytes they receive and send. Bytes are\n"
		"counted as the VM counts them (inet:getstat/1, socket:info/1): for an inet port, a byte counts as\n"
		"sent when the driver accepts it. pid is the caller of a NIF, or the owner of a port. --by port\n"
		"groups by socket: by port id, or by file descriptor for the module socket, and shows the addresses\n"
		"of each: LOCAL <- PEER if it was accepted, LOCAL -> PEER if it connected; --min shows them for each\n"
		"operation. A connection that lives\n"
		"less than half a second may have ended before its addresses are looked up. --by kind groups by\n"
		"tcp, udp, sctp and local.",
	.examples = "# Until Ctrl-C, calls, bytes and time by function\n"
		    "erlbpf sockets\n"
		    "# Which sockets transfer most, every second?\n"
		    "erlbpf sockets --by port 1\n"
		    "# Every operation of 1 ms or more, when it ends\n"
		    "erlbpf sockets --min 1ms -T",
	.takes = TAKES_BY_PID | TAKES_BY_MFA | TAKES_BY_NODE | TAKES_BY_FUNCTION | TAKES_BY_PORT | TAKES_BY_KIND |
		 TAKES_BY_SCHEDULER | TAKES_MIN | TAKES_ERL_PID,
	.args = 0x3ff,
	.elf = sockets_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.other_columns = operations_both_ways_columns,
	.kinds = { kinds, SOCKETS_KINDS },
	.hist = &hist,
	.tick = { run_look_up_addresses, LOOK_NS },
	.configure = configure,
	.snapshot = run_operations_snapshot,
};
