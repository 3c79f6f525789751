// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long does a process keep its scheduler? From the moment in which it is picked to the moment in
 * which it is let go, on the same thread, so that a thread has at most one slice at a time.
 */
#include "erl.bpf.h"
#include "measure.bpf.h"
#include "slices.h"

struct slice {
	u64 start_ns;
	u64 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SLICES_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct slice);
} slices SEC(".maps");

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct slice slice = {};
	struct erl_hit hit;

	slice.id = measure_enter(ctx, &hit);
	if (!slice.id)
		return 0;
	slice.start_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&slices, &thread, &slice, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

static __always_inline void report(const struct erl_hit *hit, const struct slice *slice, u32 thread, u64 now)
{
	struct slices_event *event;

	if (!measure_prints(now - slice->start_ns))
		return;
	event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);
	if (!event) {
		fate_add(SLICES_UNPRINTED, 1);
		return;
	}
	event->start_ns = slice->start_ns;
	event->end_ns = now;
	event->id = slice->id;
	event->os_pid = hit->os_pid;
	event->thread = thread;
	bpf_ringbuf_submit(event, ring_flags());
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct slice *slice;
	struct erl_hit hit;
	u64 id, now;

	id = measure_enter(ctx, &hit);
	if (!id)
		return 0;
	erl_count(&hit);
	slice = bpf_map_lookup_elem(&slices, &thread);
	/* It began before we came, or its beginning was lost. */
	if (!slice || slice->id != id || !slice->start_ns) {
		fate_add(SLICES_UNSEEN, 1);
		return 0;
	}
	now = bpf_ktime_get_ns();
	measure_add(&hit, id, now - slice->start_ns, 1);
	report(&hit, slice, thread, now);
	slice->start_ns = 0;
	return 0;
}
