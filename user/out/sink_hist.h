/* SPDX-License-Identifier: BSD-2-Clause */
/* What sinks show of a histogram: its percentiles, and powers of two instead of slots. */
#ifndef ERLBPF_OUT_SINK_HIST_H
#define ERLBPF_OUT_SINK_HIST_H

#include "out/sink.h"

/* Value below which the share `q` of a histogram lies: within half a slot, at most 3.2 % off. */
uint64_t sink_percentile(const struct sink_hist *hist, double q);

/* Has the histogram values enough that one is above the percentile? 1,000 for p99.9. */
bool sink_has_percentile(const struct sink_hist *hist, double q);

/* What probes cost as the resolution of durations: rounded up to the lower bound of a slot. */
uint64_t sink_resolution(uint64_t cost_ns);

/* How many values are below the resolution. */
uint64_t sink_below(const struct sink_hist *hist);

/* The log2 buckets of a histogram, from the resolution on: bucket 0 holds 0, bucket n from 2^(n-1) to 2^n - 1. */
#define SINK_BUCKETS 65
void sink_buckets(const struct sink_hist *hist, uint64_t buckets[SINK_BUCKETS]);
uint64_t sink_bucket_lo(const struct sink_hist *hist, unsigned int bucket);
uint64_t sink_bucket_hi(unsigned int bucket);

#endif
