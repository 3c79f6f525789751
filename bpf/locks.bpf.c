// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do threads of the VM wait for locks, and for which? Only the functions that wait are probed,
 * so that a lock that is free costs nothing.
 */
#include "locks.h"
#include "measure.bpf.h"
#include "running.bpf.h"
#include "lock_name.bpf.h"
#include "counter.bpf.h"

const volatile struct locks_config locks_config = {};

SEC("usdt/vm:lock-wait")
int lock_wait(void *ctx)
{
	struct measure_event c;
	struct lock_name name;
	struct erl_hit hit;
	u64 id;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = running_here(&hit);
	if (!measure_wants(id))
		return 0;
	c = measure_case(&hit, id);
	name = lock_name(ctx, &hit);
	c.kind = name.kind;
	c.what = name.what;
	c.amounts[LOCKS_OF] = name.of;
	measure_begin(&hit, &c);
	return 0;
}

SEC("usdt/vm:lock-taken")
int lock_taken(void *ctx)
{
	struct measure_event *c;
	struct erl_hit hit;
	u64 id, took;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = running_here(&hit);
	if (!measure_wants(id))
		return 0;
	c = measure_end(&hit, id);
	if (!c)
		return 0;
	took = c->end_ns - c->start_ns;
	if (locks_config.counters) {
		struct counter_key key = {
			.id = c->what,
			.other = c->amounts[LOCKS_OF], /* 0 of locks that are no process's */
			.os_id = c->os_id,
			.kind = c->kind,
		};

		counter_add(&key, took, 1);
	}
	measure_add(&hit, id, locks_config.by_kind ? measure_kind(c->kind) : c->what, took, 1);
	measure_print(c);
	return 0;
}
