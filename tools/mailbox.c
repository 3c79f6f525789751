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
		run_measures(run, "length of the mailbox when a message is received", "messages");
	return run_set(run, "mailbox_length", &length, sizeof(length));
}

static size_t notes(struct run *run, struct sink_note notes[TOOL_MAX_NOTES])
{
	static const struct sink_note accounts[MAILBOX_ACCOUNTS] = {
		[MAILBOX_UNSEEN] = { .name = "not_enqueued",
				     .text = "messages were enqueued before the trace, or made from signals" },
	};

	return run_accounts(run, accounts, MAILBOX_ACCOUNTS, notes);
}

static const struct tool_histogram hist = {
	.title = "time of a message in the mailbox",
	.unit = "ns",
	.metric = "mailbox-wait",
};

const struct tool tool_mailbox = {
	.name = "mailbox",
	.summary = "how long messages wait in mailboxes",
	.nothing = "no message was received",
	.instead = "`erlbpf top` shows how many wait in mailboxes",
	.description =
		"Measures the time from when a message enters the mailbox of its receiver to when a receive\n"
		"takes it out, in any order. A message waits until its receiver is scheduled, until the messages\n"
		"before it are handled, and until a receive matches it. --min prints each message that waited\n"
		"that long, with the length of the mailbox when it was received, itself included. --length shows\n"
		"a histogram of that length. Messages that the VM makes from a signal when the receiver handles\n"
		"it ('DOWN', 'EXIT') are not measured.",
	.examples = "# Which receivers leave messages waiting longest?\n"
		    "erlbpf mailbox --by name -d 10\n"
		    "# How long are their mailboxes?\n"
		    "erlbpf mailbox --by name --length -d 10\n"
		    "# Each message that waited for 1 s or more, when it is received\n"
		    "erlbpf mailbox --min 1s",
	.takes = TAKES_BY_PROCESS | TAKES_MIN | TAKES_ERL_PID | TAKES_LENGTH,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(2) | TOOL_ARG(3) | TOOL_ARG(4),
	.elf = mailbox_bpf__elf_bytes,
	.columns = { columns, TOOL_COUNT(columns), fields },
	.hist = &hist,
	.configure = configure,
	.notes = notes,
};
