// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which Erlang functions are called, how often, by whom and with what? Calls alone, not their returns.
 *
 * The program is at the VM's function for breakpoints (usdt section, by a translator), or it is started by the debug
 * registers of the processor at the first instruction of the functions themselves (user/erlang/hardware.c); then the
 * class says in which registers the JIT has the arguments.
 */
#include "functions.bpf.h"

/* Calls by process of the system, for the limit of calls a second. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTIONS_NODES);
	__type(key, u32);
	__type(value, u64);
} entries_called SEC(".maps");

static __always_inline void count_called(u32 os_id)
{
	u64 *called = bpf_map_lookup_elem(&entries_called, &os_id);

	if (called)
		__sync_fetch_and_add(called, 1);
}

static __always_inline void show(const struct functions_hit *h, u64 what)
{
	struct term_place *place = term_place_get();
	struct functions_record *r;

	if (!place) {
		measure_account(MEASURE_UNPRINTED);
		return;
	}
	r = (struct functions_record *)term_place_head(place, struct functions_call);
	fill(r, h, what);
	r->call.end = FUNCTIONS_IS_ENTERED;
	send(r);
	term_place_put(place);
}

static __always_inline void count(const struct erl_hit *hit, const struct functions_hit *h, u64 what)
{
	struct counter_key key = {
		.id = functions_config.key ? key_of(h, 0)
		      : measure.by	   ? measure_key(h->id, what)
					   : what,
		.os_id = hit->os_id,
	};

	counter_add(&key, 0, 1);
}

SEC("usdt/vm:breakpoint-entry")
int function_entered(void *ctx)
{
	struct functions_wanted *wanted;
	struct functions_hit h;
	struct erl_hit hit;
	u64 what, id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	what = name_of_mfa_at(erl_arg(ctx, &hit, 1));
	wanted = functions_wanted_of(&hit, what);
	if (!wanted || is_watchdog(&hit, id))
		return 0;
	count_called(hit.os_id);
	h = hit_of_entry(ctx, &hit, id, what);
	erl_count(&hit);
	account_add(FUNCTIONS_ENTERED, 1);
	functions_look(wanted);
	if (functions_when.count && !functions_passes(functions_tests(h.registers, h.arity, h.os_id, false)))
		account_add(FUNCTIONS_OTHERS, 1);
	else if (functions_config.show)
		show(&h, what);
	else
		count(&hit, &h, what);
	return 0;
}
