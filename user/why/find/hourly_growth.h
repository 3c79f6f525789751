/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a number only rises for an hour. Uses bounded memory. */
#ifndef ERLBPF_WHY_HOUR_H
#define ERLBPF_WHY_HOUR_H

#include <stdbool.h>
#include <stdint.h>

#define HOURLY_PARTS 6 /* of ten minutes each, plus the current one */

/* Zeroed at first. Only the least of each part counts, so a load that comes and goes is no growth. */
struct hourly {
	uint64_t least[HOURLY_PARTS + 1]; /* newest last */
	uint64_t began_ns;		  /* start of the current part; 0: none yet */
	unsigned int parts;		  /* complete ones */
};

void hourly_add(struct hourly *hour, uint64_t now_ns, uint64_t number);

/* Did the number rise in each part of an hour, by a tenth and by `least` in total? `before`: the value an hour ago. */
bool hourly_grows(const struct hourly *hour, uint64_t least, uint64_t *before, uint64_t *now);

#endif
