// SPDX-License-Identifier: BSD-2-Clause
/*
 * Who finds no message in `receive ... after 0` has its mailbox locked from the look at it until it goes on, so in such
 * a loop it is found so in a tenth to a half of the looks: what it does beside that takes the rest. One that gets
 * messages and reads all that are there is found so in a few of a hundred, and has messages or waits now and then.
 *
 * Source: emit_i_loop_rec_shared() and emit_timeout_locked() of instr_msg.cpp, erts_proc_sig_receive_helper() of
 * erl_proc_sig_queue.c, in 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "why/spins.h"

#include "why/who.h"

#define LEAST_HITS 20
#define LEAST_SHARE 0.08 /* of the looks that find it running */

static bool is_spinning(const struct sampled *sampled, const struct trends *trends, struct processes *processes)
{
	uint32_t hits = sampled->of_kind[SCHEDULER_NORMAL];
	const struct process *process;

	if (hits < LEAST_HITS || (double)sampled->seeking < LEAST_SHARE * hits)
		return false;
	process = processes_find(processes, sampled->id);
	return process && trends_is_sleepless(trends, processes_row_of(processes, process));
}

/* It is in the function that it was scheduled out in: what loops calls nothing that would be on the stack. */
static void fill_who(struct processes *processes, const struct sampled *sampled, double busy, struct sign_who *who)
{
	const struct process *process = processes_find(processes, sampled->id);
	struct process_look look;
	struct call_stack frames;

	processes_look(processes, &process->address, &look, 1);
	call_stack_read(processes_target(processes), &look.fields, false, &frames);
	who->busy = busy;
	who_fill(processes, processes_target(processes), sampled->id, frames.count ? &frames : samples_frames(sampled),
		 who);
}

void spins_finish(const struct samples *samples, const struct trends *trends, struct processes *processes,
		  struct signs *signs)
{
	struct sign_spins *sign = &signs->spins;
	const struct sampled *all, *most = NULL;
	size_t count = samples_all(samples, &all);

	for (size_t i = 0; i < count; i++) {
		if (!all[i].id || !is_spinning(&all[i], trends, processes))
			continue;
		sign->processes++;
		sign->busy += samples_share(samples, &all[i]);
		if (!most || all[i].hits > most->hits)
			most = &all[i];
	}
	if (most)
		fill_who(processes, most, samples_share(samples, most), &sign->who);
}
