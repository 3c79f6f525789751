// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do garbage collections stop their processes? A collection begins and ends on one thread.
 * One that is handed to a dirty scheduler begins twice (on a VM without notes) and ends once, there:
 * the pause is that of the second beginning.
 */
#include "gc.h"
#include "measure.bpf.h"

static __always_inline int begin(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	measure_amount(ctx, &hit, &c, GC_NEED, 1);
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
	fate_add(kind, 1);
	c = measure_end(&hit, id);
	if (!c)
		return 0;
	c->kind = kind;
	measure_amount(ctx, &hit, c, GC_RECLAIMED, 1);
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
