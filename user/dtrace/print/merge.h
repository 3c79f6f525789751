/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregations by usym(), ufunc(), umod() and their like. The kernel knows addresses only; what is to be seen is one
 * entry for each function or module, so entries are put together when they are read.
 */
#ifndef ERLBPF_DTRACE_PRINT_MERGE_H
#define ERLBPF_DTRACE_PRINT_MERGE_H

#include "dtrace/print/consume.h"
#include "dtrace/provider/symbols.h"

/* Does the aggregation have such a key? */
bool merge_is_wanted(const struct unit_agg *agg);

/* As values_each() and values_remove(), with the addresses that symbols_start() gives. 0 or -errno. */
int merge_each(int map, const struct unit_agg *agg, struct symbols *symbols,
	       int (*visit)(void *to, const struct agg_entry *entry), void *to);
int merge_remove(int map, const struct unit_agg *agg, struct symbols *symbols, const void *key);

#endif
