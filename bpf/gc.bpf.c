// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do garbage collections stop their processes? A collection begins and ends on one thread.
 * One that is handed to a dirty scheduler begins twice (on a VM without notes) and ends once, there:
 * the pause is that of the second beginning.
 */
#include "gc.h"
#include "measure.bpf.h"
#include "heap_words.bpf.h"

static __always_inline u64 known_process(u64 id)
{
	return erl_config.heap.heap ? erl_process_of(id) : 0;
}

static __always_inline void amount(struct measure_event *c, const int which, s64 words)
{
	c->amounts[which] = words;
	c->has |= 1 << which;
}

/* Kept in the places of what they lead to, until the end. */
static __always_inline void look_before(struct measure_event *c)
{
	u64 process = known_process(c->id);

	if (!process)
		return;
	c->amounts[GC_BEFORE] = heap_words(process);
	c->amounts[GC_RECLAIMED] = heap_reclaimed(process);
}

/*
 * Where the probe does not say what was reclaimed, the scheduler's account does. Dirty schedulers share
 * one that is out of reach; then it is what is missing from the heaps.
 */
static __always_inline void look_after(void *ctx, const struct erl_hit *hit, struct measure_event *c)
{
	u64 process = known_process(c->id);
	s64 before = c->amounts[GC_BEFORE], counted_before = c->amounts[GC_RECLAIMED], after;

	measure_amount(ctx, hit, c, GC_RECLAIMED, 1);
	if (!process)
		return;
	after = heap_words(process);
	amount(c, GC_AFTER, after);
	if (!(c->has & 1 << GC_RECLAIMED)) {
		bool is_dirty = heap_field(process, erl_config.pids.state_offset) & ERL_STATE_DIRTY;

		amount(c, GC_RECLAIMED, is_dirty ? before - after : heap_reclaimed(process) - counted_before);
	}
	amount(c, GC_BEFORE, after + c->amounts[GC_RECLAIMED]);
}

static __always_inline int begin(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	measure_amount(ctx, &hit, &c, GC_NEED, 1);
	look_before(&c);
	measure_begin(&hit, &c);
	return 0;
}

static __always_inline int end(void *ctx, enum gc_kind kind)
{
	struct measure_event *c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	account_add(kind, 1);
	c = measure_end(&hit, id);
	if (!c)
		return 0;
	c->kind = kind;
	c->what = measure_kind(kind);
	look_after(ctx, &hit, c);
	measure_took(&hit, c);
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
	return end(ctx, GC_MINOR);
}

SEC("usdt/erlang:gc_major-end")
int gc_major_end(void *ctx)
{
	return end(ctx, GC_MAJOR);
}
