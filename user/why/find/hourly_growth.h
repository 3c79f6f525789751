/* SPDX-License-Identifier: BSD-2-Clause */
/* A number that is looked at again and again for an hour: does it only become more? Memory is bounded. */
#ifndef ERLBPF_WHY_HOUR_H
#define ERLBPF_WHY_HOUR_H

#include <stdbool.h>
#include <stdint.h>

#define HOURLY_PARTS 6 /* ten minutes each, and the one that goes on */

/* All 0 at first. The least of each part counts: what is more for a while is a load that comes and goes. */
struct hourly {
	uint64_t least[HOURLY_PARTS + 1]; /* the newest is the last */
	uint64_t began_ns;		  /* the part that goes on; 0: none does yet */
	unsigned int parts;		  /* whole ones */
};

void hourly_add(struct hourly *hour, uint64_t now_ns, uint64_t number);

/* It has become more in each part of an hour, by a tenth and by `least` or more. `before`: what it was an hour ago. */
bool hourly_grows(const struct hourly *hour, uint64_t least, uint64_t *before, uint64_t *now);

#endif
