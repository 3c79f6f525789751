// SPDX-License-Identifier: BSD-2-Clause
/*
 * A monitor ends with what it monitors. So a process, such as a registry, may have 100,000 monitors of as many
 * processes, but not of a few.
 */
#include <stdlib.h>

#include "base/array.h"
#include "node/memory/fields.h"
#include "node/processes/relations.h"
#include "target/reader/procfs.h"
#include "why/processes/large_trees.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

/* At the first reading. */
struct monitors_timers {
	struct large_trees monitors, timers;
	bool is_read;
};

#define NIL UINT64_C(0xfffffffffffffffb)
#define TAG_MASK 3
#define TAG_BOXED 2
#define BATCH 256

/* A pid of another node, in the memory of its monitor: header, node, number. */
#define REMOTE_WORDS 3

/* The monitored terms. */
struct list {
	uint64_t *terms;
	size_t count;
};

/* The term with most monitors. */
struct most {
	uint64_t term, count;
	size_t things;
};

struct finishing {
	struct processes *processes;
	const struct monitors_timers *before;
	struct sign_monitors *worst;
};

static uint64_t monitors_of(const struct process *process)
{
	return process->monitors;
}

static uint64_t timers_of(const struct process *process)
{
	return process->timers;
}

/* A timer has no value that is needed. */
static int timer_shape(const struct target *target, struct tree_shape *shape)
{
	int64_t right, left;

	if (field_offset(target->vm, "timer.right", &right) || field_offset(target->vm, "timer.left", &left))
		return -1;
	*shape = (struct tree_shape){ .right = (size_t)right, .left = (size_t)left, .value = (size_t)left };
	return 0;
}

static void monitors_timers_read(struct monitors_timers *m, struct processes *processes)
{
	struct tree_shape shape;

	if (m->is_read)
		return;
	m->is_read = true;
	if (!relations_monitors(processes_target(processes), &shape))
		large_trees_read(processes, &shape, monitors_of, &m->monitors, NULL, NULL);
	if (!timer_shape(processes_target(processes), &shape))
		large_trees_read(processes, &shape, timers_of, &m->timers, NULL, NULL);
}

/* Each monitor of a process of another node has its own copy of the term. */
static void read_remote(const struct target *target, struct list *list, const size_t *boxed, size_t count)
{
	uint64_t words[BATCH][REMOTE_WORDS];
	struct procfs_piece pieces[BATCH];

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = list->terms[boxed[i]] & ~(uint64_t)TAG_MASK,
						   .to = words[i],
						   .size = sizeof(words[i]) };
	procfs_pieces(target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read)
			list->terms[boxed[i]] = ((words[i][1] ^ words[i][2] << 20) & ~(uint64_t)TAG_MASK) | TAG_BOXED;
	}
}

static void read_all_remote(const struct target *target, struct list *list)
{
	size_t boxed[BATCH], count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if ((list->terms[i] & TAG_MASK) == TAG_BOXED)
			boxed[count++] = i;
		if (count == BATCH || (count && i + 1 == list->count)) {
			read_remote(target, list, boxed, count);
			count = 0;
		}
	}
}

static struct most find_most(struct list *list)
{
	struct most most = {};

	qsort(list->terms, list->count, sizeof(*list->terms), array_compare_u64);
	for (size_t i = 0, from = 0; i < list->count; i++) {
		if (i + 1 < list->count && list->terms[i + 1] == list->terms[from])
			continue;
		most.things++;
		if (i + 1 - from > most.count) {
			most.count = i + 1 - from;
			most.term = list->terms[from];
		}
		from = i + 1;
	}
	return most;
}

/* With the same number of things, more monitors are worse. */
static bool is_worse(const struct sign_monitors *sign, const struct sign_monitors *than)
{
	return !than->count || sign->count / (sign->things + 1) > than->count / (than->things + 1);
}

static void judge_monitors(void *data, const struct process *process, uint64_t *values, size_t count)
{
	struct finishing *f = data;
	const struct target *target = processes_target(f->processes);
	struct list list = { .terms = values, .count = count };
	struct sign_monitors sign = {
		.count = count,
		.before = large_trees_count_of(&f->before->monitors, process->id),
		.is_more = count == TREE_COUNTED,
	};
	struct most most;
	uint64_t of;

	read_all_remote(target, &list);
	most = find_most(&list);
	of = processes_id_of_term(f->processes, most.term);
	sign.things = most.things;
	sign.of_one = most.count;
	sign.are_aliases = most.term == NIL || of == process->id;
	if (!is_worse(&sign, f->worst))
		return;
	*f->worst = sign;
	sign_process_fill(f->processes, process->id, NULL, &f->worst->process);
	if (of && !sign.are_aliases)
		sign_process_fill(f->processes, of, NULL, &f->worst->of);
}

static void finish_timers(const struct monitors_timers *m, struct processes *processes, const struct tree_shape *shape,
			  struct sign_process_timers *sign)
{
	const struct tree_count *most = NULL;
	struct large_trees now;

	large_trees_read(processes, shape, timers_of, &now, NULL, NULL);
	for (size_t i = 0; i < now.count; i++) {
		if (!most || now.counts[i].count > most->count)
			most = &now.counts[i];
	}
	if (!most)
		return;
	sign->timers = most->count;
	sign->before = large_trees_count_of(&m->timers, most->id);
	sign_process_fill(processes, most->id, NULL, &sign->process);
}

static void monitors_timers_finish(const struct monitors_timers *m, struct processes *processes, struct signs *signs)
{
	struct finishing f = { .processes = processes, .before = m, .worst = &signs->monitors };
	struct tree_shape shape;
	struct large_trees now;

	if (!relations_monitors(processes_target(processes), &shape))
		large_trees_read(processes, &shape, monitors_of, &now, judge_monitors, &f);
	if (!timer_shape(processes_target(processes), &shape))
		finish_timers(m, processes, &shape, &signs->timers.receiver);
}

static void source_read(void *state, struct why_node *node)
{
	monitors_timers_read(state, node->processes);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	monitors_timers_finish(state, node->processes, signs);
}

const struct why_source monitors_timers_source = {
	.size = sizeof(struct monitors_timers),
	.read = source_read,
	.finish = source_finish,
};
