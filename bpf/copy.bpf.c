// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How many words of terms does the VM copy, what for, and for which process? One case is one copy; its
 * process is the one that the thread runs.
 */
#include "copy.h"
#include "measure.bpf.h"
#include "tally.bpf.h"

const volatile struct copy_config copy_config = {};

/* The process that a thread runs. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, COPY_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
} copy_running SEC(".maps");

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct erl_hit hit;
	u64 id;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	if (bpf_map_update_elem(&copy_running, &thread, &id, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	bpf_map_delete_elem(&copy_running, &thread);
	return 0;
}

/* 0: none, or it has run since before the trace began. */
static __always_inline u64 running(void)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	u64 *id = bpf_map_lookup_elem(&copy_running, &thread);

	return id ? *id : 0;
}

SEC("usdt/vm:term-copy")
int term_copy(void *ctx)
{
	struct erl_hit hit;
	u64 id, words;
	u32 kind;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = running();
	words = erl_arg(ctx, &hit, 0);
	/* Of a term of one word, nothing is copied. */
	if (!words || !measure_wants(id))
		return 0;
	erl_count(&hit);
	kind = erl_caller_of(ctx);
	if (copy_config.tallies) {
		struct tally_key key = { .id = measure_kind(kind), .os_pid = hit.os_pid };

		tally_add(&key, words, 1);
	}
	measure_add(&hit, id, measure_kind(kind), words, 1);
	return 0;
}
