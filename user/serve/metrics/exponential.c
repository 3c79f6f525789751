// SPDX-License-Identifier: BSD-2-Clause
#include "serve/metrics/exponential.h"

#include <math.h>
#include <string.h>

void exponential_map(double scale, struct exponential_map *map)
{
	map->below = scale / 2;
	map->bucket[0] = 0;
	for (uint32_t slot = 1; slot < HIST_SLOTS; slot++) {
		double middle = (double)hist_slot_lo(slot) / 2 + (double)hist_slot_hi(slot) / 2;

		map->bucket[slot] = (int32_t)ceil(log2(middle * scale) * EXPONENTIAL_PER_TWO);
	}
}

void exponential_make(const struct exponential_map *map, const struct metric_series *series, struct exponential *to)
{
	to->count = 0;
	to->zero = 0;
	for (uint32_t i = 0; i < series->slot_count; i++) {
		uint32_t slot = series->first + i;
		size_t at;

		if (!series->slots[i])
			continue;
		if (!slot) {
			to->zero = series->slots[i];
			continue;
		}
		if (!to->count)
			to->first = map->bucket[slot];
		at = (size_t)(map->bucket[slot] - to->first);
		if (at >= to->count) {
			memset(to->counts + to->count, 0, (at + 1 - to->count) * sizeof(*to->counts));
			to->count = at + 1;
		}
		to->counts[at] += series->slots[i];
	}
}
