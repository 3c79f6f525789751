/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which process does a thread run? For what the VM does on behalf of a process that it does not name. */
#ifndef ERLBPF_BPF_RUNNING_BPF_H
#define ERLBPF_BPF_RUNNING_BPF_H

#include "erl.bpf.h"

#define RUNNING_THREADS 16384

/* The process that a thread runs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RUNNING_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
} running SEC(".maps");

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct erl_hit hit;
	u32 thread;
	u64 id;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	id = erl_arg_id(ctx, &hit, 0);
	if (bpf_map_update_elem(&running, &thread, &id, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct erl_hit hit;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	erl_count(&hit);
	bpf_map_delete_elem(&running, &thread);
	return 0;
}

/* The process that this thread runs. 0: none, or it has run since before the trace began. */
static __always_inline u64 running_here(const struct erl_hit *hit)
{
	u32 thread = erl_thread(hit);
	u64 *id = bpf_map_lookup_elem(&running, &thread);

	return id ? *id : 0;
}

#endif
