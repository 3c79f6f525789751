/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our histograms with buckets that grow by 2^(1/8): schema 3 of Prometheus' native histograms, scale 3 of OTLP's.
 * Slots of ours (16 of the same width per power of two) do not end where these buckets do: a slot goes, with all that
 * it counts, into the bucket that its middle is in. So no count is lost or split, and what was counted moves by at most
 * half a slot, 3.2 %; a bucket is 9.1 % wide. 0 has a bucket of its own.
 */
#ifndef ERLBPF_SERVE_METRICS_EXPONENTIAL_H
#define ERLBPF_SERVE_METRICS_EXPONENTIAL_H

#include "serve/metrics/metrics.h"

#define EXPONENTIAL_SCALE 3
#define EXPONENTIAL_PER_TWO (1 << EXPONENTIAL_SCALE)
#define EXPONENTIAL_BUCKETS (66 * EXPONENTIAL_PER_TWO)

/* Which bucket each slot goes to: number i is from 2^((i-1)/8), which is not in it, up to 2^(i/8), of base units. */
struct exponential_map {
	int32_t bucket[HIST_SLOTS];
	double below; /* half of what is counted as 1: smaller values were 0 */
};

struct exponential {
	int32_t first; /* number of the first bucket */
	size_t count;  /* of buckets, from the first to the last that is not empty */
	uint64_t counts[EXPONENTIAL_BUCKETS];
	uint64_t zero;
};

void exponential_map(double scale, struct exponential_map *map);
void exponential_make(const struct exponential_map *map, const struct metric_series *series, struct exponential *to);

#endif
