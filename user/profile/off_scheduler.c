// SPDX-License-Identifier: BSD-2-Clause
#include "profile/off_scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "erl.h"
#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "target/reader/procfs.h"

#define MOST 4096 /* approximate number of processes whose stacks are read */
#define BATCH 64  /* processes read together */

struct off_scheduler {
	struct erl_pid_layout pids;
	struct processes *processes;
	struct schedulers *schedulers; /* NULL: not known */
	struct scheduler_look *runs;   /* what each runs */
	uint64_t stands_for;	       /* every Nth process, a power of two; 0: not counted yet */
};

struct off_scheduler *off_scheduler_new(const struct target *target)
{
	struct off_scheduler *off_scheduler = calloc(1, sizeof(*off_scheduler));
	int err;

	if (!off_scheduler)
		return NULL;
	err = pid_layout_read(target, &off_scheduler->pids);
	if (!err) {
		off_scheduler->processes = processes_new(target, &off_scheduler->pids, (struct name_style){});
		err = off_scheduler->processes ? 0 : -errno;
	}
	if (!err) {
		off_scheduler->schedulers = schedulers_new(target, &off_scheduler->pids);
		if (off_scheduler->schedulers)
			off_scheduler->runs = calloc(schedulers_count(off_scheduler->schedulers) + 1,
						     sizeof(*off_scheduler->runs));
		return off_scheduler;
	}
	off_scheduler_free(off_scheduler);
	errno = -err;
	return NULL;
}

void off_scheduler_free(struct off_scheduler *off_scheduler)
{
	if (!off_scheduler)
		return;
	processes_free(off_scheduler->processes);
	schedulers_free(off_scheduler->schedulers);
	free(off_scheduler->runs);
	free(off_scheduler);
}

/* Spreads consecutive ids. */
bool off_scheduler_has(const struct off_scheduler *off_scheduler, uint64_t id)
{
	return !((id * 0x9e3779b97f4a7c15ULL >> 40) & (off_scheduler->stands_for - 1));
}

static void choose_part(struct off_scheduler *off_scheduler, bool takes_all)
{
	if (off_scheduler->stands_for)
		return;
	off_scheduler->stands_for = 1;
	while (!takes_all && processes_live(off_scheduler->processes) / off_scheduler->stands_for > MOST)
		off_scheduler->stands_for *= 2;
}

/* True for a process that runs or has ended. */
#define ENDED (1u << 10 | 1u << 11)

static bool is_off(uint32_t state)
{
	return !(state & (ENDED | ERL_STATE_RUNNING));
}

/* Processes on dirty schedulers at the last reading; those for I/O come last. */
struct dirty_runs {
	const struct scheduler_look *runs;
	size_t count, for_io;
};

static struct dirty_runs dirty_runs(const struct off_scheduler *off_scheduler)
{
	struct dirty_runs dirty = {};

	if (!off_scheduler->runs)
		return dirty;
	dirty.for_io = schedulers_of_kind(off_scheduler->schedulers, SCHEDULER_DIRTY_IO);
	dirty.count = dirty.for_io + schedulers_of_kind(off_scheduler->schedulers, SCHEDULER_DIRTY_CPU);
	dirty.runs = off_scheduler->runs + schedulers_count(off_scheduler->schedulers) - dirty.count;
	return dirty;
}

/* True if it is on a dirty scheduler for I/O or garbage collection. */
static bool is_held(const struct off_scheduler *off_scheduler, const struct process *process)
{
	struct dirty_runs dirty = dirty_runs(off_scheduler);

	if (process->state & ENDED || !(process->state & ERL_STATE_DIRTY))
		return false;
	for (size_t i = 0; i < dirty.count; i++) {
		if (dirty.runs[i].process == process->address)
			return dirty.count - i <= dirty.for_io || process->state & ERL_STATE_IN_GC;
	}
	return false;
}

static enum off_reason reason_of(uint32_t state)
{
	if (state & ERL_STATE_DIRTY)
		return state & ERL_STATE_IN_GC ? OFF_GC : OFF_DIRTY_IO;
	if (state & ERL_STATE_SUSPENDED)
		return OFF_SUSPENDED;
	return state & ERL_STATE_ACTIVE ? OFF_RUNNABLE : OFF_WAITING;
}

bool off_scheduler_is_idle(const struct off_scheduler *off_scheduler, uint64_t id)
{
	uint32_t state = pid_state(processes_target(off_scheduler->processes), &off_scheduler->pids, id);

	return state && !(state & ERL_STATE_BUSY);
}

/* Stacks. */

struct batch {
	const struct off_scheduler *off_scheduler;
	const struct off_scheduler_request *request;
	uint64_t addresses[BATCH], terms[BATCH];
	struct process_look looks[BATCH], again[BATCH];
	uint64_t *words[BATCH];
	size_t word_count[BATCH];
	size_t count;
};

static size_t words_on(const struct stack_place *place)
{
	uint64_t end = place->heap + place->size * 8, words;

	if (place->stop & 7 || place->stop < place->heap || place->stop >= end)
		return 0;
	words = (end - place->stop) / 8;
	return words < SAMPLE_ERLANG_WORDS ? (size_t)words : SAMPLE_ERLANG_WORDS;
}

static bool is_made(const struct sample_node *node, uint64_t address)
{
	for (int i = 0; i < SAMPLE_MADE; i++) {
		if (address >= node->made[i].start && address < node->made[i].end)
			return true;
	}
	return false;
}

static bool is_return(const struct sample_node *node, uint64_t word)
{
	return !(word & 3) && (is_made(node, word) || sample_is_interpreted(node, word));
}

/* Same algorithm as walk() of bpf/stacks.bpf.h. */
static void walk(const struct sample_node *node, const uint64_t *words, size_t count, struct sample_stack *stack)
{
	if (count && words[0] & 3 && is_made(node, words[0]))
		stack->erlang[stack->erlang_count++] = words[0];
	/* The words include the bottom of the stack. */
	count -= node->loop.end && count && count < SAMPLE_ERLANG_WORDS;
	for (size_t i = 0; i < count; i++) {
		if (!is_return(node, words[i]))
			continue;
		if (stack->erlang_count >= SAMPLE_ERLANG) {
			stack->flags |= SAMPLE_CUT;
			return;
		}
		stack->erlang[stack->erlang_count++] = words[i];
	}
	if (count == SAMPLE_ERLANG_WORDS)
		stack->flags |= SAMPLE_CUT;
}

static void read_words(struct batch *batch)
{
	pid_t pid = processes_target(batch->off_scheduler->processes)->pid;
	struct procfs_piece pieces[2 * BATCH];
	size_t n = 0;

	for (size_t i = 0; i < batch->count; i++) {
		batch->word_count[i] = words_on(&batch->looks[i].fields.stack);
		batch->words[i] = calloc(batch->word_count[i] + 1, sizeof(uint64_t));
		pieces[n++] = (struct procfs_piece){ .address = batch->addresses[i],
						     .to = &batch->terms[i],
						     .size = sizeof(uint64_t) };
		pieces[n++] = (struct procfs_piece){ .address = batch->looks[i].fields.stack.stop,
						     .to = batch->words[i],
						     .size = batch->word_count[i] * sizeof(uint64_t) };
		if (!batch->words[i])
			pieces[n - 1].size = 0;
	}
	procfs_pieces(pid, pieces, n);
	for (size_t i = 0; i < batch->count; i++) {
		if (!pieces[2 * i].is_read || !pieces[2 * i + 1].is_read || !batch->words[i])
			batch->word_count[i] = 0;
	}
}

/* It has not run meanwhile, or still runs the same dirty job. */
static bool is_same(const struct off_scheduler *off_scheduler, const struct process_look *look,
		    const struct process_look *again)
{
	bool is_same_process = look->process.id && look->process.id == again->process.id;

	if (!is_same_process || look->process.reds != again->process.reds ||
	    look->fields.stack.stop != again->fields.stack.stop)
		return false;
	if (is_held(off_scheduler, &look->process))
		return again->process.state & ERL_STATE_DIRTY;
	return is_off(look->process.state) && is_off(again->process.state);
}

/* Same as kept_code() of bpf/kept.bpf.h. */
static uint64_t code_of(const struct process_look *look)
{
	return look->process.state & (ERL_STATE_TO_DIRTY | ERL_STATE_DIRTY) ? 0 : look->fields.code;
}

static void visit(const struct batch *batch, size_t i)
{
	const struct process_look *look = &batch->looks[i];
	const struct off_scheduler_request *request = batch->request;
	enum off_reason reason = reason_of(look->process.state);
	struct off_scheduler_process process = {
		.id = look->process.id,
		.reds = look->process.reds,
		.stands_for = look->process.state & ERL_STATE_DIRTY ? 1 : batch->off_scheduler->stands_for,
		.reason = reason,
		.stack = {
			.count = 1,
			.process = request->by_process ? batch->terms[i] : 0,
			.node = request->node->number,
			.flags = SAMPLE_IN_PROCESS | SAMPLE_IN_MADE,
			.ip = code_of(look),
		},
	};

	walk(request->node, batch->words[i], batch->word_count[i], &process.stack);
	request->visit(request->data, &process);
}

static void take_batch(struct batch *batch)
{
	struct processes *processes = batch->off_scheduler->processes;

	processes_look(processes, batch->addresses, batch->looks, batch->count);
	read_words(batch);
	processes_look(processes, batch->addresses, batch->again, batch->count);
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->word_count[i] && is_same(batch->off_scheduler, &batch->looks[i], &batch->again[i]))
			visit(batch, i);
		free(batch->words[i]);
	}
	batch->count = 0;
}

static bool is_wanted(const struct off_scheduler *off_scheduler, const struct off_scheduler_request *request,
		      const struct process *process)
{
	bool is_part = !request->only_held && is_off(process->state) && off_scheduler_has(off_scheduler, process->id);
	bool is_left = process->state & ERL_STATE_IN_GC && !request->takes_gc;

	return (is_part || (!is_left && is_held(off_scheduler, process))) &&
	       (!request->wants || request->wants(request->data, process->id));
}

static void take_all(struct off_scheduler *off_scheduler, const struct off_scheduler_request *request,
		     struct batch *batch)
{
	batch->off_scheduler = off_scheduler;
	batch->request = request;
	for (size_t row = 0; row < processes_rows(off_scheduler->processes); row++) {
		const struct process *process = processes_row(off_scheduler->processes, row);

		if (!processes_has(off_scheduler->processes, row) || !is_wanted(off_scheduler, request, process))
			continue;
		batch->addresses[batch->count++] = process->address;
		if (batch->count == BATCH)
			take_batch(batch);
	}
	take_batch(batch);
}

/* False: no dirty scheduler is busy, or not known. */
static bool look_at_dirty(const struct off_scheduler *off_scheduler)
{
	struct dirty_runs dirty = dirty_runs(off_scheduler);
	bool is_any = false;

	if (dirty.count)
		schedulers_look(off_scheduler->schedulers, off_scheduler->runs);
	for (size_t i = 0; i < dirty.count; i++)
		is_any |= dirty.runs[i].process != 0;
	return is_any;
}

int off_scheduler_take(struct off_scheduler *off_scheduler, const struct off_scheduler_request *request)
{
	struct batch *batch;
	int err;

	if (!look_at_dirty(off_scheduler) && request->only_held)
		return 0;
	err = processes_read(off_scheduler->processes);
	if (err)
		return err;
	choose_part(off_scheduler, request->takes_all);
	batch = calloc(1, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	take_all(off_scheduler, request, batch);
	free(batch);
	return 0;
}
