// SPDX-License-Identifier: BSD-2-Clause
/*
 * It is not known which part of a heap is live. But a server that waits for its next message needs only its state. Maps
 * and the process dictionary store their size; lists are walked through. If one of these grows each time and is the
 * largest, the heap grows by the same share.
 */
#include <string.h>

#include "base/duration.h"
#include "node/names/live_terms.h"
#include "node/processes/processes.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define STATES_MOST 16

/* A number that is read a few times. */
struct state_count {
	uint64_t first, last;
	unsigned int looks, rises;
};

struct state_growths {
	struct state {
		uint64_t id;
		struct state_count maps, dictionary, lists;
	} all[STATES_MOST];
	size_t count;
	bool are_chosen;
};

#define LARGE_HEAP (4 << 20)
#define LEAST_LOOKS 4
#define MOST_READ (96 << 20) /* bytes of lists per reading */

static void add(struct state_count *count, uint64_t now)
{
	if (!count->looks++)
		count->first = now;
	else
		count->rises += now > count->last;
	count->last = now;
}

/* Replaces the smallest one. */
static void choose(struct state_growths *states, struct processes *processes)
{
	uint64_t heaps[STATES_MOST];

	for (size_t row = 0; row < processes_rows(processes); row++) {
		const struct process *process = processes_has(processes, row) ? processes_row(processes, row) : NULL;
		size_t least = 0;

		if (!process || process->heap < LARGE_HEAP)
			continue;
		for (size_t i = 1; i < states->count; i++)
			least = heaps[i] < heaps[least] ? i : least;
		if (states->count < STATES_MOST)
			least = states->count++;
		else if (heaps[least] >= process->heap)
			continue;
		heaps[least] = process->heap;
		states->all[least] = (struct state){ .id = process->id };
	}
}

static bool find(const struct state *state, struct processes *processes, struct process_look *look)
{
	const struct process *process = processes_find(processes, state->id);

	if (process)
		processes_look(processes, &process->address, look, 1);
	return process && look->process.id == state->id;
}

static void look(struct state *state, struct processes *processes, size_t *left)
{
	struct process_look look, after;
	struct live_terms terms;

	if (!find(state, processes, &look) || strcmp(process_status(&look.process), "waiting") != 0)
		return;
	live_terms_count(processes_target(processes), &look.fields, left, &terms);
	add(&state->dictionary, dictionary_elements(processes_target(processes), look.fields.dictionary));
	add(&state->maps, terms.pairs);
	/* Counting lists takes longer. They do not change meanwhile, but a collection moves them to another heap. */
	if (terms.elements && find(state, processes, &after) && after.fields.stack.heap == look.fields.stack.heap)
		add(&state->lists, terms.elements);
}

static void state_growth_read(struct state_growths *states, struct processes *processes)
{
	size_t left = MOST_READ;

	if (!states->are_chosen)
		choose(states, processes);
	states->are_chosen = true;
	for (size_t i = 0; i < states->count; i++)
		look(&states->all[i], processes, &left);
}

/* Of the allocated heap, which includes garbage and free space. */
static double bytes_per_s(const struct state_count *count, const struct process *process, double seconds)
{
	if (count->looks < LEAST_LOOKS || count->rises + 1 != count->looks || !count->last)
		return 0;
	return (double)process->heap * (double)(count->last - count->first) / (double)count->last / seconds;
}

static void finish_count(const struct state_count *count, enum state_kind kind, const struct process *process,
			 double seconds, struct sign_state_growth *sign)
{
	double grows = bytes_per_s(count, process, seconds);

	if (grows <= sign->bytes_per_s)
		return;
	*sign = (struct sign_state_growth){
		.process = { .id = process->id },
		.kind = kind,
		.elements = count->last,
		.before = count->first,
		.heap = process->heap,
		.bytes_per_s = grows,
	};
}

static void finish_state(const struct state *state, const struct process *process, double seconds,
			 struct sign_state_growth *sign)
{
	finish_count(&state->maps, STATE_MAP, process, seconds, sign);
	finish_count(&state->dictionary, STATE_DICTIONARY, process, seconds, sign);
	finish_count(&state->lists, STATE_LIST, process, seconds, sign);
}

static void state_growth_finish(const struct state_growths *states, struct processes *processes, struct signs *signs)
{
	double seconds = (double)signs->elapsed_ns / NS_PER_S;

	for (size_t i = 0; i < states->count && seconds > 0; i++) {
		const struct process *process = processes_find(processes, states->all[i].id);

		if (process)
			finish_state(&states->all[i], process, seconds, &signs->state_growth);
	}
	if (signs->state_growth.process.id)
		sign_process_fill(processes, signs->state_growth.process.id, NULL, &signs->state_growth.process);
}

static void source_read(void *state, struct why_node *node)
{
	state_growth_read(state, node->processes);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	state_growth_finish(state, node->processes, signs);
}

const struct why_source state_growth_source = {
	.size = sizeof(struct state_growths),
	.read = source_read,
	.finish = source_finish,
};
