// SPDX-License-Identifier: BSD-2-Clause
#include "why/find/hourly_growth.h"

#include <string.h>

#include "base/duration.h"

#define PART_NS (600 * NS_PER_S)

void hour_add(struct hour *hour, uint64_t now_ns, uint64_t number)
{
	uint64_t *newest = &hour->least[HOUR_PARTS];

	if (!hour->began_ns || now_ns - hour->began_ns >= 2 * PART_NS) {
		/* Nobody looked for long: it begins anew. */
		*hour = (struct hour){ .began_ns = now_ns };
		*newest = number;
		return;
	}
	if (now_ns - hour->began_ns >= PART_NS) {
		memmove(hour->least, hour->least + 1, HOUR_PARTS * sizeof(*hour->least));
		hour->began_ns = now_ns;
		hour->parts += hour->parts < HOUR_PARTS;
		*newest = number;
	}
	if (number < *newest)
		*newest = number;
}

bool hour_grows(const struct hour *hour, uint64_t least, uint64_t *before, uint64_t *now)
{
	if (hour->parts < HOUR_PARTS)
		return false;
	for (int i = 1; i < HOUR_PARTS; i++) {
		if (hour->least[i] <= hour->least[i - 1])
			return false;
	}
	*before = hour->least[0];
	*now = hour->least[HOUR_PARTS - 1];
	return *now - *before >= least && *now - *before >= *before / 10;
}
