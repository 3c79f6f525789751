/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -x agghist and -x aggpack: an aggregation as a chart with a line for each key: a bar beside each number, or a
 * distribution with one character per bucket. All entries share a scale and a heading, so add all before printing.
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

/* The kind for an aggregation: CHART_NONE if the options select no chart. */
void chart_begin(struct chart *chart, const struct aggregate *aggregate, const struct consumer_options *options);
void chart_add(struct chart *chart, const struct aggregate_entry *entry);

void chart_print_heading(const struct print *print, const struct chart *chart, const struct aggregate *aggregate);

/* The text after the keys, to the end of the line. */
void chart_print(const struct print *print, const struct chart *chart, const struct aggregate_entry *entry);

#endif
