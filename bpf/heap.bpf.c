// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* How do the heaps of processes grow and shrink? A case is one change of a size, and an instant. */
#include "heap.h"
#include "measure.bpf.h"

const volatile struct heap_config heap_config = {};

static __always_inline int change(void *ctx, enum heap_kind kind)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	account_add(kind, 1);
	c = measure_case(&hit, id);
	c.start_ns = c.end_ns = bpf_ktime_get_ns();
	c.kind = kind;
	measure_amount(ctx, &hit, &c, HEAP_OLD, 1);
	measure_amount(ctx, &hit, &c, HEAP_NEW, 2);
	if (!measure_counts(&c))
		return 0;
	measure_add(&hit, id, measure_kind(kind), c.amounts[HEAP_NEW], 1);
	if (heap_config.prints)
		measure_hand_out(&c);
	return 0;
}

SEC("usdt/erlang:process-heap_grow")
int heap_grow(void *ctx)
{
	return change(ctx, HEAP_GROWS);
}

SEC("usdt/erlang:process-heap_shrink")
int heap_shrink(void *ctx)
{
	return change(ctx, HEAP_SHRINKS);
}
