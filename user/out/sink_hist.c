// SPDX-License-Identifier: BSD-2-Clause
#include "out/sink_hist.h"

#include <math.h>
#include <string.h>

#include "hist.h"

uint64_t sink_percentile(const struct sink_hist *hist, double q)
{
	uint64_t rank = (uint64_t)ceil((double)hist->count * q), seen = 0;

	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		uint64_t middle, lo = hist_slot_lo(slot);

		seen += hist->slots[slot];
		if (!hist->slots[slot] || seen < rank)
			continue;
		middle = lo + (hist_slot_hi(slot) - lo) / 2;
		/* Exact at the ends: the extremes are known. */
		return middle < hist->min ? hist->min : middle > hist->max ? hist->max : middle;
	}
	return hist->max;
}

bool sink_has_percentile(const struct sink_hist *hist, double q)
{
	return (double)hist->count * (1 - q) >= 1 - 1e-9;
}

uint64_t sink_resolution(uint64_t cost_ns)
{
	return cost_ns ? hist_slot_lo(hist_slot(cost_ns - 1) + 1) : 0;
}

uint64_t sink_below(const struct sink_hist *hist)
{
	uint64_t count = 0;

	for (uint32_t slot = 0; slot < HIST_SLOTS && hist_slot_lo(slot) < hist->resolution_ns; slot++)
		count += hist->slots[slot];
	return count;
}

void sink_buckets(const struct sink_hist *hist, uint64_t buckets[SINK_BUCKETS])
{
	memset(buckets, 0, SINK_BUCKETS * sizeof(*buckets));
	for (uint32_t slot = 0; slot < HIST_SLOTS; slot++) {
		uint64_t lo = hist_slot_lo(slot);

		if (lo < hist->resolution_ns)
			continue;
		buckets[lo ? hist_msb(lo) + 1 : 0] += hist->slots[slot];
	}
}

uint64_t sink_bucket_lo(const struct sink_hist *hist, unsigned int bucket)
{
	uint64_t lo = bucket ? 1ULL << (bucket - 1) : 0;

	return lo < hist->resolution_ns && hist->resolution_ns <= sink_bucket_hi(bucket) ? hist->resolution_ns : lo;
}

uint64_t sink_bucket_hi(unsigned int bucket)
{
	return bucket < 64 ? (1ULL << bucket) - 1 : ~0ULL;
}
