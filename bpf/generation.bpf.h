/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Counts per interval exist twice. The reader turns erl_generation, waits until no program
 * can still be writing to the old one (an RCU grace period), reads it and clears it; so an interval
 * is printed and cleared without losing a count.
 */
#ifndef ERLBPF_BPF_GENERATION_BPF_H
#define ERLBPF_BPF_GENERATION_BPF_H

#include "erl.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} erl_generation SEC(".maps");

/* The one to count in: 0 or 1. */
static __always_inline u32 generation_now(void)
{
	u32 zero = 0, *current = bpf_map_lookup_elem(&erl_generation, &zero);

	return current ? *(volatile u32 *)current & 1 : 0;
}

/*
 * Results since the programs were loaded, of both generations: from this, sampling estimates a rate. What is both in a
 * histogram and in a table is one result.
 */
enum { RESULTS_HIST, RESULTS_COUNTER, RESULTS_KINDS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RESULTS_KINDS);
	__type(key, u32);
	__type(value, u64);
} erl_results SEC(".maps");

static __always_inline void results_add(u32 kind, u64 times)
{
	u64 *results = bpf_map_lookup_elem(&erl_results, &kind);

	/* Atomic although per CPU: uprobe programs are preemptible from Linux 6.12 on. */
	if (results)
		__sync_fetch_and_add(results, times);
}

/* A hash of one generation. It takes memory for what is in it, not for what fits. */
#define GENERATION_HASH(name, entries, key_type, value_type)                                                           \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_HASH);                                                                       \
		__uint(max_entries, entries);                                                                          \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                                                  \
		__type(key, key_type);                                                                                 \
		__type(value, value_type);                                                                             \
	} name SEC(".maps")

#endif
