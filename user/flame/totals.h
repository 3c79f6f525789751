/* SPDX-License-Identifier: BSD-2-Clause */
/* How much each function has by itself, and how much with what it called: recursion counts once. */
#ifndef ERLBPF_FLAME_TOTALS_H
#define ERLBPF_FLAME_TOTALS_H

#include "flame/profile_parts.h"

struct function_total {
	uint32_t function;
	uint64_t self, total;
	uint64_t self_before, total_before; /* of a difference */
};

/*
 * One per function, groups left out, in no order: *count of them. The caller frees them. NULL and errno where memory is
 * short.
 */
struct function_total *totals_make(const struct profile *profile, size_t *count);

#endif
