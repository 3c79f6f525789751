/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of an aggregation, from its map: a hash per key, each CPU with words of its own (d/agg.h), which
 * are put together here.
 */
#ifndef ERLBPF_DTRACE_PRINT_VALUES_H
#define ERLBPF_DTRACE_PRINT_VALUES_H

#include "dtrace/print/consume.h"

/* Every key that is there when the call is made. `visit` may take keys away. 0 or -errno. */
int values_each(int map, const struct unit_agg *agg, int (*visit)(void *to, const struct agg_entry *entry), void *to);

/* All values become what they are in the beginning. 0 or -errno. */
int values_clear(int map, const struct unit_agg *agg);

int values_remove(int map, const void *key);

/* Put the words of one more CPU to those of others. */
void values_add(const struct unit_agg *agg, uint64_t *sum, const uint64_t *words);

#endif
