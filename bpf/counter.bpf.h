/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counting by key, for tables. There are two generations: see generation.bpf.h. */
#ifndef ERLBPF_BPF_COUNTER_BPF_H
#define ERLBPF_BPF_COUNTER_BPF_H

#include "erl.bpf.h"
#include "generation.bpf.h"
#include "name.bpf.h"
#include "counter.h"

GENERATION_HASH(counter_0, COUNTER_MAX_KEYS, struct counter_key, struct counter);
GENERATION_HASH(counter_1, COUNTER_MAX_KEYS, struct counter_key, struct counter);

/* Counts that did not fit, by generation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct counter);
} counter_rest SEC(".maps");

/* An empty row, read-only: the stack has no room for one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counter);
} counter_empty SEC(".maps");

static __always_inline void counter_grow(struct counter *counter, u64 amount, u64 extra, u64 other, u64 times)
{
	u64 seen;

	if (!counter)
		return;
	__sync_fetch_and_add(&counter->count, times);
	__sync_fetch_and_add(&counter->sum, amount);
	__sync_fetch_and_add(&counter->extras[0], extra);
	__sync_fetch_and_add(&counter->extras[1], other);
	seen = *(volatile u64 *)&counter->max;
	/* Bounded tries: a lost race means that another CPU just stored a larger value. */
	for (int i = 0; i < 4 && amount > seen; i++)
		seen = __sync_val_compare_and_swap(&counter->max, seen, amount);
}

static __always_inline struct counter *counter_of(void *map, const struct counter_key *key)
{
	struct counter *counter = bpf_map_lookup_elem(map, key), *empty;
	u64 name = 0, other_name = 0;
	u32 first = 0;

	if (counter)
		return counter;
	/* While it lives: it may be gone when the table is printed. */
	if (erl_id_kind(key->id) == ERL_ID_LOCAL)
		name = name_of_process(key->id);
	if (erl_id_kind(key->other) == ERL_ID_LOCAL)
		other_name = name_of_process(key->other);
	empty = bpf_map_lookup_elem(&counter_empty, &first);
	if (empty)
		bpf_map_update_elem(map, key, empty, BPF_NOEXIST);
	counter = bpf_map_lookup_elem(map, key);
	if (counter && name)
		counter->name = name;
	if (counter && other_name)
		counter->other_name = other_name;
	return counter;
}

/* `times` cases under the key, of so much together. The key's padding must be zero. */
__noinline int counter_add_all(const struct counter_key *key, u64 amount, u64 extra, u64 other, u64 times)
{
	u32 generation = generation_now();
	struct counter *counter;
	struct counter_key own;

	if (!key)
		return 0;
	results_add(RESULTS_COUNTER, times);
	/* Linux 6.1 takes no key from what an argument of a global function points to. */
	own = *key;
	if (generation)
		counter = counter_of(&counter_1, &own);
	else
		counter = counter_of(&counter_0, &own);
	if (!counter)
		counter = bpf_map_lookup_elem(&counter_rest, &generation);
	counter_grow(counter, amount, extra, other, times);
	return 0;
}

static __always_inline void counter_add(const struct counter_key *key, u64 amount, u64 times)
{
	counter_add_all(key, amount, 0, 0, times);
}

#endif
