// SPDX-License-Identifier: BSD-2-Clause
/* Which processes make the costly calls (costly_calls.c), force collections of others, or call fsync. */
#include "why/schedulers/samples.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"
#include "why/source/source.h"

#define HIBERNATE_LOOKS 50

/* Collections of another process, not of itself. */
static const char *const gc_callers[] = { "erlang:garbage_collect/1", "erlang:garbage_collect/2", NULL };

static void finish_costly(const struct samples *samples, struct processes *processes, enum costly_call chore,
			  struct sign_costly_call *sign)
{
	double matching = samples_matching(samples);
	const char *begins[COSTLY_NAMES];
	size_t depth;

	/* Costly calls are counted among samples without match specifications, which are searches themselves. */
	sign->share = costly_calls_share(samples_costly(samples), chore) * (1 - matching);
	if (chore == COSTLY_SEARCH)
		sign->share += matching;
	if (sign->share < COSTLY_SHARE)
		return;
	depth = costly_calls_names(chore, begins);
	stack_match_most(processes, samples, begins, depth, &sign->process);
}

/* Share of the time in which a process was found in fsync. */
static double syncing(struct processes *processes, const struct samples *samples, const struct sampled *sampled)
{
	static const char *const syncs[] = { "prim_file:sync_nif/", "prim_file:sync/", "prim_file:datasync/", NULL };
	uint32_t hits = 0, all = 0;

	for (size_t i = 0; i < SAMPLES_VOTES; i++) {
		all += sampled->votes[i].hits;
		if (sampled->votes[i].hits && stack_match(processes, &sampled->votes[i].frames, syncs, 2))
			hits += sampled->votes[i].hits;
	}
	return all ? samples_share(samples, sampled) * hits / all : 0;
}

static void finish_sync(const struct samples *samples, struct processes *processes, struct sign_sync *sign)
{
	const struct sampled *all, *most = NULL;
	size_t count = samples_all(samples, &all);

	for (size_t i = 0; i < count; i++) {
		double share = all[i].of_kind[SCHEDULER_DIRTY_IO] ? syncing(processes, samples, &all[i]) : 0;

		sign->threads += share;
		sign->processes += share > 0;
		if (share <= sign->share)
			continue;
		sign->share = share;
		most = &all[i];
	}
	if (!most)
		return;
	sign->process.busy = samples_share(samples, most);
	sign_process_fill(processes, most->id, samples_frames(most), &sign->process);
}

/* Another process formats the console output. */
static void find_writer(const struct samples *samples, struct processes *processes, struct signs *signs)
{
	static const char *const writing[] = { "io:format/",  "io:fwrite/",	     "io:put_chars/",
					       "io:request/", "io:execute_request/", NULL };

	if (signs->costly.calls[COSTLY_LOG].share >= COSTLY_SHARE)
		stack_match_most(processes, samples, writing, CALL_STACK_MAX, &signs->costly.writer);
}

/* It may be running just now, so try again. OTP 28 and later keep the stack of hibernating processes. */
static bool hibernates(struct processes *processes, uint64_t id)
{
	static const char *const waits[] = { "erlang:hibernate/", "gen_server:loop_hibernate/",
					     "gen_statem:loop_hibernate/", NULL };
	const struct process *process = id ? processes_find(processes, id) : NULL;

	for (int i = 0; process && i < HIBERNATE_LOOKS; i++) {
		struct process_look look;
		struct call_stack frames;

		processes_look(processes, &process->address, &look, 1);
		if (look.process.id != id)
			return false;
		call_stack_read(processes_target(processes), &look.fields, false, &frames);
		if (stack_match(processes, &frames, waits, 1))
			return true;
	}
	return false;
}

static void costly_callers_finish(const struct samples *samples, struct processes *processes, struct signs *signs)
{
	const struct costly_calls *chores = samples_costly(samples);

	for (int chore = 0; chore < COSTLY_CALLS; chore++)
		finish_costly(samples, processes, (enum costly_call)chore, &signs->costly.calls[chore]);
	signs->costly.searched.matching = samples_matching(samples);
	signs->costly.searched.table = costly_calls_subject(chores->tables);
	sign_function(processes, signs->costly.searched.table, signs->costly.searched.name);
	signs->costly.looked_up.table = costly_calls_subject(chores->looked_up);
	sign_function(processes, signs->costly.looked_up.table, signs->costly.looked_up.name);
	signs->costly.inserted.table = costly_calls_subject(chores->inserted);
	sign_function(processes, signs->costly.inserted.table, signs->costly.inserted.name);
	signs->costly.slow_inserts = repeated_calls_slow(samples_repeated(samples),
							 signs->costly.calls[COSTLY_INSERT].process.id);
	if (signs->costly.calls[COSTLY_COPY].share >= COSTLY_SHARE)
		sign_process_fill(processes, costly_calls_subject(chores->receivers), NULL, &signs->costly.copied_to);
	find_writer(samples, processes, signs);
	signs->gc.hibernates = hibernates(processes, signs->gc.process.id);
	finish_sync(samples, processes, &signs->file_sync);
	stack_match_most(processes, samples, gc_callers, CALL_STACK_MAX, &signs->gc.caller);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	costly_callers_finish(node->samples, node->processes, signs);
}

const struct why_source costly_callers_source = {
	.finish = source_finish,
};
