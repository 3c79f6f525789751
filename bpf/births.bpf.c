// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* How many processes are born and end, and which are they? */
#include "births.h"
#include "call.bpf.h"
#include "account.bpf.h"
#include "counter.bpf.h"

const volatile struct births_config births_config = {};

static __always_inline bool is_wanted(u64 id, u64 parent)
{
	u64 erl_pid = births_config.erl_pid;

	return !erl_pid || id == erl_pid || parent == erl_pid;
}

static __always_inline bool needs_parent(void)
{
	return births_config.erl_pid || births_config.by == BIRTHS_BY_PID || births_config.by == BIRTHS_BY_NAME;
}

static __always_inline u64 key_of(u64 parent, u64 call)
{
	switch (births_config.by) {
	case BIRTHS_BY_MFA: return call;
	case BIRTHS_BY_PID: return parent;
	case BIRTHS_BY_NAME: return name_of_process(parent);
	default: return 0;
	}
}

static __always_inline void count(const struct erl_hit *hit, u64 id, u64 ends, u64 begins)
{
	struct counter_key key = { .id = id, .os_id = births_config.by ? hit->os_id : 0 };

	erl_count(hit);
	counter_add(&key, ends, begins);
	account_add(begins ? BIRTHS_SPAWNED : BIRTHS_EXITED, 1);
}

SEC("usdt/erlang:process-spawn")
int process_spawn(void *ctx)
{
	u64 id, parent = 0, call = 0;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	if (needs_parent())
		parent = call_parent(ctx, &hit, id);
	if (!is_wanted(id, parent))
		return 0;
	if (births_config.by == BIRTHS_BY_MFA)
		call = call_begins(ctx, &hit, id);
	count(&hit, key_of(parent, call), 0, 1);
	return 0;
}

SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	u64 id, parent = 0, call = 0;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = erl_arg_id(ctx, &hit, 0);
	if (needs_parent())
		parent = call_parent_of(id);
	if (!is_wanted(id, parent))
		return 0;
	if (births_config.by == BIRTHS_BY_MFA)
		call = call_ends(&hit, id);
	count(&hit, key_of(parent, call), 1, 0);
	return 0;
}
