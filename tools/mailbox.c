// SPDX-License-Identifier: BSD-2-Clause
/* mailbox: how long messages wait to be received. See bpf/mailbox.bpf.c. */
#include "mailbox.h"

#include "tool.h"

#include "mailbox.skel.h"

static const struct column columns[] = {
	{ "pid", COLUMN_PID, -16, false },	 { "sender", COLUMN_TEXT, -16, false },
	{ "enqueued", COLUMN_TIME, -15, false }, { "received", COLUMN_TIME, -15, false },
	{ "wait", COLUMN_DURATION, 8, false },	 { "length", COLUMN_SIGNED, 8, false, "messages" },
	{ "name", COLUMN_TEXT, 0, false },
};

static const enum tool_field fields[] = {
	FIELD_PID, FIELD_WHAT, FIELD_BEGAN, FIELD_ENDED, FIELD_TOOK, FIELD_AMOUNT_0 + MAILBOX_LENGTH, FIELD_NAME,
};

static int configure(struct run *run)
{
	__u32 length = run_options(run)->length;

	if (length)
		run_measures(run, "length of the queue when a message is received", "messages");
	return run_set(run, "mailbox_length", &length, sizeof(length));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[MAILBOX_ACCOUNTS] = {
		[MAILBOX_UNSEEN] = { .name = "not_enqueued",
				     .text = "messages were enqueued before the trace, or made of signals" },
	};

	return run_accounts(run, accounts, MAILBOX_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "wait of a message in the queue",
	.unit = "ns",
	.metric = "mailbox-wait",
};

const struct tool tool_mailbox = {
	.name = "mailbox",
	.summary = "how long messages wait until they are received",
	.description =
		"From the moment a message is put into the queue of its receiver to the moment that receive\n"
		"takes it out, in whatever order that happens. A message waits for its receiver to be scheduled,\n"
		"for those before it, and for a receive that it matches. With --min, each that waited for long,\n"
		"with the length that the queue had when it was taken out, itself included; with --length, a\n"
		"histogram of that length. What the VM makes of a signal when its receiver handles it ('DOWN',\n"
		"'EXIT') is not among them.",
	.examples = "# Which processes let their messages wait?\n"
		    "erlbpf mailbox --by name -d 10\n"
		    "# How long are their queues?\n"
		    "erlbpf mailbox --by name --length -d 10\n"
		    "# Each message that waited for a second, as it is received\n"
		    "erlbpf mailbox --min 1s",
	.takes = TAKES_BY_PROCESS | TAKES_MIN | TAKES_ERL_PID | TAKES_LENGTH,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = mailbox_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.hist = &hist,
	.configure = configure,
	.notes = notes,
};
