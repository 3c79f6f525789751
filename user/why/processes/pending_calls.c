// SPDX-License-Identifier: BSD-2-Clause
/*
 * gen:call() monitors the server, with an alias that the reply ends (node/processes/relations.h). A call within the
 * node without a timeout has no alias, and is found only if the process has no other monitor. In a chain of calls, only
 * the last process is the cause. I/O requests monitor the group leader or the file in the same way, without an alias.
 *
 * Source: do_call/4 of gen.erl and execute_request() of io.erl, call/5 of erpc.erl of OTP 25, 27 and 29.
 */
#include "why/processes/pending_calls.h"

#include <string.h>

#include "node/processes/relations.h"
#include "why/source/sign_process.h"
#include "why/source/source.h"

#define MOST_STEPS 16

/* Servers with their own protocol are called in the same way. */
static bool asks(const char *function)
{
	static const char *const functions[] = { "gen:do_call/4", "disk_log:monitor_request/2", "dets:req/2",
						 "file:wait_file_reply/2",
						 "Elixir.DBConnection.Holder:checkout_call/" };

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strncmp(function, functions[i], strlen(functions[i])))
			return true;
	}
	return false;
}

struct pending_call pending_call_of(struct processes *processes, const struct target *target,
				    const struct process_look *look, const struct call_stack *frames)
{
	struct relations relations;
	char text[SIGN_NAME];
	struct pending_call call = {};

	sign_function(processes, frames->count ? frames->functions[0] : 0, text);
	call.is_io = !strncmp(text, "io:execute_request/", 19);
	call.is_remote = !strncmp(text, "erpc:call/", 10);
	if ((!call.is_io && !asks(text)) || relations_read(target, look->process.address, &relations))
		return call;
	call.has_limit = relations.asked != 0;
	if (!relations.asked && relations.monitors.count == 1)
		relations.asked = relations.monitors.terms[0];
	call.asked = processes_id_of_term(processes, relations.asked);
	/* A name, or the pid of another node. */
	call.is_remote = relations.asked && !call.asked;
	return call;
}

uint64_t pending_call_server(struct processes *processes, const struct target *target, uint64_t id)
{
	const struct process *process = id ? processes_find(processes, id) : NULL;
	struct process_look look;
	struct call_stack frames;

	if (!process)
		return 0;
	processes_look(processes, &process->address, &look, 1);
	if (look.process.id != id || strcmp(process_status(&look.process), "waiting") != 0)
		return 0;
	call_stack_read(target, &look.fields, false, &frames);
	return pending_call_of(processes, target, &look, &frames).asked;
}

size_t pending_call_circle(struct processes *processes, const struct target *target, uint64_t id, uint64_t *other)
{
	uint64_t next = id;
	size_t count = 0;

	do {
		const struct process *process = processes_find(processes, next);

		if (!process || process->reds != process->reds_before || count == MOST_STEPS)
			return 0;
		*other = next;
		next = pending_call_server(processes, target, next);
		count++;
	} while (next != id);
	/* A process that seems to wait for itself has some other monitor. */
	return count > 1 ? count : 0;
}

static bool is_among(const uint64_t *ids, size_t count, uint64_t id)
{
	size_t i = 0;

	while (i < count && ids[i] != id)
		i++;
	return i < count;
}

static void follow(struct processes *processes, const struct target *target, struct sign_mailbox *mailbox)
{
	uint64_t ids[MOST_STEPS + 1] = { mailbox->process.id };
	size_t count = 1;

	while (count <= MOST_STEPS) {
		uint64_t next = pending_call_server(processes, target, ids[count - 1]);

		if (!next)
			break;
		mailbox->is_circle = is_among(ids, count, next);
		if (mailbox->is_circle)
			break;
		ids[count++] = next;
	}
	mailbox->steps = count - 1;
	if (count > 1)
		sign_process_fill(processes, ids[count - 1], NULL, &mailbox->waits_for);
}

static void pending_calls_finish(struct processes *processes, const struct target *target, struct signs *signs)
{
	for (size_t i = 0; i < signs->mailboxes.count; i++) {
		if (signs->mailboxes.worst[i].is_waiting)
			follow(processes, target, &signs->mailboxes.worst[i]);
	}
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	pending_calls_finish(node->processes, node->target, signs);
}

const struct why_source pending_calls_source = {
	.finish = source_finish,
};
