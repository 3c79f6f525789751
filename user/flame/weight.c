// SPDX-License-Identifier: BSD-2-Clause
#include "flame/weight.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "flame/profile_parts.h"

const char *weight_format(const struct profile *profile, uint64_t weight, char buf[WEIGHT_SIZE])
{
	if (!strcmp(profile->unit, "ns"))
		return duration_format(weight, buf);
	snprintf(buf, WEIGHT_SIZE, "%" PRIu64, weight);
	return buf;
}

double weight_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}
