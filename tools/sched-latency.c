// SPDX-License-Identifier: BSD-2-Clause
/* sched-latency: how long messages wait before their receiver runs. See bpf/sched-latency.bpf.c. */
#include "sched-latency.h"

#include "tool.h"

#include "sched-latency.skel.h"

enum { SENDER, RECEIVER, SENT, SCHEDULED, WAIT, MESSAGES, NAME, COLUMNS };

static const struct column columns[COLUMNS] = {
	[SENDER] = { "sender", COLUMN_PID, -16, false }, [RECEIVER] = { "receiver", COLUMN_PID, -16, false },
	[SENT] = { "sent", COLUMN_TIME, -15, false },	 [SCHEDULED] = { "scheduled", COLUMN_TIME, -15, false },
	[WAIT] = { "wait", COLUMN_DURATION, 8, false },	 [MESSAGES] = { "messages", COLUMN_NUMBER, 8, false },
	[NAME] = { "name", COLUMN_TEXT, 0, false },
};

static void event(struct run *run, const void *record, size_t size)
{
	const struct sched_latency_event *e = record;
	char name[RUN_NAME_SIZE];
	struct value values[COLUMNS];
	struct sink_event shown = { .probe = "process-scheduled", .values = values };

	if (size < sizeof(*e))
		return;
	values[SENDER] = (struct value){ .is_null = !e->sender, .number = e->sender };
	values[RECEIVER] = (struct value){ .number = e->receiver };
	values[SENT] = (struct value){ .number = run_wall_ns(run, e->sent_ns) };
	values[SCHEDULED] = (struct value){ .number = run_wall_ns(run, e->scheduled_ns) };
	values[WAIT] = (struct value){ .number = e->scheduled_ns - e->sent_ns };
	values[MESSAGES] = (struct value){ .number = e->messages };
	shown.time_ns = values[SCHEDULED].number;
	shown.os_id = (int)e->os_id;
	shown.node = run_node(run, shown.os_id);
	values[NAME].text = run_process_name(run, shown.os_id, e->receiver, name);
	values[NAME].is_null = !*values[NAME].text;
	run_event(run, &shown);
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[SCHED_LATENCY_ACCOUNTS] = {
		[SCHED_LATENCY_REMOTE] = { .name = "remote",
					   .text = "messages went to other nodes",
					   .one = "message went to another node" },
		[SCHED_LATENCY_EXITED] = { .name = "exited",
					   .text = "messages whose receiver exited before it ran again",
					   .one = "message whose receiver exited before it ran again" },
		[SCHED_LATENCY_UNSEEN] = { .name = "unseen",
					   .text = "messages not measured: the receiver ran before the send was "
						   "recorded",
					   .one = "message not measured: the receiver ran before the send was "
						  "recorded" },
		[SCHED_LATENCY_UNPRINTED] = { .name = "unprinted",
					      .is_loss = true,
					      .text = "slow messages were not printed because there were too many at "
						      "once",
					      .one = "slow message was not printed because there were too many at "
						     "once" },
	};

	return run_accounts(run, accounts, SCHED_LATENCY_ACCOUNTS, notes);
}

static const struct sink_note running = {
	.name = "already_running",
	.text = "messages reached a receiver that was already running",
	.one = "message reached a receiver that was already running",
};

static const struct tool_histogram hist = {
	.title = "message send to receiver scheduled",
	.unit = "ns",
	.zero = &running,
};

static const struct tool_probe not_always[] = {
	{ "erlang:process-unscheduled", NEEDED_WITHOUT_STATES },
	{ "vm:message-enqueued", NEEDED_NEVER },
	{ "erlang:message-send", NEEDED_INSTEAD, "vm:message-enqueued" },
	{},
};

const struct tool tool_sched_latency = {
	.name = "sched-latency",
	.summary = "how long messages wait before their receiver runs",
	.nothing = "no message reached a process",
	.description =
		"Measures the time from when a message is sent to when a scheduler picks its receiver, which\n"
		"includes the wake-up and the wait in a run queue. Messages to a receiver that is\n"
		"already running wait for nothing and are counted apart. Long run queues, NIFs that do not yield and "
		"throttled containers make it\n"
		"long; the length of the mailbox does not show it. Messages from processes, NIFs, ports, timers\n"
		"and other nodes are measured, including those to an alias, such as replies of servers.",
	.examples = "# Until Ctrl-C, one histogram of all nodes on this machine\n"
		    "erlbpf sched-latency\n"
		    "# Only the node rabbit, every 5 seconds\n"
		    "erlbpf sched-latency --node rabbit 5\n"
		    "# Which receivers wait longest? As JSON, for 10 seconds\n"
		    "erlbpf sched-latency --by pid -d 10 -j\n"
		    "# Every message that waited for 10 ms or more\n"
		    "erlbpf sched-latency --min 10ms",
	.takes = TAKES_BY_PROCESS | TAKES_MIN | TAKES_ERL_PID,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(ERL_ARG_STATE),
	.elf = sched_latency_bpf__elf_bytes,
	.columns = { columns, COLUMNS },
	.hist = &hist,
	.not_always = not_always,
	.event = event,
	.notes = notes,
};
