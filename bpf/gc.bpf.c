// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do garbage collections stop their processes? A collection begins and ends on one thread.
 * One that is handed to a dirty scheduler begins twice (on a VM without notes) and ends once, there:
 * the pause is that of the second beginning.
 */
#include "erl.bpf.h"
#include "gc.h"
#include "measure.bpf.h"

struct collection {
	u64 start_ns;
	u64 id;
	u64 need;
	u64 has_need;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, GC_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct collection);
} collections SEC(".maps");

static __always_inline int begin(void *ctx)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct collection collection = {};
	struct erl_hit hit;

	collection.id = measure_enter(ctx, &hit);
	if (!collection.id)
		return 0;
	collection.start_ns = bpf_ktime_get_ns();
	collection.has_need = erl_config.args[1].form != ERL_FORM_NONE;
	collection.need = erl_arg(ctx, &hit, 1);
	if (bpf_map_update_elem(&collections, &thread, &collection, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

static __always_inline void report(void *ctx, const struct erl_hit *hit, const struct collection *c,
				   u64 now, bool is_major)
{
	struct gc_event *event;

	if (!measure_prints(now - c->start_ns))
		return;
	event = bpf_ringbuf_reserve(&erl_ring, sizeof(*event), 0);
	if (!event) {
		fate_add(GC_UNPRINTED, 1);
		return;
	}
	event->start_ns = c->start_ns;
	event->end_ns = now;
	event->id = c->id;
	event->need = c->need;
	event->has_need = c->has_need;
	event->reclaimed = erl_arg(ctx, hit, 1);
	event->has_reclaimed = erl_config.args[1].form != ERL_FORM_NONE;
	event->os_pid = hit->os_pid;
	event->is_major = is_major;
	event->pad = 0;
	bpf_ringbuf_submit(event, ring_flags());
}

static __always_inline int end(void *ctx, bool is_major)
{
	u32 thread = (u32)bpf_get_current_pid_tgid();
	struct collection *c;
	struct erl_hit hit;
	u64 id, now;

	id = measure_enter(ctx, &hit);
	if (!id)
		return 0;
	erl_count(&hit);
	fate_add(is_major ? GC_MAJOR : GC_MINOR, 1);
	c = bpf_map_lookup_elem(&collections, &thread);
	if (!c || c->id != id || !c->start_ns) {
		fate_add(GC_UNSEEN, 1);
		return 0;
	}
	now = bpf_ktime_get_ns();
	measure_add(&hit, id, now - c->start_ns, 1);
	report(ctx, &hit, c, now, is_major);
	c->start_ns = 0;
	return 0;
}

SEC("usdt/erlang:gc_minor-start")
int gc_minor_start(void *ctx)
{
	return begin(ctx);
}

SEC("usdt/erlang:gc_major-start")
int gc_major_start(void *ctx)
{
	return begin(ctx);
}

SEC("usdt/erlang:gc_minor-end")
int gc_minor_end(void *ctx)
{
	return end(ctx, false);
}

SEC("usdt/erlang:gc_major-end")
int gc_major_end(void *ctx)
{
	return end(ctx, true);
}
