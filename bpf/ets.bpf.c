// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What do operations on ETS tables cost, by table and kind? One case is one call of a BIF. */
#include "measure.bpf.h"

/* A named table is its atom, an unnamed one a reference, whose number tells it from others. */
static __always_inline u64 table_of(u64 term)
{
	return (term & 0x3f) == 0xb ? erl_id_of(ERL_ID_ATOM, term >> 6) : erl_id_of(ERL_ID_NUMBER, term);
}

SEC("usdt/vm:ets-call")
int ets_call(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.what = table_of(erl_arg(ctx, &hit, 1));
	measure_took(&hit, &c);
	return 0;
}
