/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x agghist and -x aggpack: an aggregation as one chart with a line for each key. Beside a number there is a bar, a
 * distribution is packed to a character for each bucket. Every entry is added before the first is printed, since
 * they share a scale and a heading.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_CHART_H
#define ERLBPF_DTRACE_AGGREGATIONS_CHART_H

#include "dtrace/aggregations/aggregate.h"
#include "dtrace/aggregations/bars.h"
#include "dtrace/aggregations/distribution.h"

struct chart {
	enum { CHART_NONE, CHART_BARS, CHART_PACKED } kind;
	struct bars bars;	/* CHART_BARS */
	struct packing packing; /* CHART_PACKED */
};

/* What the options make of an aggregation: CHART_NONE if it is printed as ever. */
void chart_begin(struct chart *chart, const struct aggregate *aggregate, const struct consumer_options *options);
void chart_add(struct chart *chart, const struct aggregate_entry *entry);

void chart_print_heading(const struct print *print, const struct chart *chart, const struct aggregate *aggregate);

/* What stands behind the keys, to the end of the line. */
void chart_print(const struct print *print, const struct chart *chart, const struct aggregate_entry *entry);

#endif
