/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers drawn to scale: as bars of 40 columns, or packed as one character each. All numbers of a drawing share the
 * scale, so add all before drawing.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_BARS_H
#define ERLBPF_DTRACE_AGGREGATIONS_BARS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dtrace/print/consumer_ops.h"

struct bars {
	const struct consumer_options *options;
	long double total; /* value of a full bar */
	bool has_positive, has_negative;
};

void bars_add(struct bars *bars, int64_t size);

/* The heading. */
void bars_print_heading(FILE *to, int width, const char *label);

/* A bar and its number, to the end of the line. */
void bars_print(FILE *to, const struct bars *bars, int64_t size, int64_t number);

/* One character: blank for 0, and fuller for larger numbers. */
void bars_print_packed(FILE *to, const struct bars *bars, int64_t size);

#endif
