// SPDX-License-Identifier: BSD-2-Clause
#include "budget/reach.h"

static uint64_t middle(uint32_t slot)
{
	uint64_t lo = hist_slot_lo(slot);

	return lo + (hist_slot_hi(slot) - lo) / 2;
}

void reach_add(struct reach *reach, uint64_t opened_ns, uint64_t closed_ns, uint64_t ended_ns)
{
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		uint64_t takes_ns = middle(slot), last_ns;

		if (takes_ns >= ended_ns - opened_ns)
			return;
		last_ns = ended_ns - takes_ns;
		reach->ns[slot] += (last_ns < closed_ns ? last_ns : closed_ns) - opened_ns;
	}
}

double reach_weight(const struct reach *before, const struct reach *now, uint64_t on_ns, uint32_t slot)
{
	uint64_t ns = now->ns[slot] - before->ns[slot];

	if (ns >= on_ns)
		return 1;
	return ns * REACH_MOST > on_ns ? (double)on_ns / (double)ns : REACH_MOST;
}
