/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_RANDOM_H
#define ERLBPF_BASE_RANDOM_H

#include <stdint.h>

/* xorshift64*, for jitter, not for secrets. The state is never 0. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL) >> 16;
}

#endif
