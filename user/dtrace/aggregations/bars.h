/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers drawn to scale: as bars of 40 columns, or packed to a character each. The scale is that of all numbers
 * of a drawing together, so each is added before the first is drawn.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_BARS_H
#define ERLBPF_DTRACE_AGGREGATIONS_BARS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dtrace/print/consumer_ops.h"

struct bars {
	const struct consumer_options *options;
	long double total; /* what a bar of full length is */
	bool has_positive, has_negative;
};

void bars_add(struct bars *bars, int64_t size);

/* The line above them. */
void bars_print_heading(FILE *to, int width, const char *label);

/* A bar, and the number that is printed behind it, to the end of the line. */
void bars_print(FILE *to, const struct bars *bars, int64_t size, int64_t number);

/* One character: nothing for 0, and the fuller, the larger. */
void bars_print_packed(FILE *to, const struct bars *bars, int64_t size);

#endif
