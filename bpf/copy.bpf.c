// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How many words of terms does the VM copy, what for, and for which process? One case is one copy; its
 * process is the one that the thread runs.
 */
#include "copy.h"
#include "measure.bpf.h"
#include "running.bpf.h"
#include "counter.bpf.h"

#define COPY_DBTERM_SIZE 8 /* of DbTerm (erl_db_util.h), the same in 25.2.3, 27.3.4.1 and 29.1.1 */

const volatile struct copy_config copy_config = {};

static __always_inline int copied(const struct erl_hit *hit, u32 kind, u64 words)
{
	u64 id = running_here(hit);

	/* A term of one word needs no copy. */
	if (!words || !measure_wants(id))
		return 0;
	erl_count(hit);
	if (!erl_measures_from(bpf_ktime_get_ns()))
		return 0;
	if (copy_config.counters) {
		struct counter_key key = { .id = measure_kind(kind), .os_id = hit->os_id };

		counter_add(&key, words, 1);
	}
	measure_add(hit, id, measure_kind(kind), words, 1);
	return 0;
}

SEC("usdt/vm:term-copy")
int term_copy(void *ctx)
{
	struct erl_hit hit;
	u32 kind;

	if (!erl_enter(ctx, &hit))
		return 0;
	kind = erl_caller_of(ctx);
	/* Parts of a tuple, from OTP 27 on, where the rest is copied in place: it counts when it is stored. */
	return kind == ERL_CALLER_ETS_STORE ? 0 : copied(&hit, kind, erl_arg(ctx, &hit, 0));
}

SEC("usdt/vm:ets-store")
int ets_store(void *ctx)
{
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	return copied(&hit, ERL_CALLER_ETS,
		      erl_load(erl_arg(ctx, &hit, 0) + erl_arg(ctx, &hit, 1) + COPY_DBTERM_SIZE, 8, false));
}
