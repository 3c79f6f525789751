/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations as the consumer knows them: what normalize() and printa() did to one is kept here, because the kernel
 * does not know of it. And what number an entry stands for.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_AGGREGATE_H
#define ERLBPF_DTRACE_AGGREGATIONS_AGGREGATE_H

#include "d/lang/agg.h"
#include "dtrace/print/print.h"

struct aggregate {
	const struct unit_agg *agg;
	enum agg_kind kind;
	uint64_t normal;
	bool is_printed; /* by a printa(): not again at the end */
};

/* One key of one aggregation; memory of its snapshot. */
struct aggregate_entry {
	const struct aggregate *of;
	unsigned int position; /* of the aggregation in the list */
	const void *key;
	const uint64_t *words;
};

struct aggregates {
	struct aggregate *list; /* in the order of the program */
	size_t count;
};

/* 0 or -ENOMEM. */
int aggregates_new(struct aggregates *aggregates, const struct unit *unit);
void aggregates_free(struct aggregates *aggregates);

/* Of an action; NULL if it is none of them. */
struct aggregate *aggregates_find(const struct aggregates *aggregates, const struct symbol *symbol);

/* Every entry as it comes, until `visit` says otherwise. Its memory is valid during the call. 0 or -errno. */
int aggregate_each(const struct aggregate *aggregate, const struct print *print,
		   int (*visit)(void *to, const struct aggregate_entry *entry), void *to);

static inline bool aggregate_is_distribution(const struct aggregate *aggregate)
{
	return agg_is_distribution(aggregate->kind);
}

/* "count", "quantize"... */
const char *aggregate_function(const struct aggregate *aggregate);

/* The number that an entry stands for: an average, a deviation, a sum...; of a distribution: its hits. */
int64_t aggregate_number(const struct aggregate_entry *entry);

/* The same without what normalize() did. */
int64_t aggregate_number_as_is(const struct aggregate_entry *entry);

/* aggregate_print.c: aggregations as text, sorted as the options ask. */

/* printa(): by a format, or without one in the default layout. 0 or -errno. */
int aggregates_printa(const struct aggregates *aggregates, const struct print *print, const struct action *action);

/* All that no printa() has printed. 0 or -errno. */
int aggregates_print_rest(const struct aggregates *aggregates, const struct print *print);

#endif
