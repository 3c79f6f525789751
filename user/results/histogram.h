/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading the histograms that bpf/hist.bpf.h keeps. */
#ifndef ERLBPF_RESULTS_HISTOGRAM_H
#define ERLBPF_RESULTS_HISTOGRAM_H

#include <stddef.h>

#include "hist.h"
#include "load/load.h"
#include "results/ids.h"

/* One histogram: a key and its sums, and the slots that are not empty. */
struct hist {
	struct hist_key key; /* zero: the total, or what did not fit under a key */
	struct hist_sum sum;
	__u64 count;
	__u64 *slots; /* HIST_SLOTS of them, shared: valid during the visit */
};

/* Before loading: how many keys have histograms of their own, instead of HIST_MAX_KEYS. 0: none will be counted. */
void hist_limit_keys(struct loader *loader, uint32_t keys);

/* After loading, before attaching. 0 or -errno. */
int hist_prepare(const struct loader *loader);

/*
 * Take all of the generation (see dump_turn()) and leave nothing. `visit` gets the histograms, which it may change, by
 * ascending count, the total last; it is called for the total only if that counted something, or if
 * nothing else was kept. 0 or -errno.
 */
typedef void hist_visitor(void *data, struct hist *hist);
int hist_take(const struct loader *loader, struct ids *ids, __u32 generation, hist_visitor *visit, void *data);

#endif
