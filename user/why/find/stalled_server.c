// SPDX-License-Identifier: BSD-2-Clause
/*
 * A server that waits for a message in its loop has nothing to do, and a worker that waits for work asks so. In a
 * callback, or for the answer of another one, it should not wait: until that is over it answers nobody. Each message
 * that comes meanwhile wakes it up, so that one whose callers give up and ask again does a little.
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

/* Whoever all who ask `id` wait for. */
static uint64_t find_end(struct processes *processes, uint64_t id)
{
	uint64_t next = id;

	for (int step = 0; step < MOST_STEPS && next; step++) {
		id = next;
		next = calls_asked(processes, processes_target(processes), id);
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
	return !doers_match(processes, &frames, loops, 1) && doers_match(processes, &frames, callers, CALL_STACK_MAX);
}

void chains_add(struct chains *chains, uint64_t id, bool is_over)
{
	size_t i = 0;

	while (i < chains->count && chains->asked[i].id != id)
		i++;
	if (!id || i == CHAINS_MOST)
		return;
	if (i == chains->count)
		chains->asked[chains->count++] = (struct chain_asked){ .id = id };
	chains->asked[i].askers++;
	chains->asked[i].is_over |= is_over;
}

void chains_finish(const struct chains *chains, struct processes *processes, const struct trends *trends,
		   struct signs *signs)
{
	struct chains ends = { .count = 0 };
	const struct chain_asked *most = NULL;

	for (size_t i = 0; i < chains->count; i++) {
		const struct chain_asked *asked = &chains->asked[i];
		uint64_t end = is_stuck(processes, trends, asked->id) ? find_end(processes, asked->id) : 0;

		for (uint64_t n = 0; n < asked->askers; n++)
			chains_add(&ends, end, end != asked->id);
	}
	for (size_t i = 0; i < ends.count; i++) {
		const struct chain_asked *end = &ends.asked[i];

		if ((!most || end->askers > most->askers) && is_stuck(processes, trends, end->id) &&
		    (end->is_over || is_in_callback(processes, end->id)))
			most = end;
	}
	if (!most)
		return;
	signs->chain.processes = most->askers;
	who_fill(processes, processes_target(processes), most->id, NULL, &signs->chain.who);
}
