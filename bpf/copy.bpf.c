// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How many words of terms does the VM copy, what for, and for which process? One case is one copy; its
 * process is the one that the thread runs.
 */
#include "copy.h"
#include "measure.bpf.h"
#include "running.bpf.h"
#include "tally.bpf.h"

const volatile struct copy_config copy_config = {};

SEC("usdt/vm:term-copy")
int term_copy(void *ctx)
{
	struct erl_hit hit;
	u64 id, words;
	u32 kind;

	if (!erl_enter(ctx, &hit))
		return 0;
	id = running_here();
	words = erl_arg(ctx, &hit, 0);
	/* Of a term of one word, nothing is copied. */
	if (!words || !measure_wants(id))
		return 0;
	erl_count(&hit);
	kind = erl_caller_of(ctx);
	if (copy_config.tallies) {
		struct tally_key key = { .id = measure_kind(kind), .os_pid = hit.os_pid };

		tally_add(&key, words, 1);
	}
	measure_add(&hit, id, measure_kind(kind), words, 1);
	return 0;
}
