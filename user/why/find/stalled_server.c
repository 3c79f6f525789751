// SPDX-License-Identifier: BSD-2-Clause
/*
 * A server that waits for a message in its loop is idle, and so is a worker that waits for work. In a callback, or for
 * the reply of another process, it should not wait: until then it replies to none. Each new message wakes it, so one
 * whose callers retry does a little.
 *
 * Source: gen_server.erl and gen_statem.erl of OTP 25, 27 and 29, whose functions these are that call a callback.
 */
#include "why/find/stalled_server.h"

#include <string.h>

#include "why/processes/pending_calls.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"

#define MOST_STEPS 16

static const char *const callers[] = { "gen_server:try_",	 "gen_server:handle_", "gen_server:init_it/",
				       "gen_statem:loop_state_", "gen_event:server_",  NULL };
static const char *const loops[] = { "gen_server:", "gen_statem:", "gen_event:", NULL };

/* The process at the end of the chain of calls from `id`. */
static uint64_t find_end(struct processes *processes, uint64_t id)
{
	uint64_t next = id;

	for (int step = 0; step < MOST_STEPS && next; step++) {
		id = next;
		next = pending_call_server(processes, processes_target(processes), id);
	}
	return next ? 0 : id;
}

static bool is_stuck(struct processes *processes, const struct trends *trends, uint64_t id)
{
	const struct process *process = processes_find(processes, id);

	return process && trends_is_stuck(trends, processes_row_of(processes, process));
}

static bool is_in_callback(struct processes *processes, uint64_t id)
{
	const struct process *process = processes_find(processes, id);
	struct process_look look;
	struct call_stack frames;

	processes_look(processes, &process->address, &look, 1);
	if (look.process.id != id || strcmp(process_status(&look.process), "waiting") != 0)
		return false;
	call_stack_read(processes_target(processes), &look.fields, false, &frames);
	return !stack_match(processes, &frames, loops, 1) && stack_match(processes, &frames, callers, CALL_STACK_MAX);
}

void stalled_add(struct stalled_servers *chains, uint64_t id, bool is_indirect)
{
	size_t i = 0;

	while (i < chains->count && chains->asked[i].id != id)
		i++;
	if (!id || i == STALLED_MOST)
		return;
	if (i == chains->count)
		chains->asked[chains->count++] = (struct stalled_server){ .id = id };
	chains->asked[i].callers++;
	chains->asked[i].is_indirect |= is_indirect;
}

void stalled_finish(const struct stalled_servers *chains, struct processes *processes, const struct trends *trends,
		    struct signs *signs)
{
	struct stalled_servers ends = { .count = 0 };
	const struct stalled_server *most = NULL;

	for (size_t i = 0; i < chains->count; i++) {
		const struct stalled_server *asked = &chains->asked[i];
		uint64_t end = is_stuck(processes, trends, asked->id) ? find_end(processes, asked->id) : 0;

		for (uint64_t n = 0; n < asked->callers; n++)
			stalled_add(&ends, end, end != asked->id);
	}
	for (size_t i = 0; i < ends.count; i++) {
		const struct stalled_server *end = &ends.asked[i];

		if ((!most || end->callers > most->callers) && is_stuck(processes, trends, end->id) &&
		    (end->is_indirect || is_in_callback(processes, end->id)))
			most = end;
	}
	if (!most)
		return;
	signs->waits.stalled.processes = most->callers;
	sign_process_fill(processes, most->id, NULL, &signs->waits.stalled.process);
}
