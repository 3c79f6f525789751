// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What do operations on ETS tables cost, by table and kind? One case is one operation: mostly one call
 * of a BIF. A BIF that has used up its reductions returns to give way to other processes; the next call
 * of the process is then that of the BIF that goes on, maybe the same. The case ends with the last one.
 */
#include "ets.h"
#include "measure.bpf.h"
#include "table.bpf.h"
#include "counter.bpf.h"

const volatile struct ets_config ets_config = {};

#define ETS_TRAP 0x400 /* TRAP of error.h */

struct ets_process {
	u64 id;
	u32 os_id;
	u32 pad;
};

/* Operations in progress, by process. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ETS_UNFINISHED_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct ets_process);
	__type(value, struct measure_event);
} ets_unfinished SEC(".maps");

static __always_inline u64 table_of(void *ctx, const struct erl_hit *hit)
{
	u64 term = erl_arg(ctx, hit, 1);

	return (term & 3) == 2 ? table_of_reference(erl_arg(ctx, hit, 2)) : table_of_atom(term);
}

static __always_inline bool gives_way(u64 result, u64 reason)
{
	return !result && reason == ETS_TRAP;
}

static __always_inline void done(const struct erl_hit *hit, const struct measure_event *c)
{
	u64 function = erl_id_of(ERL_ID_FUNCTION, c->function), took = c->end_ns - c->start_ns;

	if (!measure_counts(c))
		return;
	if (ets_config.counters) {
		struct counter_key key = { .id = c->what, .other = function, .os_id = c->os_id };

		counter_add(&key, took, 1);
	}
	measure_add(hit, c->id, ets_config.by_function ? function : c->what, took, 1);
	measure_print(c);
}

/* False: there was no room. */
static __always_inline bool keep(const struct ets_process *process, const struct measure_event *c)
{
	if (bpf_map_update_elem(&ets_unfinished, process, c, BPF_ANY))
		return false;
	account_add(ETS_YIELDED, 1);
	account_add(ETS_UNFINISHED, 1);
	return true;
}

static __always_inline void forget(const struct ets_process *process)
{
	bpf_map_delete_elem(&ets_unfinished, process);
	account_add(ETS_UNFINISHED, -1);
}

SEC("usdt/vm:ets-call")
int ets_call(void *ctx)
{
	struct ets_process process = {};
	struct measure_event c, *begun;
	struct erl_hit hit;
	bool goes_on;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	process.id = id;
	process.os_id = hit.os_id;
	goes_on = gives_way(erl_arg(ctx, &hit, 3), erl_arg(ctx, &hit, 4));
	begun = bpf_map_lookup_elem(&ets_unfinished, &process);
	if (begun) {
		c = *begun;
		c.end_ns = bpf_ktime_get_ns();
	} else {
		c = measure_case(&hit, id);
		c.what = table_of(ctx, &hit);
	}
	if (goes_on && !begun && !keep(&process, &c)) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	if (goes_on)
		return 0;
	if (begun)
		forget(&process);
	done(&hit, &c);
	return 0;
}

SEC("usdt/vm:ets-resume")
int ets_resume(void *ctx)
{
	struct ets_process process = {};
	struct measure_event *begun, c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	process.id = id;
	process.os_id = hit.os_id;
	begun = bpf_map_lookup_elem(&ets_unfinished, &process);
	if (!begun || gives_way(erl_arg(ctx, &hit, 1), erl_arg(ctx, &hit, 2)))
		return 0;
	erl_count(&hit);
	c = *begun;
	c.end_ns = bpf_ktime_get_ns();
	forget(&process);
	done(&hit, &c);
	return 0;
}
