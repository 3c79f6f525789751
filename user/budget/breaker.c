// SPDX-License-Identifier: BSD-2-Clause
#include "budget/breaker.h"

#include "base/duration.h"

#define SLOT_NS (NS_PER_S / BREAKER_SLOTS)

static void turn_to(struct breaker *breaker, uint64_t slot)
{
	if (slot >= breaker->slot + BREAKER_SLOTS)
		breaker->slot = slot - BREAKER_SLOTS;
	while (breaker->slot < slot)
		breaker->slots[++breaker->slot % BREAKER_SLOTS] = 0;
}

double breaker_used(const struct breaker *breaker)
{
	double sum = 0;

	for (int i = 0; i < BREAKER_SLOTS; i++)
		sum += breaker->slots[i];
	return sum / NS_PER_S;
}

bool breaker_add(struct breaker *breaker, uint64_t now_ns, double cost_ns)
{
	if (!breaker->began_ns) {
		breaker->began_ns = now_ns;
		breaker->slot = now_ns / SLOT_NS;
	}
	turn_to(breaker, now_ns / SLOT_NS);
	breaker->slots[breaker->slot % BREAKER_SLOTS] += cost_ns;
	return now_ns >= breaker->began_ns + NS_PER_S && breaker_used(breaker) > breaker->limit;
}
