// SPDX-License-Identifier: BSD-2-Clause
#include "profile/waits.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/duration.h"
#include "base/hash.h"
#include "load/dump.h"
#include "load/load.h"
#include "profile/off_scheduler.h"

#define MOST_SHARE 20 /* limit of the CPU time for reading processes: 1/N of a CPU */

/* Added to a stack. */
struct added {
	uint64_t stack;
	uint64_t weights[OFF_REASONS];
	UT_hash_handle hh;
};

/* A process without an event in some window. Its stack is the same as long as it has not run. */
struct idle {
	struct off_key key;
	uint64_t reds, stack;
	uint64_t weights[OFF_REASONS]; /* not added to the profile yet */
	bool has_run;
	uint64_t looks;	  /* counted_node.looks when the next one was last set */
	uint64_t seen_ns; /* of the node's missed_ns, what windows have in which something happened to it */
	UT_hash_handle hh;
};

struct counted_node {
	uint32_t os_id;
	struct off_scheduler *off_scheduler; /* NULL: it cannot be read */
	uint64_t looks;			     /* number of readings */
	uint64_t look_ns;		     /* earliest next reading */
	uint64_t missed_ns;		     /* total length of windows since then */
};

/* The programs' map of processes. */
struct seen {
	struct dump dump;
	size_t *order;
};

struct waits {
	struct waits_request how;
	struct added *added;
	struct idle *idle;
	struct counted_node *nodes;
	size_t node_count;
	/* The window that has ended, and the node. */
	uint64_t from_ns, to_ns;
	struct seen seen;
	struct counted_node *node;
	uint64_t node_from_ns, node_to_ns;
	bool was_away; /* detached since before this window */
	bool only_held, is_last;
};

struct waits *waits_new(const struct waits_request *request)
{
	struct waits *waits = calloc(1, sizeof(*waits));

	if (waits)
		waits->how = *request;
	return waits;
}

void waits_free(struct waits *waits)
{
	struct added *added, *next_added;
	struct idle *idle, *next_idle;

	if (!waits)
		return;
	HASH_ITER(hh, waits->added, added, next_added) {
		HASH_DEL(waits->added, added);
		free(added);
	}
	HASH_ITER(hh, waits->idle, idle, next_idle) {
		HASH_DEL(waits->idle, idle);
		free(idle);
	}
	for (size_t i = 0; i < waits->node_count; i++)
		off_scheduler_free(waits->nodes[i].off_scheduler);
	free(waits->nodes);
	free(waits);
}

/* Without memory, this part of the profile is missing. */
static void add(struct waits *waits, uint64_t stack, const uint64_t weights[OFF_REASONS])
{
	struct added *added;

	HASH_FIND(hh, waits->added, &stack, sizeof(stack), added);
	if (!added) {
		added = calloc(1, sizeof(*added));
		if (!added)
			return;
		added->stack = stack;
		HASH_ADD(hh, waits->added, stack, sizeof(added->stack), added);
	}
	for (int reason = 0; reason < OFF_REASONS; reason++)
		added->weights[reason] += weights[reason];
}

void waits_add_to(const struct waits *waits, uint64_t key, struct kept_stack *stack)
{
	const struct added *added;

	HASH_FIND(hh, waits->added, &key, sizeof(key), added);
	for (int reason = 0; added && reason < OFF_REASONS; reason++)
		stack->weights[reason] += added->weights[reason];
}

static struct counted_node *node_of(const struct waits *waits, uint32_t os_id)
{
	for (size_t i = 0; i < waits->node_count; i++) {
		if (waits->nodes[i].os_id == os_id)
			return &waits->nodes[i];
	}
	return NULL;
}

static struct counted_node *find_node(struct waits *waits, const struct target *target)
{
	struct counted_node *node = node_of(waits, target->os_id);

	if (node || !array_has_room(waits->nodes, waits->node_count))
		return node;
	waits->nodes[waits->node_count] = (struct counted_node){ .os_id = target->os_id,
								 .off_scheduler = off_scheduler_new(target) };
	return &waits->nodes[waits->node_count++];
}

static void know_node(void *data, const struct target *target, const struct sample_node *node)
{
	(void)node;
	find_node(data, target);
}

/* Who still waits. */

static int compare_keys(const struct off_key *x, const struct off_key *y)
{
	if (x->os_id != y->os_id)
		return x->os_id < y->os_id ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct off_key *key_at(const struct dump *dump, size_t i)
{
	return (const struct off_key *)dump->keys + i;
}

static const struct off_process *process_at(const struct dump *dump, size_t i)
{
	return (const struct off_process *)dump->values + i;
}

static int by_key(const void *a, const void *b, void *data)
{
	const struct dump *dump = data;

	return compare_keys(key_at(dump, *(const size_t *)a), key_at(dump, *(const size_t *)b));
}

static int take_seen(struct waits *waits)
{
	struct seen *seen = &waits->seen;
	int map = loader_map(probing_loader(waits->how.probing), "off_processes");
	int err = dump_take(map, sizeof(struct off_key), sizeof(struct off_process), &seen->dump);

	seen->order = err ? NULL : calloc(seen->dump.count + 1, sizeof(*seen->order));
	if (!seen->order)
		return err ? err : -ENOMEM;
	for (size_t i = 0; i < seen->dump.count; i++)
		seen->order[i] = i;
	qsort_r(seen->order, seen->dump.count, sizeof(*seen->order), by_key, &seen->dump);
	return 0;
}

static void free_seen(struct seen *seen)
{
	dump_free(&seen->dump);
	free(seen->order);
	*seen = (struct seen){};
}

static const struct off_process *find_seen(const struct seen *seen, const struct off_key *key)
{
	size_t low = 0, high = seen->dump.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_keys(key_at(&seen->dump, seen->order[middle]), key);

		if (!order)
			return process_at(&seen->dump, seen->order[middle]);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Since when the process waits for a scheduler. It does not if its message was handled without a turn. */
static uint64_t ready_since(const struct waits *waits, const struct off_key *key, const struct off_process *process,
			    uint64_t end_ns)
{
	const struct counted_node *node;

	if (!process->ready_ns || process->ready_ns >= end_ns)
		return end_ns;
	node = node_of(waits, key->os_id);
	return node && node->off_scheduler && off_scheduler_is_idle(node->off_scheduler, key->id) ? end_ns
												  : process->ready_ns;
}

/* As bpf/off-cpu.bpf.c does for a picked process; here, the window ends. */
static void add_waiting(struct waits *waits, const struct off_key *key, const struct off_process *process)
{
	uint64_t end_ns = probing_end_ns(waits->how.probing, key->os_id), weights[OFF_REASONS] = {};
	uint64_t since = process->since_ns > waits->from_ns ? process->since_ns : waits->from_ns, ready;

	if (!end_ns || end_ns > waits->to_ns)
		end_ns = waits->to_ns;
	if (since >= end_ns)
		return;
	if (process->held_stack) {
		weights[process->held_by == OFF_GC ? OFF_GC : OFF_DIRTY_IO] = end_ns - since;
		add(waits, process->held_stack, weights);
	}
	if (!process->stack)
		return;
	ready = ready_since(waits, key, process, end_ns);
	if (ready < since)
		ready = since;
	weights[process->is_suspended ? OFF_SUSPENDED : OFF_WAITING] = ready - since;
	weights[OFF_RUNNABLE] += end_ns - ready;
	add(waits, process->stack, weights);
}

/* Others. */

static struct idle *known_idle(const struct waits *waits, const struct off_key *key)
{
	struct idle *idle;

	HASH_FIND(hh, waits->idle, key, sizeof(*key), idle);
	return idle;
}

static struct idle *find_idle(struct waits *waits, const struct off_key *key)
{
	struct idle *idle = known_idle(waits, key);

	if (idle)
		return idle;
	idle = calloc(1, sizeof(*idle));
	if (!idle)
		return NULL;
	idle->key = *key;
	HASH_ADD(hh, waits->idle, key, sizeof(idle->key), idle);
	return idle;
}

/* The time of skipped windows in which nothing happened to the process. */
static uint64_t owed_ns(const struct waits *waits, const struct idle *idle)
{
	uint64_t missed_ns = waits->node->missed_ns;

	if (!idle || idle->looks != waits->node->looks)
		return missed_ns;
	return idle->seen_ns < missed_ns ? missed_ns - idle->seen_ns : 0;
}

static void owe_less(struct waits *waits, const struct off_key *key)
{
	struct idle *idle = find_idle(waits, key);

	if (!idle)
		return;
	if (idle->looks != waits->node->looks)
		idle->seen_ns = 0;
	idle->looks = waits->node->looks;
	idle->seen_ns += waits->node_to_ns - waits->node_from_ns;
}

/* Adds the wait before this, too. */
static void mark_as_run(struct waits *waits, struct idle *idle)
{
	if (!idle->has_run && idle->stack)
		add(waits, idle->stack, idle->weights);
	idle->has_run = true;
}

/* Keys of the programs' stacks are made differently: collisions are unlikely. */
static uint64_t key_of_stack(const struct sample_stack *stack)
{
	uint64_t key = stack->ip ^ stack->process << 20 ^ (uint64_t)stack->node << 48 ^ stack->flags;

	for (uint32_t i = 0; i < stack->erlang_count; i++) {
		key = (key ^ stack->erlang[i]) * 0xff51afd7ed558ccdULL;
		key ^= key >> 32;
	}
	return key;
}

/* Stores the stack like those of the programs. 0: no room. */
static uint64_t keep_stack(const struct waits *waits, const struct sample_stack *stack)
{
	int map = loader_map(probing_loader(waits->how.probing), "kept_stacks");
	struct kept_stack kept = { .stack = *stack };
	uint64_t key = key_of_stack(stack);

	if (!bpf_map_update_elem(map, &key, &kept, BPF_NOEXIST) || errno == EEXIST)
		return key;
	return 0;
}

/* The programs recorded it in this window. */
static bool is_seen(const struct off_process *process)
{
	return process && process->since_ns;
}

static bool wants(void *data, uint64_t id)
{
	const struct waits *waits = data;
	const struct off_key key = { .id = id, .os_id = waits->node->os_id };

	if (waits->how.process && waits->how.process != id)
		return false;
	return !is_seen(find_seen(&waits->seen, &key)) || owed_ns(waits, known_idle(waits, &key));
}

/* It was off CPU from the start of the window: until it was woken, and after. False: it was not. */
static bool weigh(const struct waits *waits, const struct off_scheduler_process *process, uint64_t owed,
		  uint64_t weights[OFF_REASONS])
{
	const struct off_key key = { .id = process->id, .os_id = waits->node->os_id };
	const struct off_process *woken = find_seen(&waits->seen, &key);
	uint64_t ns = is_seen(woken) ? 0 : waits->node_to_ns - waits->node_from_ns, ready_ns = 0;
	enum off_reason reason = process->reason;

	if (ns && woken && reason == OFF_RUNNABLE) {
		reason = OFF_WAITING;
		if (woken->ready_ns > waits->node_from_ns && woken->ready_ns < waits->node_to_ns)
			ready_ns = waits->node_to_ns - woken->ready_ns;
	}
	weights[OFF_RUNNABLE] = ready_ns * process->stands_for;
	weights[reason] += (ns - ready_ns + owed) * process->stands_for;
	return ns + owed;
}

/* The first reading only stores what shows later whether it ran. A new process has run. */
static void meet(struct waits *waits, struct idle *idle, uint64_t reds)
{
	bool is_new = !idle->stack && !idle->has_run && !idle->reds;

	if (is_new ? waits->node->looks > 0 : idle->reds != reds)
		mark_as_run(waits, idle);
	idle->reds = reds;
}

static void visit(void *data, const struct off_scheduler_process *process)
{
	struct waits *waits = data;
	const struct off_key key = { .id = process->id, .os_id = waits->node->os_id };
	struct idle *idle = find_idle(waits, &key);
	uint64_t weights[OFF_REASONS] = {}, stack;

	if (!idle)
		return;
	meet(waits, idle, process->reds);
	/* A selected process is shown even if it never runs. */
	if (waits->how.process || process->reason == OFF_DIRTY_IO || process->reason == OFF_GC)
		mark_as_run(waits, idle);
	stack = weigh(waits, process, owed_ns(waits, idle), weights) ? keep_stack(waits, &process->stack) : 0;
	if (!stack)
		return;
	if (idle->has_run) {
		add(waits, stack, weights);
		return;
	}
	idle->stack = stack;
	for (int reason = 0; reason < OFF_REASONS; reason++)
		idle->weights[reason] += weights[reason];
}

static void mark_key(struct waits *waits, const struct off_key *key)
{
	struct idle *idle = find_idle(waits, key);

	if (idle)
		mark_as_run(waits, idle);
}

/* Of those that are looked at. */
static void each_seen(struct waits *waits, void (*take)(struct waits *waits, const struct off_key *key))
{
	const struct dump *dump = &waits->seen.dump;

	for (size_t i = 0; i < dump->count; i++) {
		const struct off_key *key = key_at(dump, i);

		if (key->os_id == waits->node->os_id && is_seen(process_at(dump, i)) &&
		    off_scheduler_has(waits->node->off_scheduler, key->id))
			take(waits, key);
	}
}

static void count_now(struct waits *waits, const struct sample_node *node)
{
	const struct off_scheduler_request request = {
		.node = node,
		.by_process = waits->how.by_process,
		.only_held = waits->only_held,
		.takes_gc = waits->how.takes_gc,
		.takes_all = waits->how.process,
		.wants = wants,
		.visit = visit,
		.data = waits,
	};
	uint64_t begin = duration_now(), end;

	if (off_scheduler_take(waits->node->off_scheduler, &request))
		return;
	waits->node->looks++;
	waits->node->missed_ns = 0;
	if (!waits->only_held)
		each_seen(waits, mark_key);
	end = duration_now();
	waits->node->look_ns = end + (end - begin) * MOST_SHARE;
}

static void put_off(struct waits *waits)
{
	waits->node->missed_ns += waits->node_to_ns - waits->node_from_ns;
	each_seen(waits, owe_less);
}

/* An ended node cannot be read. After the last window, postponed readings are done at any cost. */
static void count_node(void *data, const struct target *target, const struct sample_node *node)
{
	struct waits *waits = data;

	waits->node = node_of(waits, target->os_id);
	if (!waits->node || !waits->node->off_scheduler || !node->heap)
		return;
	waits->node_from_ns = node->since_ns > waits->from_ns ? node->since_ns : waits->from_ns;
	waits->node_to_ns = waits->to_ns;
	if (waits->node_from_ns > waits->node_to_ns)
		return;
	if (waits->is_last || duration_now() >= waits->node->look_ns)
		count_now(waits, node);
	else
		put_off(waits);
}

void waits_begin(struct waits *waits)
{
	take_seen(waits);
	free_seen(&waits->seen);
}

void waits_end_window(struct waits *waits, uint64_t from_ns, uint64_t to_ns, bool is_last)
{
	waits->from_ns = from_ns;
	waits->to_ns = to_ns;
	waits->is_last = is_last;
	probing_each_node(waits->how.probing, know_node, waits);
	if (!take_seen(waits)) {
		for (size_t i = 0; i < waits->seen.dump.count; i++)
			add_waiting(waits, key_at(&waits->seen.dump, i), process_at(&waits->seen.dump, i));
		waits->only_held = is_last && !waits->was_away && !waits->how.process;
		probing_each_node(waits->how.probing, count_node, waits);
	}
	free_seen(&waits->seen);
	waits->was_away = true;
}
