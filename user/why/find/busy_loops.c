// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that finds no message in `receive ... after 0` has its mailbox locked from the check until it goes on. In
 * such a loop a tenth to a half of the samples find it so; its other work takes the rest. A process that gets messages
 * and drains its mailbox is found so in a few of a hundred samples, and has messages or waits now and then.
 *
 * A process that yields in a loop never waits either, and has only a few more reductions each time the VM updates them,
 * where others that never wait have thousands.
 *
 * Repeated calls are found by repeated_calls.c.
 *
 * Source: emit_i_loop_rec_shared() and emit_timeout_locked() of instr_msg.cpp, erts_proc_sig_receive_helper() of
 * erl_proc_sig_queue.c, erts_schedule() of erl_process.c, in 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "node/processes/processes.h"
#include "why/processes/process_trends.h"
#include "why/schedulers/samples.h"
#include "why/schedulers/stack_match.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define LEAST_HITS 20
#define LEAST_SHARE 0.08 /* of the samples that find it running */
#define MOST_DIRTY 0.02	 /* of those; each dirty call ends */
#define LEAST_SHORT 4	 /* slices */
#define MOST_SHORT 0.9	 /* of all slices that were seen to end */

static bool is_sleepless(const struct sampled *sampled, const struct trends *trends, struct processes *processes)
{
	const struct process *process = processes_find(processes, sampled->id);

	return process && trends_is_sleepless(trends, processes_row_of(processes, process));
}

static bool is_yielding(const struct sampled *sampled)
{
	return sampled->hits - sampled->of_kind[SCHEDULER_NORMAL] <= MOST_DIRTY * sampled->hits &&
	       sampled->short_slices >= LEAST_SHORT &&
	       sampled->short_slices >= MOST_SHORT * (sampled->short_slices + sampled->whole_slices);
}

static enum busy_loop loop_of(const struct samples *samples, struct processes *processes, const struct sampled *sampled)
{
	if (sampled->of_kind[SCHEDULER_NORMAL] < LEAST_HITS)
		return LOOPS;
	if ((double)sampled->seeking >= LEAST_SHARE * sampled->of_kind[SCHEDULER_NORMAL])
		return LOOP_MAILBOX;
	if (is_yielding(sampled))
		return LOOP_YIELD;
	return repeated_calls_is_loop(samples_repeated(samples), processes, sampled->id) ? LOOP_SAME_CALL : LOOPS;
}

/* The function where it was scheduled out: a loop calls nothing that stays on the stack. */
static void read_frames(struct processes *processes, uint64_t id, struct call_stack *frames)
{
	const struct process *process = processes_find(processes, id);
	struct process_look look;

	processes_look(processes, &process->address, &look, 1);
	call_stack_read(processes_target(processes), &look.fields, false, frames);
}

/* A process that keeps calling a server is found at its mailbox as often, and seldom waiting if the server gets no
 * CPU. */
static bool is_calling(struct processes *processes, uint64_t id)
{
	static const char *const calls[] = { "gen:do_call/", NULL };
	struct call_stack frames;

	read_frames(processes, id, &frames);
	return stack_match(processes, &frames, calls, 1);
}

static void fill_who(struct processes *processes, const struct sampled *sampled, double busy,
		     struct sign_busy_loops *sign)
{
	struct call_stack frames;

	read_frames(processes, sampled->id, &frames);
	sign->process.busy = busy;
	sign_process_fill(processes, sampled->id,
			  frames.count && sign->spin != LOOP_SAME_CALL ? &frames : samples_frames(sampled),
			  &sign->process);
}

static void busy_loops_finish(const struct samples *samples, const struct trends *trends, struct processes *processes,
			      struct signs *signs)
{
	struct sign_busy_loops *sign = &signs->busy_loops;
	const struct sampled *all, *most = NULL;
	size_t count = samples_all(samples, &all);

	for (size_t i = 0; i < count; i++) {
		enum busy_loop spin = all[i].id ? loop_of(samples, processes, &all[i]) : LOOPS;

		if (spin == LOOPS || !is_sleepless(&all[i], trends, processes) || is_calling(processes, all[i].id))
			continue;
		sign->processes++;
		sign->busy += samples_share(samples, &all[i]);
		if (most && all[i].hits <= most->hits)
			continue;
		most = &all[i];
		sign->spin = spin;
	}
	if (most)
		fill_who(processes, most, samples_share(samples, most), sign);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)state;
	busy_loops_finish(node->samples, node->trends, node->processes, signs);
}

const struct why_source busy_loops_source = {
	.finish = source_finish,
};
