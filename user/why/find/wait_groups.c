// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading the stacks of all processes of a large node takes too long, so an even sample of the table is read.
 *
 * Source: inet_gethost_native.erl, inet_res.erl, prim_inet.erl, global.erl and code.erl of OTP 25, 27 and 29.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/duration.h"
#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/relations.h"
#include "why/find/application_start.h"
#include "why/find/stalled_server.h"
#include "why/processes/pending_calls.h"
#include "why/processes/process_trends.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define MOST_LOOKS 1000
#define FRAMES 4      /* newest ones, which tell what a process waits for */
#define MOST_ASKED 64 /* processes that others wait for */
#define MOST_MONITORED 256
#define LATE_NS (NS_PER_S * 9 / 10)
#define NO_GROUP SIZE_MAX
#define MOST_CIRCLES 64 /* processes that are checked for a cycle */

/* A server, how many callers wait for it, and the one that waits longest. */
struct asked {
	uint64_t id, callers, longest, longest_ns;
	bool is_io;
	struct call_stack frames;
};

/* The same for callers that have a timeout and wait for long. */
struct late {
	uint64_t id, callers, longest, longest_ns;
	struct call_stack frames;
};

struct wait_groups {
	struct processes *processes;
	const struct target *target;
	const struct trends *trends;
	struct signs *signs;
	struct asked asked[MOST_ASKED];
	size_t asked_count, circles;
	struct late late[MOST_ASKED];
	size_t late_count;
	struct stalled_servers chains;
};

static const struct {
	const char *begin; /* prefix of the name of a function */
	size_t crowd;	   /* offset of the group in the signs */
	bool may_run;	   /* running processes count, too */
	bool is_deep;	   /* also below the newest frames */
} known[] = {
	{ "inet_gethost_native:", offsetof(struct signs, waits.dns), false },
	{ "inet_res:", offsetof(struct signs, waits.dns), false },
	{ "prim_inet:accept", offsetof(struct signs, waits.accept), false },
	{ "gen_tcp_socket:accept", offsetof(struct signs, waits.accept), false },
	{ "socket:accept", offsetof(struct signs, waits.accept), false },
	{ "prim_inet:send", offsetof(struct signs, waits.send), false },
	{ "global:set_lock", offsetof(struct signs, waits.global_lock), false },
	/* A process that waits for the lock matches the line above first. */
	{ "global:trans", offsetof(struct signs, waits.global_lock_held), false },
	/* The younger of two transactions that want a lock is restarted after some time. Below: those that hold
	 * locks. */
	{ "mnesia_locker:", offsetof(struct signs, waits.mnesia), false, false },
	{ "mnesia_tm:restart/", offsetof(struct signs, waits.mnesia_restart), false, false },
	{ "mnesia_tm:apply_fun/", offsetof(struct signs, waits.mnesia_held), false, true },
	{ "application_master:start_it", offsetof(struct signs, waits.start), false, true },
	/* Handlers of OTP wait for their process, which has a mailbox. */
	{ "logger_olp:", NO_GROUP, false, true },
	{ "logger_backend:call_handlers/", offsetof(struct signs, waits.log_handler), false, true },
	/* Collections of another process, not of itself. */
	{ "erlang:garbage_collect/1", offsetof(struct signs, waits.gc), true },
	{ "erlang:garbage_collect/2", offsetof(struct signs, waits.gc), true },
	/* A process that replaces a persistent term is suspended until all schedulers know. */
	{ "persistent_term:", offsetof(struct signs, waits.terms), true },
	{ "code:", offsetof(struct signs, waits.code), true },
	{ "code_server:call/", offsetof(struct signs, waits.code), true },
};

static void count(struct wait_groups *c, size_t row, const struct call_stack *frames, struct sign_wait_group *crowd)
{
	const struct process *process = processes_row(c->processes, row);
	bool is_idle = trends_is_idle(c->trends, row);

	/* Idle since the previous reading. */
	crowd->still += process->reds == process->reds_before;
	if (!crowd->processes++ || (is_idle && !crowd->idle))
		sign_process_fill(c->processes, process->id, frames, &crowd->process);
	crowd->idle += is_idle;
}

/* A server of the resolver waits for work, not for a name. */
static bool is_server(struct processes *processes, struct process *process)
{
	char name[NAME_SIZE];

	processes_refresh_name(processes, process);
	process_registered(processes, process, name);
	return !strncmp(name, "inet_gethost_native", 19) || !strncmp(name, "global_", 7) ||
	       !strncmp(name, "mnesia_", 7);
}

static void look_for_circle(struct wait_groups *c, const struct process *process)
{
	struct sign_deadlock *circle = &c->signs->waits.deadlock;
	uint64_t other;

	if (circle->processes || process->reds != process->reds_before || c->circles++ >= MOST_CIRCLES)
		return;
	circle->processes = pending_call_circle(c->processes, c->target, process->id, &other);
	if (!circle->processes)
		return;
	sign_process_fill(c->processes, process->id, NULL, &circle->one);
	sign_process_fill(c->processes, other, NULL, &circle->other);
}

static void count_caller(struct wait_groups *c, size_t row, const struct pending_call *call,
			 const struct call_stack *frames)
{
	uint64_t idle_ns = trends_idle_ns(c->trends, row);
	struct asked *asked;
	size_t i = 0;

	while (i < c->asked_count && c->asked[i].id != call->asked)
		i++;
	if (!call->asked || i == MOST_ASKED)
		return;
	if (i == c->asked_count)
		c->asked[c->asked_count++] = (struct asked){ .id = call->asked, .is_io = call->is_io };
	asked = &c->asked[i];
	asked->callers++;
	asked->is_io &= call->is_io;
	if (asked->longest && idle_ns <= asked->longest_ns)
		return;
	asked->longest_ns = idle_ns;
	asked->longest = processes_row(c->processes, row)->id;
	asked->frames = *frames;
}

/* A call without a timeout may be a worker that waits for work, unless the name of a function says what it wants. */
static bool wants_thing(struct processes *processes, const struct call_stack *frames)
{
	static const char *const words[] = { "checkout", "check_out", "take_member", "acquire",
					     "borrow",	 "get_conn",  "get_worker" };
	char text[SIGN_NAME];

	for (size_t i = 0; i < frames->count; i++) {
		const char *name;

		sign_function(processes, frames->functions[i], text);
		name = strrchr(text, ':');
		for (size_t k = 0; name && k < sizeof(words) / sizeof(*words); k++) {
			if (!strncmp(name + 1, words[k], strlen(words[k])))
				return true;
		}
	}
	return false;
}

static void count_late(struct wait_groups *c, size_t row, const struct pending_call *call,
		       const struct call_stack *frames)
{
	uint64_t idle_ns = trends_idle_ns(c->trends, row);
	struct late *late;
	size_t i = 0;

	while (i < c->late_count && c->late[i].id != call->asked)
		i++;
	if (!call->asked || idle_ns < LATE_NS || i == MOST_ASKED ||
	    (!call->has_limit && !wants_thing(c->processes, frames)))
		return;
	late = &c->late[i];
	if (i == c->late_count) {
		*late = (struct late){ .id = call->asked };
		c->late_count++;
	}
	late->callers++;
	if (idle_ns <= late->longest_ns)
		return;
	late->longest_ns = idle_ns;
	late->longest = processes_row(c->processes, row)->id;
	late->frames = *frames;
}

static void look_at_call(struct wait_groups *c, size_t row, const struct process_look *look,
			 const struct call_stack *frames)
{
	struct pending_call call = pending_call_of(c->processes, c->target, look, frames);

	count_caller(c, row, &call, frames);
	if (!call.is_io)
		stalled_add(&c->chains, call.asked, false);
	count_late(c, row, &call, frames);
	if (call.asked)
		look_for_circle(c, processes_row(c->processes, row));
	if (call.is_remote)
		count(c, row, frames, &c->signs->waits.peer);
}

static void count_known(struct wait_groups *c, size_t row, const struct call_stack *frames, bool is_waiting)
{
	char text[SIGN_NAME];

	for (size_t i = 0; i < frames->count; i++) {
		sign_function(c->processes, frames->functions[i], text);
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			if (strncmp(text, known[k].begin, strlen(known[k].begin)) != 0 ||
			    (!is_waiting && !known[k].may_run) || (i >= FRAMES && !known[k].is_deep))
				continue;
			if (known[k].crowd != NO_GROUP && !is_server(c->processes, processes_row(c->processes, row)))
				count(c, row, frames, (struct sign_wait_group *)((char *)c->signs + known[k].crowd));
			return;
		}
	}
}

static void look_at(struct wait_groups *c, size_t row)
{
	const struct process *process = processes_row(c->processes, row);
	struct process_look look;
	struct call_stack frames;
	bool is_waiting;

	processes_look(c->processes, &process->address, &look, 1);
	if (look.process.id != process->id)
		return;
	is_waiting = !strcmp(process_status(&look.process), "waiting");
	call_stack_read(c->target, &look.fields, !is_waiting, &frames);
	if (is_waiting)
		look_at_call(c, row, &look, &frames);
	count_known(c, row, &frames, is_waiting);
}

static void finish_callers(const struct wait_groups *c)
{
	for (size_t k = 0; k < c->asked_count; k++) {
		if (c->asked[k].id == c->signs->file_sync.process.id)
			c->signs->file_sync.callers = c->asked[k].callers;
	}
	for (size_t i = 0; i < c->signs->mailboxes.count; i++) {
		struct sign_mailbox *mailbox = &c->signs->mailboxes.worst[i];

		for (size_t k = 0; k < c->asked_count; k++) {
			if (c->asked[k].id != mailbox->process.id)
				continue;
			mailbox->callers = c->asked[k].callers;
			if (c->asked[k].is_io && c->asked[k].callers >= SERVICE_BACKLOG &&
			    mailbox->service == SERVICE_NONE)
				mailbox->service = SERVICE_IO;
		}
	}
}

/* The processes that the server monitors and that do not wait for it: they may hold what the others want. */
static void find_holders(const struct wait_groups *c, const struct process *asked, struct sign_late_answers *sign)
{
	uint64_t terms[MOST_MONITORED], holder = 0, longest_ns = 0;
	struct tree_shape shape;
	size_t count = relations_monitors(c->target, &shape)
			       ? 0
			       : trees_values(c->target, &shape, asked->monitors, terms, MOST_MONITORED);

	for (size_t i = 0; i < count; i++) {
		uint64_t id = processes_id_of_term(c->processes, terms[i]), idle_ns;
		const struct process *process = id ? processes_find(c->processes, id) : NULL;

		if (!process || pending_call_server(c->processes, c->target, id) == asked->id)
			continue;
		idle_ns = trends_idle_ns(c->trends, processes_row_of(c->processes, process));
		sign->holders++;
		if (holder && idle_ns <= longest_ns)
			continue;
		holder = id;
		longest_ns = idle_ns;
	}
	if (holder)
		sign_process_fill(c->processes, holder, NULL, &sign->holder);
}

static uint64_t least_queue_of(const struct wait_groups *c, const struct process *process)
{
	return trends_least_queue(c->trends, processes_row_of(c->processes, process));
}

/* A server that has not taken the requests yet is reported by another rule. */
static void finish_late(const struct wait_groups *c)
{
	struct sign_late_answers *sign = &c->signs->waits.late_answers;
	const struct process *asked = NULL;
	const struct late *worst = NULL;

	for (size_t i = 0; i < c->late_count; i++) {
		const struct process *process = processes_find(c->processes, c->late[i].id);

		if (!process || process->queue >= SERVICE_BACKLOG || least_queue_of(c, process) ||
		    (worst && worst->callers >= c->late[i].callers))
			continue;
		worst = &c->late[i];
		asked = process;
	}
	if (!worst)
		return;
	sign->callers = worst->callers;
	sign->longest_ns = worst->longest_ns;
	sign_process_fill(c->processes, worst->id, NULL, &sign->process);
	sign_process_fill(c->processes, worst->longest, &worst->frames, &sign->caller);
	find_holders(c, asked, sign);
}

/* A server that takes no request is stalled: stalled_server.c. */
static bool is_slow(const struct wait_groups *c, const struct asked *asked)
{
	const struct process *process = processes_find(c->processes, asked->id);

	return process && asked->longest_ns >= LATE_NS && least_queue_of(c, process) &&
	       !trends_is_stuck(c->trends, processes_row_of(c->processes, process));
}

static void finish_slow(const struct wait_groups *c)
{
	struct sign_slow_server *sign = &c->signs->waits.slow_server;
	const struct asked *worst = NULL;

	for (size_t i = 0; i < c->asked_count; i++) {
		if ((!worst || c->asked[i].callers > worst->callers) && is_slow(c, &c->asked[i]))
			worst = &c->asked[i];
	}
	if (!worst)
		return;
	sign->callers = worst->callers;
	sign->longest_ns = worst->longest_ns;
	sign->least = least_queue_of(c, processes_find(c->processes, worst->id));
	sign_process_fill(c->processes, worst->id, NULL, &sign->process);
	sign_process_fill(c->processes, worst->longest, &worst->frames, &sign->caller);
}

static void wait_groups_finish(struct processes *processes, const struct target *target, const struct trends *trends,
			       struct signs *signs)
{
	struct wait_groups c = { .processes = processes, .target = target, .trends = trends, .signs = signs };
	size_t rows = processes_rows(processes), step = rows / MOST_LOOKS + 1;

	for (size_t row = 0; row < rows; row += step) {
		if (processes_has(processes, row))
			look_at(&c, row);
	}
	finish_callers(&c);
	finish_late(&c);
	finish_slow(&c);
	stalled_finish(&c.chains, processes, trends, signs);
	application_start_finish(processes, trends, signs);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	wait_groups_finish(node->processes, node->target, node->trends, signs);
}

const struct why_source wait_groups_source = {
	.finish = source_finish,
};
