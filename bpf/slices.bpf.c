// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long does a process keep its scheduler? From the moment in which it is picked to the moment in
 * which it is let go, on the same thread, so that a thread has at most one slice at a time.
 */
#include "measure.bpf.h"

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	/* The function that answers for the probe returns here, and was called when the one before ended. */
	c.start_ns = c.end_ns;
	measure_begin(&hit, &c);
	return 0;
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	struct measure_event *c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	c = measure_end(&hit, id);
	if (c)
		measure_took(&hit, c);
	return 0;
}
