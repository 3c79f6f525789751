// SPDX-License-Identifier: BSD-2-Clause
/* messages: who sends what to whom. See bpf/messages.bpf.c. */
#include "messages.h"

#include "tool.h"

#include "messages.skel.h"

#define MESSAGE_TEXT 8192

enum { FROM, TO, MESSAGE, COLUMNS };

static const struct column columns[COLUMNS] = {
	[FROM] = { "from", COLUMN_PID, -16, false },
	[TO] = { "to", COLUMN_PID, -16, false },
	[MESSAGE] = { "message", COLUMN_TEXT, 0, false },
};

static int configure(struct run *run)
{
	const struct options *options = run_options(run);
	struct messages_config config = { .erl_pid = options->erl_pid, .show = options->show };

	return run_set(run, "messages_config", &config, sizeof(config));
}

/* What follows the event; NULL if it is not all there. */
static const struct term_snapshot *message_of(const struct messages_event *e, size_t size)
{
	const struct term_snapshot *message = (const void *)(e + 1);

	size -= sizeof(*e);
	return size >= TERM_SNAPSHOT_HEAD && size >= term_snapshot_size(message) ? message : NULL;
}

static void event(struct run *run, const void *record, size_t size)
{
	const struct messages_event *e = record;
	const struct term_snapshot *message;
	char text[MESSAGE_TEXT];
	struct value values[COLUMNS];
	struct sink_event shown = { .values = values, .probe = "message-send" };

	if (size < sizeof(*e))
		return;
	message = e->has_message ? message_of(e, size) : NULL;
	shown.time_ns = run_wall_ns(run, e->time_ns);
	shown.os_pid = (int)e->os_pid;
	shown.node = run_node(run, shown.os_pid);
	values[FROM] = (struct value){ .is_null = !e->from, .number = e->from };
	values[TO] = (struct value){ .is_null = !e->to, .number = e->to };
	values[MESSAGE] = (struct value){ .is_null = true };
	if (message)
		values[MESSAGE] = (struct value){
			.text = run_term(run, shown.os_pid, message, text, sizeof(text)) };
	run_event(run, &shown);
}

const struct tool tool_messages = {
	.name = "messages",
	.summary = "who sends messages to whom, and what is in them",
	.description =
		"Prints each message that a process sends to another of its node, as it is sent. With --show,\n"
		"the message itself, as ~0p prints it, up to some 2000 bytes of memory; what is beyond is `...`.",
	.examples =
		"# What is sent to and by one process?\n"
		"erlbpf messages --show --erl-pid '<0.91.0>'",
	.takes = TAKES_ERL_PID | TAKES_SHOW,
	.args = TOOL_ARG(0) | TOOL_ARG(1) | TOOL_ARG(ERL_ARG_TERM),
	.elf = messages_bpf__elf_bytes,
	.columns = columns,
	.column_count = COLUMNS,
	.configure = configure,
	.event = event,
};
