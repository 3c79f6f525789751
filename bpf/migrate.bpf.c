// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which slices of processes, and which native calls, begin on one CPU and end on another: the kernel moved
 * the thread of the scheduler meanwhile. And which slices are on another scheduler than the process's last
 * one: the VM moved the process.
 */
#include "migrate.h"
#include "native.bpf.h"
#include "sched.bpf.h"
#include "counter.bpf.h"

/* The native call that a thread is in, if any: start_ns is 0 when it is over. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct measure_event);
} calls_within SEC(".maps");

/* Slices are not of one function. */
static __always_inline bool has_key(const struct measure_event *c)
{
	return c->kind == MIGRATE_CALL || measure.by != MEASURE_BY_WHAT;
}

static __always_inline void count(const struct measure_event *c, u32 kind, bool crossed)
{
	struct counter_key key = {
		.id = measure_key(c->id, c->what),
		.os_id = c->os_id,
		.kind = kind,
	};

	if (has_key(c))
		counter_add(&key, crossed, 1);
}

/* The slice or call is over: is this the CPU on which it began? */
static __always_inline void ends_here(const struct erl_hit *hit, struct measure_event *c)
{
	c->amounts[MIGRATE_TO] = bpf_get_smp_processor_id();
	c->has = 1 << MIGRATE_FROM | 1 << MIGRATE_TO;
	count(c, c->kind, c->amounts[MIGRATE_FROM] != c->amounts[MIGRATE_TO]);
	if (has_key(c) && c->amounts[MIGRATE_FROM] != c->amounts[MIGRATE_TO])
		measure_took(hit, c);
}

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct measure_event c;
	struct sched_process *p;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	c.start_ns = c.end_ns = bpf_ktime_get_ns();
	c.kind = MIGRATE_SLICE;
	c.amounts[MIGRATE_FROM] = bpf_get_smp_processor_id();
	p = sched_make(&hit, id, erl_state_of(id));
	if (p && sched_migrated(p, sched_number(sched_of(id))))
		count(&c, MIGRATE_MOVED, false);
	measure_begin(&hit, &c);
	return 0;
}

static __always_inline int call_begins(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	c.end_ns = 0;
	c.kind = MIGRATE_CALL;
	c.what = native_callee(ctx, &hit);
	c.amounts[MIGRATE_FROM] = bpf_get_smp_processor_id();
	if (bpf_map_update_elem(&calls_within, &c.thread, &c, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

static __always_inline int call_ends(void *ctx)
{
	struct measure_event *c;
	struct erl_hit hit;
	u32 thread;

	if (!measure_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	thread = erl_thread(&hit);
	c = bpf_map_lookup_elem(&calls_within, &thread);
	/* It began before we came. */
	if (!c || c->end_ns)
		return 0;
	c->end_ns = bpf_ktime_get_ns();
	c->probe = hit.probe;
	ends_here(&hit, c);
	return 0;
}

SEC("usdt/vm:native-entry")
int native_entry(void *ctx)
{
	return call_begins(ctx);
}

/* Where there are notes, also the emulator's NIFs, which no function of the VM calls for it. */
SEC("usdt/erlang:nif-entry")
int nif_entry(void *ctx)
{
	return call_begins(ctx);
}

SEC("usdt/vm:native-return")
int native_return(void *ctx)
{
	return call_ends(ctx);
}

SEC("usdt/erlang:nif-return")
int nif_return(void *ctx)
{
	return call_ends(ctx);
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct measure_event *c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	sched_make_or_forget(&hit, id, erl_state_of(id));
	c = measure_end(&hit, id);
	if (c)
		ends_here(&hit, c);
	return 0;
}
