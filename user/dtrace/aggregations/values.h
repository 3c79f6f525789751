/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of an aggregation, from its map: a hash per key, each CPU with words of its own (d/agg.h), which
 * are put together here.
 */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_VALUES_H
#define ERLBPF_DTRACE_AGGREGATIONS_VALUES_H

#include "dtrace/print/consumer_ops.h"
#include "dtrace/symbols/symbols.h"

/* Every key that is there when the call is made. `visit` may take keys away. 0 or -errno. */
int values_each(int map, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry), void *to);

/* All values become what they are in the beginning. 0 or -errno. */
int values_clear(int map, const struct unit_agg *agg);

int values_remove(int map, const void *key);

/* Put the words of one more CPU to those of others. */
void values_add(const struct unit_agg *agg, uint64_t *sum, const uint64_t *words);

/*
 * Aggregations by usym(), ufunc(), umod() and their like. The kernel knows addresses only; what is to be seen is one
 * entry for each function or module, so entries are put together when they are read.
 */

/* Does the aggregation have such a key? */
bool merge_is_wanted(const struct unit_agg *agg);

/* As values_each() and values_remove(), with the addresses that symbols_start() gives. 0 or -errno. */
int merge_each(int map, const struct unit_agg *agg, struct symbols *symbols,
	       int (*visit)(void *to, const struct agg_entry *entry), void *to);
int merge_remove(int map, const struct unit_agg *agg, struct symbols *symbols, const void *key);

#endif
