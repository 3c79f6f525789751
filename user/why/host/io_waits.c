// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread that sleeps and has not run since the previous sample waits for one thing. A NIF may sleep on purpose, so
 * only uninterruptible sleep ('D') and functions for files count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "node/names/call_stack.h"
#include "node/names/scheduler_name.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "why/host/threads.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define LONG_NS (200 * NS_PER_MS) /* from here on the stack is read */

/* What a dirty I/O scheduler waits for, and since when. */
struct io_thread {
	pid_t tid; /* 0: not known */
	uint64_t process, ran, since_ns;
};

struct io_waits {
	const struct target *target;
	struct schedulers *schedulers;
	struct processes *processes;
	size_t first, count; /* index of the first dirty I/O scheduler, and how many */
	struct io_thread *threads;
	struct scheduler_look *looks_at;
	uint64_t looks, waiting;
	struct sign_io_wait longest;
};

static void take_thread(struct io_waits *w, const struct thread *thread)
{
	char name[32], *end;
	unsigned long number;

	scheduler_name(thread->name, name, sizeof(name));
	if (strncmp(name, "dirty-io-", 9))
		return;
	number = strtoul(name + 9, &end, 10);
	if (end != name + 9 && !*end && number && number <= w->count)
		w->threads[number - 1].tid = thread->tid;
}

static void source_close(void *state)
{
	struct io_waits *w = state;

	free(w->threads);
	free(w->looks_at);
}

static int source_open(void *state, struct why_node *node)
{
	struct io_waits *w = state;

	w->target = node->target;
	w->schedulers = node->schedulers;
	w->processes = node->processes;
	w->count = schedulers_of_kind(w->schedulers, SCHEDULER_DIRTY_IO);
	w->first = schedulers_count(w->schedulers) - w->count;
	w->threads = calloc(w->count + 1, sizeof(*w->threads));
	w->looks_at = calloc(w->first + w->count + 1, sizeof(*w->looks_at));
	if (!w->threads || !w->looks_at)
		return -ENOMEM;
	for (size_t i = 0; i < node->threads->count; i++)
		take_thread(w, &node->threads->all[i]);
	return 0;
}

/* The function of the kernel; "": permission denied. */
static void read_place(pid_t tid, char place[SIGN_PLACE])
{
	_cleanup_free_ char *text = procfs_read(tid, "wchan", NULL);

	snprintf(place, SIGN_PLACE, "%s", text && strcmp(text, "0") != 0 ? text : "");
}

static bool is_for_a_file(const struct sign_process *process)
{
	return !strncmp(process->function, "prim_file:", 10) || !strncmp(process->function, "file:", 5);
}

static void look_closely(struct io_waits *w, const struct io_thread *thread, char state, uint64_t took_ns)
{
	struct sign_io_wait wait = { .longest_ns = took_ns };
	struct process_look look;
	struct call_stack frames;

	processes_look(w->processes, &thread->process, &look, 1);
	if (!look.process.id)
		return;
	call_stack_read(w->target, &look.fields, true, &frames);
	sign_process_fill(w->processes, look.process.id, &frames, &wait.process);
	if (state != 'D' && !is_for_a_file(&wait.process))
		return;
	w->waiting++;
	if (took_ns <= w->longest.longest_ns)
		return;
	read_place(thread->tid, wait.place);
	w->longest = wait;
}

static void look_at(struct io_waits *w, struct io_thread *thread, uint64_t process)
{
	uint64_t ran = 0, waited, now = duration_now();
	char state = process && thread->tid ? proc_stat_state(thread->tid) : '\0';

	if ((state != 'S' && state != 'D') || proc_stat_sched(thread->tid, &ran, &waited)) {
		thread->process = 0;
		return;
	}
	if (thread->process != process || thread->ran != ran) {
		thread->process = process;
		thread->ran = ran;
		thread->since_ns = now;
	} else if (now - thread->since_ns >= LONG_NS) {
		look_closely(w, thread, state, now - thread->since_ns);
	}
}

static void io_waits_look(struct io_waits *w)
{
	schedulers_look(w->schedulers, w->looks_at);
	w->looks++;
	for (size_t i = 0; i < w->count; i++)
		look_at(w, &w->threads[i], w->looks_at[w->first + i].process);
}

static void io_waits_finish(const struct io_waits *w, struct signs *signs)
{
	signs->io_wait = w->longest;
	signs->io_wait.threads = w->looks ? (double)w->waiting / (double)w->looks : 0;
}

static void source_look(void *state, struct why_node *node)
{
	(void)node;
	io_waits_look(state);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	(void)node;
	io_waits_finish(state, signs);
}

const struct why_source io_waits_source = {
	.size = sizeof(struct io_waits),
	.open = source_open,
	.look = source_look,
	.finish = source_finish,
	.close = source_close,
};
