/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations in the consumer: the state of normalize() and printa(), which the kernel does not know, and the numbers
 * that entries represent.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_AGGREGATE_H
#define ERLBPF_DTRACE_AGGREGATIONS_AGGREGATE_H

#include "d/lang/agg.h"
#include "dtrace/print/print.h"

struct aggregate {
	const struct unit_agg *agg;
	enum agg_kind kind;
	uint64_t normal;
	bool is_printed; /* by printa(): not printed again at the end */
};

/* One key of one aggregation; the snapshot owns the memory. */
struct aggregate_entry {
	const struct aggregate *of;
	unsigned int position; /* of the aggregation in the list */
	const void *key;
	const uint64_t *words;
};

struct aggregates {
	struct aggregate *list; /* in program order */
	size_t count;
};

/* 0 or -ENOMEM. */
int aggregates_new(struct aggregates *aggregates, const struct unit *unit);
void aggregates_free(struct aggregates *aggregates);

/* Of an action; NULL: not in the list. */
struct aggregate *aggregates_find(const struct aggregates *aggregates, const struct symbol *symbol);

/* Every entry, until `visit` returns nonzero. Its memory is valid during the call. 0 or -errno. */
int aggregate_each(const struct aggregate *aggregate, const struct print *print,
		   int (*visit)(void *to, const struct aggregate_entry *entry), void *to);

static inline bool aggregate_is_distribution(const struct aggregate *aggregate)
{
	return agg_is_distribution(aggregate->kind);
}

/* "count", "quantize"... */
const char *aggregate_function(const struct aggregate *aggregate);

/* The number of an entry: an average, a deviation, a sum...; for a distribution, its hits. */
int64_t aggregate_number(const struct aggregate_entry *entry);

/* The same without normalize(). */
int64_t aggregate_number_as_is(const struct aggregate_entry *entry);

/* aggregate_print.c: aggregations as text, sorted as the options ask. */

/* printa(): by a format, or without one in the default layout. 0 or -errno. */
int aggregates_printa(const struct aggregates *aggregates, const struct print *print, const struct action *action);

/* All aggregations that no printa() printed. 0 or -errno. */
int aggregates_print_rest(const struct aggregates *aggregates, const struct print *print);

#endif
