/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Kernel side of paced.h. */
#ifndef ERLBPF_BPF_PACED_BPF_H
#define ERLBPF_BPF_PACED_BPF_H

#include "erl.bpf.h"
#include "paced.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} pace_hits SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct pace_window);
} pace_windows SEC(".maps");

static __always_inline u64 pace_start(void)
{
	u32 zero = 0;
	const struct pace_window *window = bpf_map_lookup_elem(&pace_windows, &zero);

	return window ? window->start_ns : 0;
}

/*
 * First call of every program: since when the probes are on, 0 if they are just being put in place or taken
 * away and nothing counts. Every hit costs the node time, also one that counts for nothing.
 */
static __always_inline u64 pace_enter(void)
{
	u32 zero = 0;
	u64 *hits = bpf_map_lookup_elem(&pace_hits, &zero);

	if (hits)
		__sync_fetch_and_add(hits, 1);
	return pace_start();
}

#endif
