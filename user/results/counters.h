/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the counts by key that bpf/counter.bpf.h keeps. */
#ifndef ERLBPF_RESULTS_COUNTERS_H
#define ERLBPF_RESULTS_COUNTERS_H

#include <stddef.h>

#include "load/load.h"
#include "results/ids.h"
#include "counter.h"

/*
 * Take all of the generation (see dump_turn()) and leave nothing: rows by descending count, the rest
 * last. 0 or -errno; the caller frees *rows.
 */
int counters_take(const struct loader *loader, struct ids *ids, __u32 generation, struct counter_row **rows,
		  size_t *count);

#endif
