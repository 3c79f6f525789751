/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Counting by key, for tables. There are two generations: see generation.bpf.h. */
#ifndef ERLBPF_BPF_TALLY_BPF_H
#define ERLBPF_BPF_TALLY_BPF_H

#include "erl.bpf.h"
#include "generation.bpf.h"
#include "name.bpf.h"
#include "tally.h"

GENERATION_HASH(tally_0, TALLY_MAX_KEYS, struct tally_key, struct tally);
GENERATION_HASH(tally_1, TALLY_MAX_KEYS, struct tally_key, struct tally);

/* What did not fit, by generation. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct tally);
} tally_rest SEC(".maps");

static __always_inline void tally_count(struct tally *tally, u64 amount, u64 extra, u64 other, u64 times)
{
	u64 seen;

	if (!tally)
		return;
	__sync_fetch_and_add(&tally->count, times);
	__sync_fetch_and_add(&tally->sum, amount);
	__sync_fetch_and_add(&tally->extras[0], extra);
	__sync_fetch_and_add(&tally->extras[1], other);
	seen = *(volatile u64 *)&tally->max;
	/* Bounded tries: a lost race means that another CPU just stored a larger value. */
	for (int i = 0; i < 4 && amount > seen; i++)
		seen = __sync_val_compare_and_swap(&tally->max, seen, amount);
}

static __always_inline struct tally *tally_of(void *map, const struct tally_key *key)
{
	struct tally *tally = bpf_map_lookup_elem(map, key);
	struct tally fresh = {};

	if (tally)
		return tally;
	/* While it lives: it may be gone when the table is printed. */
	if (erl_id_kind(key->id) == ERL_ID_LOCAL)
		fresh.name = name_of_process(key->id);
	if (erl_id_kind(key->other) == ERL_ID_LOCAL)
		fresh.other_name = name_of_process(key->other);
	bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

/* `times` cases under the key, of so much together. The key's padding must be zero. */
__noinline int tally_add_all(const struct tally_key *key, u64 amount, u64 extra, u64 other, u64 times)
{
	u32 generation = generation_now();
	struct tally *tally;

	if (!key)
		return 0;
	if (generation)
		tally = tally_of(&tally_1, key);
	else
		tally = tally_of(&tally_0, key);
	if (!tally)
		tally = bpf_map_lookup_elem(&tally_rest, &generation);
	tally_count(tally, amount, extra, other, times);
	return 0;
}

static __always_inline void tally_add(const struct tally_key *key, u64 amount, u64 times)
{
	tally_add_all(key, amount, 0, 0, times);
}

#endif
