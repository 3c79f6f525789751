// SPDX-License-Identifier: BSD-2-Clause
#include "why/find/hourly_growth.h"

#include <string.h>

#include "base/duration.h"

#define PART_NS (600 * NS_PER_S)

void hourly_add(struct hourly *hour, uint64_t now_ns, uint64_t number)
{
	uint64_t *newest = &hour->least[HOURLY_PARTS];

	if (!hour->began_ns || now_ns - hour->began_ns >= 2 * PART_NS) {
		/* A long gap: start again. */
		*hour = (struct hourly){ .began_ns = now_ns };
		*newest = number;
		return;
	}
	if (now_ns - hour->began_ns >= PART_NS) {
		memmove(hour->least, hour->least + 1, HOURLY_PARTS * sizeof(*hour->least));
		hour->began_ns = now_ns;
		hour->parts += hour->parts < HOURLY_PARTS;
		*newest = number;
	}
	if (number < *newest)
		*newest = number;
}

bool hourly_grows(const struct hourly *hour, uint64_t least, uint64_t *before, uint64_t *now)
{
	if (hour->parts < HOURLY_PARTS)
		return false;
	for (int i = 1; i < HOURLY_PARTS; i++) {
		if (hour->least[i] <= hour->least[i - 1])
			return false;
	}
	*before = hour->least[0];
	*now = hour->least[HOURLY_PARTS - 1];
	return *now - *before >= least && *now - *before >= *before / 10;
}
