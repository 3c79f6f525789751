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

/* What did not fit, by generation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct counter);
} counter_rest SEC(".maps");

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
	struct counter *counter = bpf_map_lookup_elem(map, key);
	struct counter fresh = {};

	if (counter)
		return counter;
	/* While it lives: it may be gone when the table is printed. */
	if (erl_id_kind(key->id) == ERL_ID_LOCAL)
		fresh.name = name_of_process(key->id);
	if (erl_id_kind(key->other) == ERL_ID_LOCAL)
		fresh.other_name = name_of_process(key->other);
	bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

/* `times` cases under the key, of so much together. The key's padding must be zero. */
__noinline int counter_add_all(const struct counter_key *key, u64 amount, u64 extra, u64 other, u64 times)
{
	u32 generation = generation_now();
	struct counter *counter;

	if (!key)
		return 0;
	if (generation)
		counter = counter_of(&counter_1, key);
	else
		counter = counter_of(&counter_0, key);
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
