// SPDX-License-Identifier: BSD-2-Clause
/*
 * A waiting process has a timer: its own in `receive ... after`, or one that sends it a message. A timer that expires
 * within milliseconds may be chance; if most samples find one, it is a habit. The average rest of the wait, and the
 * share of samples with a timer, tell the rate: a sample finds a process in the middle of its wait on average.
 *
 * Source: erl_hl_timer.c and time.c of OTP 25, 27 and 29; of timers for a process, the root of its tree alone is read.
 */
#include <stddef.h>
#include <stdint.h>

#include "node/memory/fields.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "target/reader/procfs.h"
#include "why/processes/process_trends.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

struct short_timeouts {
	size_t count;
	uint64_t active; /* active processes, of which these are an even sample */
	unsigned int looks;
	struct short_timeout {
		uint64_t id, address;
		uint16_t timed;	  /* samples with a timer */
		uint16_t seen;	  /* samples with a short timer */
		uint32_t left_ms; /* sum over these */
	} all[TRENDS_ACTIVE];
};

#define SHORT_MS 10
#define LATE_MS 1000  /* a timer may be overdue by this much, on a node that gets hardly any CPU */
#define HAS_FIRED 1   /* stands for the address of a timer */
#define LEAST_LOOKS 3 /* samples */
#define LEAST_SEEN 2
#define LEAST_MS 1.0 /* shortest timeout of the VM */

static void choose(struct short_timeouts *polls, struct processes *processes, const struct trends_active *active)
{
	polls->active = active->all;
	for (size_t i = 0; i < active->count; i++) {
		const struct process *process = processes_row(processes, active->rows[i]);

		polls->all[polls->count++] = (struct short_timeout){ .id = process->id, .address = process->address };
	}
}

/* Replaces addresses of timers by their expiry times; 0: no timer. */
static void read_due(const struct target *target, int64_t due, uint64_t *timers, size_t count)
{
	struct procfs_piece pieces[TRENDS_ACTIVE];
	uint64_t values[TRENDS_ACTIVE] = {};
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (timers[i] > HAS_FIRED)
			pieces[n++] = (struct procfs_piece){ .address = timers[i] + (uint64_t)due,
							     .to = &values[i],
							     .size = sizeof(*values) };
	}
	procfs_pieces(target->pid, pieces, n);
	for (size_t i = 0; i < count; i++)
		timers[i] = timers[i] == HAS_FIRED ? HAS_FIRED : values[i];
}

/* Reads the word at an offset of each process. */
static void read_words(const struct target *target, const struct short_timeouts *polls, int64_t offset, uint64_t *words)
{
	struct procfs_piece pieces[TRENDS_ACTIVE];

	for (size_t i = 0; i < polls->count; i++) {
		words[i] = 0;
		pieces[i] = (struct procfs_piece){ .address = polls->all[i].address + (uint64_t)offset,
						   .to = &words[i],
						   .size = sizeof(*words) };
	}
	procfs_pieces(target->pid, pieces, polls->count);
}

static void count(struct short_timeout *poll, uint64_t due, uint64_t now)
{
	poll->timed += due != 0;
	if (due != HAS_FIRED && (due + LATE_MS < now || due > now + SHORT_MS))
		return;
	poll->seen++;
	poll->left_ms += due <= now ? 0 : (uint32_t)(due - now);
}

static void look(struct short_timeouts *polls, const struct target *target, const struct schedulers *schedulers)
{
	uint64_t own[TRENDS_ACTIVE], others[TRENDS_ACTIVE], now = schedulers_timer_now(schedulers);
	int64_t timer, timers, due;

	if (!now || field_offset(target->vm, "process.timer", &timer) ||
	    field_offset(target->vm, "process.timers", &timers) || field_offset(target->vm, "timer.due", &due))
		return;
	read_words(target, polls, timer, own);
	read_due(target, due, own, polls->count);
	read_words(target, polls, timers, others);
	read_due(target, due, others, polls->count);
	polls->looks++;
	for (size_t i = 0; i < polls->count; i++)
		count(&polls->all[i], own[i] ? own[i] : others[i], now);
}

static void short_timeouts_read(struct short_timeouts *polls, struct processes *processes, const struct trends *trends,
				const struct schedulers *schedulers)
{
	if (!polls->count)
		choose(polls, processes, trends_active(trends));
	else
		look(polls, processes_target(processes), schedulers);
}

static void short_timeouts_finish(const struct short_timeouts *polls, struct processes *processes, struct signs *signs)
{
	struct sign_short_timeouts *sign = &signs->short_timeouts;
	uint64_t found = 0, seen = 0, left_ms = 0, one = 0;
	double each;

	if (polls->looks < LEAST_LOOKS)
		return;
	for (size_t i = 0; i < polls->count; i++) {
		const struct short_timeout *poll = &polls->all[i];

		if (poll->seen < LEAST_SEEN || poll->seen * 2 <= poll->timed || !processes_find(processes, poll->id))
			continue;
		found++;
		seen += poll->seen;
		left_ms += poll->left_ms;
		one = one ? one : poll->id;
	}
	if (!found)
		return;
	each = (double)polls->active / (double)polls->count;
	sign->processes = (uint64_t)((double)found * each);
	sign->wait_ms = 2 * (double)left_ms / (double)seen;
	if (sign->wait_ms < LEAST_MS)
		sign->wait_ms = LEAST_MS;
	sign->wakes_per_s = (double)seen / polls->looks * each * 1000 / sign->wait_ms;
	sign_process_fill(processes, one, NULL, &sign->process);
}

static void source_read(void *state, struct why_node *node)
{
	short_timeouts_read(state, node->processes, node->trends, node->schedulers);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	short_timeouts_finish(state, node->processes, signs);
}

const struct why_source short_timeouts_source = {
	.size = sizeof(struct short_timeouts),
	.read = source_read,
	.finish = source_finish,
};
