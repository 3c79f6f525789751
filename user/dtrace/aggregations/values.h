/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of an aggregation, from its map: a hash by key with one stripe of words per group of CPUs (d/lang/agg.h),
 * which are summed here.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_VALUES_H
#define ERLBPF_DTRACE_AGGREGATIONS_VALUES_H

#include "dtrace/print/consumer_ops.h"
#include "dtrace/symbols/symbols.h"

/* Every key present at the time of the call. `visit` can remove keys. 0 or -errno. */
int values_each(int map, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry), void *to);

/* Resets all values. 0 or -errno. */
int values_clear(int map, const struct unit_agg *agg);

int values_remove(int map, const void *key);

/* Adds the words of one more stripe. */
void values_add(const struct unit_agg *agg, uint64_t *sum, const uint64_t *words);

/*
 * Aggregations by usym(), ufunc(), umod() and the like. The kernel stores addresses, but the output has one entry per
 * function or module, so entries are merged while they are read.
 */

/* True if the aggregation has such a key. */
bool merge_is_wanted(const struct unit_agg *agg);

/* As values_each() and values_remove(), with the addresses that symbols_start() gives. 0 or -errno. */
int merge_each(int map, const struct unit_agg *agg, struct symbols *symbols,
	       int (*visit)(void *to, const struct agg_entry *entry), void *to);
int merge_remove(int map, const struct unit_agg *agg, struct symbols *symbols, const void *key);

#endif
