/* SPDX-License-Identifier: BSD-2-Clause */
/* DTrace's quantize() layout, to the column. */
#ifndef ERLBPF_OUT_QUANTIZE_H
#define ERLBPF_OUT_QUANTIZE_H

#include <stdint.h>
#include <stdio.h>

/* What is too short to be told apart, as the first row. */
struct quantize_below {
	const char *label;
	uint64_t count;
	int64_t before; /* where the buckets begin that are shown */
};

/*
 * Print `count` buckets, from the one before the first that is not empty to the one behind the last;
 * values[i] is the number in front of bucket i. `below` may be NULL. Nothing is printed for an empty distribution.
 */
void quantize_print(FILE *to, const struct quantize_below *below, const int64_t *values, const uint64_t *counts,
		    unsigned int count);

#endif
