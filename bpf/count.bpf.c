// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* How often does each probe fire? The accounting that every tool has is the answer. */
#include "erl.bpf.h"

SEC("usdt/erlang:*")
int hit(void *ctx)
{
	struct erl_hit hit;

	if (erl_enter(ctx, &hit))
		erl_count(&hit);
	return 0;
}
