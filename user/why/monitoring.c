// SPDX-License-Identifier: BSD-2-Clause
/*
 * The monitors of a process are a tree that has no count, so a process with many is found by how deep its tree is: all
 * trees are followed downwards at once, and after some steps only few are left. These are counted.
 *
 * A monitor goes when what it is of ends. So one process may well have 100,000 monitors of as many processes, as a
 * registry has, but not of a few.
 */
#include "why/monitoring.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/relations.h"
#include "target/procfs.h"
#include "why/who.h"

#define LEAST_STEPS 6 /* downwards, of a tree of 10,000 or more */
#define MOST_STEPS 16 /* who is left then has several hundred or more; only some of them are counted */
#define MOST_COUNTED 100000
#define MOST_IN_ALL 300000
#define NIL UINT64_C(0xfffffffffffffffb)
#define TAG_MASK 3
#define TAG_BOXED 2
#define BATCH 256

/* A pid of another node: header, node, number. It is in the memory of its monitor. */
#define REMOTE_WORDS 3

/* Terms of what is monitored. */
struct list {
	uint64_t *terms;
	size_t count;
};

/* The thing that most are of. */
struct most {
	uint64_t term, count;
	size_t things;
};

static size_t find_deep(struct processes *processes, struct relation_place *places)
{
	size_t count = 0;

	for (size_t row = 0; row < processes_rows(processes); row++) {
		const struct process *process = processes_row(processes, row);

		if (processes_has(processes, row) && process->monitors)
			places[count++] = (struct relation_place){ .node = process->monitors, .owner = row };
	}
	for (int step = 0; count && (step < LEAST_STEPS || (count > MONITORING_FEW && step < MOST_STEPS)); step++)
		count = relations_descend(processes_target(processes), places, count);
	return count < MONITORING_FEW ? count : MONITORING_FEW;
}

static size_t count_of(struct processes *processes, size_t row, struct list *list)
{
	return list->count = relations_monitors(processes_target(processes), processes_row(processes, row)->monitors,
						list->terms, MOST_COUNTED);
}

void monitoring_read(struct monitoring *m, struct processes *processes)
{
	_cleanup_free_ struct relation_place *places = NULL;
	_cleanup_free_ uint64_t *terms = NULL;
	struct list list;
	size_t deep, all = 0;

	if (m->is_read)
		return;
	m->is_read = true;
	places = calloc(processes_rows(processes) + 1, sizeof(*places));
	terms = calloc(MOST_COUNTED, sizeof(*terms));
	if (!places || !terms)
		return;
	list = (struct list){ .terms = terms };
	deep = find_deep(processes, places);
	for (size_t i = 0; i < deep && all < MOST_IN_ALL; i++) {
		all += count_of(processes, places[i].owner, &list);
		m->before[m->before_count++] = (struct monitoring_count){
			.id = processes_row(processes, places[i].owner)->id,
			.count = list.count,
		};
	}
}

/* Two monitors of the same process of another node have a term each. */
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

static int by_term(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct most find_most(struct list *list)
{
	struct most most = {};

	qsort(list->terms, list->count, sizeof(*list->terms), by_term);
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

static uint64_t count_before(const struct monitoring *m, uint64_t id)
{
	for (size_t i = 0; i < m->before_count; i++) {
		if (m->before[i].id == id)
			return m->before[i].count;
	}
	return 0;
}

static void fill(const struct monitoring *m, struct processes *processes, size_t row, struct list *list,
		 struct sign_monitors *sign)
{
	const struct target *target = processes_target(processes);
	uint64_t id = processes_row(processes, row)->id, of;
	struct most most;

	read_all_remote(target, list);
	most = find_most(list);
	of = processes_id_of_term(processes, most.term);
	*sign = (struct sign_monitors){
		.count = list->count,
		.before = count_before(m, id),
		.things = most.things,
		.of_one = most.count,
		.are_aliases = most.term == NIL || of == id,
		.is_more = list->count == MOST_COUNTED,
	};
	who_fill(processes, target, id, NULL, &sign->who);
	if (of && of != id)
		who_fill(processes, target, of, NULL, &sign->of);
}

/* Of those with the same number of things, who has more monitors is worse. */
static bool is_worse(const struct sign_monitors *sign, const struct sign_monitors *than)
{
	return !than->count || sign->count / (sign->things + 1) > than->count / (than->things + 1);
}

void monitoring_finish(const struct monitoring *m, struct processes *processes, struct signs *signs)
{
	_cleanup_free_ struct relation_place *places = calloc(processes_rows(processes) + 1, sizeof(*places));
	_cleanup_free_ uint64_t *terms = calloc(MOST_COUNTED, sizeof(*terms));
	struct list list = { .terms = terms };
	size_t deep, all = 0;

	if (!places || !terms)
		return;
	deep = find_deep(processes, places);
	for (size_t i = 0; i < deep && all < MOST_IN_ALL; i++) {
		struct sign_monitors sign;

		all += count_of(processes, places[i].owner, &list);
		fill(m, processes, places[i].owner, &list, &sign);
		if (is_worse(&sign, &signs->monitors))
			signs->monitors = sign;
	}
}
