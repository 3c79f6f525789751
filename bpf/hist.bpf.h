/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Histograms in the kernel: one total per CPU, and one per key where the question is asked --by.
 * There are two generations of everything: see generation.bpf.h.
 */
#ifndef ERLBPF_BPF_HIST_BPF_H
#define ERLBPF_BPF_HIST_BPF_H

#include "erl.bpf.h"
#include "generation.bpf.h"
#include "hist.h"
#include "name.bpf.h"

/* Keep a histogram per key; the reader sets it, and fills the totals' min with ~0. */
const volatile __u32 hist_by_key = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, HIST_GENERATIONS);
	__type(key, u32);
	__type(value, struct hist_total);
} hist_total SEC(".maps");

GENERATION_HASH(hist_sums_0, HIST_MAX_KEYS, struct hist_key, struct hist_sum);
GENERATION_HASH(hist_sums_1, HIST_MAX_KEYS, struct hist_key, struct hist_sum);
GENERATION_HASH(hist_slots_0, HIST_MAX_KEY_SLOTS, struct hist_slot_key, u64);
GENERATION_HASH(hist_slots_1, HIST_MAX_KEY_SLOTS, struct hist_slot_key, u64);

static __always_inline void hist_lower(u64 *to, u64 v)
{
	u64 seen = *(volatile u64 *)to;

	/* Bounded tries: a lost race means that another CPU just stored a smaller value. */
	for (int i = 0; i < 4 && v < seen; i++)
		seen = __sync_val_compare_and_swap(to, seen, v);
}

static __always_inline void hist_raise(u64 *to, u64 v)
{
	u64 seen = *(volatile u64 *)to;

	for (int i = 0; i < 4 && v > seen; i++)
		seen = __sync_val_compare_and_swap(to, seen, v);
}

/* Zeros that mean something else are counted, but are no minimum. */
#ifndef HIST_ZERO_IS_APART
#define HIST_ZERO_IS_APART false
#endif

static __always_inline void hist_sum_add(struct hist_sum *sum, u64 v, u64 times)
{
	__sync_fetch_and_add(&sum->sum, v * times);
	if (v || !HIST_ZERO_IS_APART)
		hist_lower(&sum->min, v);
	hist_raise(&sum->max, v);
}

static __always_inline void hist_add_total(u32 generation, u64 v, u64 times)
{
	struct hist_total *total = bpf_map_lookup_elem(&hist_total, &generation);
	u32 slot = hist_slot(v);

	if (!total || slot >= HIST_SLOTS)
		return;
	hist_sum_add(&total->sum, v, times);
	__sync_fetch_and_add(&total->slots[slot], times);
}

static __always_inline struct hist_sum *hist_sum_of(void *map, const struct hist_key *key)
{
	struct hist_sum *sum = bpf_map_lookup_elem(map, key);
	struct hist_sum fresh = { .min = ~0ULL };

	if (sum)
		return sum;
	/* While it lives: it may be gone when the histogram is printed. */
	if (erl_id_kind(key->id) == ERL_ID_LOCAL)
		fresh.name = name_of_process(key->id);
	bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline u64 *hist_slot_of(void *map, const struct hist_slot_key *key)
{
	u64 *count = bpf_map_lookup_elem(map, key);
	u64 fresh = 0;

	if (count)
		return count;
	bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline bool hist_add_key(void *sums, void *slots, u64 id, u32 os_id, u64 v, u64 times)
{
	struct hist_slot_key key = { .key = { .id = id, .os_id = os_id }, .slot = hist_slot(v) };
	struct hist_sum *sum = hist_sum_of(sums, &key.key);
	u64 *count;

	if (!sum)
		return false;
	count = hist_slot_of(slots, &key);
	if (!count)
		return false;
	hist_sum_add(sum, v, times);
	__sync_fetch_and_add(count, times);
	return true;
}

/*
 * Count `v` so many times for the key, or in the total if there are no keys or no room for one more.
 * A global function: the verifier looks at it once, not once for every way that leads here.
 */
__noinline int hist_add(u64 id, u32 os_id, u64 v, u64 times)
{
	u32 generation = generation_now();

	results_add(RESULTS_HIST, times);
	if (hist_by_key) {
		bool done;

		if (generation)
			done = hist_add_key(&hist_sums_1, &hist_slots_1, id, os_id, v, times);
		else
			done = hist_add_key(&hist_sums_0, &hist_slots_0, id, os_id, v, times);
		if (done)
			return 0;
	}
	hist_add_total(generation, v, times);
	return 0;
}

#endif
