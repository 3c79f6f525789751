// SPDX-License-Identifier: BSD-2-Clause
/* Percentiles are held against the sorted samples themselves. */
#include "out/sink.h"
#include "out/sink_hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out/cell.h"
#include "sink_check.h"

#define SAMPLES 20000

static uint64_t anything(uint64_t *state)
{
	return check_random(state);
}

static uint64_t of_any_size(uint64_t *state)
{
	uint64_t value = check_random(state);

	return value >> (check_random(state) & 63);
}

static uint64_t small(uint64_t *state)
{
	return check_random(state) % 50;
}

static uint64_t microseconds(uint64_t *state)
{
	return 1000 + check_random(state) % 100000;
}

static uint64_t with_a_long_tail(uint64_t *state)
{
	uint64_t chance = check_random(state) % 1000;

	return 1000000000 / (chance + 1);
}

static uint64_t around_two_values(uint64_t *state)
{
	uint64_t chance = check_random(state);

	return (chance & 7 ? 5000 : 80000000) + (chance >> 8) % 1000;
}

static uint64_t always_the_same(uint64_t *state)
{
	(void)state;
	return 123456789;
}

static const struct {
	const char *name;
	uint64_t (*sample)(uint64_t *state);
} distributions[] = {
	{ "anything", anything },
	{ "of any size", of_any_size },
	{ "small", small },
	{ "microseconds", microseconds },
	{ "with a long tail", with_a_long_tail },
	{ "around two values", around_two_values },
	{ "always the same", always_the_same },
};

/* Shares as fractions, so that the rank is exact. */
static const struct {
	double q;
	size_t numerator, denominator;
} shares[] = { { 0.5, 1, 2 }, { 0.9, 9, 10 }, { 0.99, 99, 100 }, { 0.999, 999, 1000 }, { 1, 1, 1 } };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void expect_percentiles(const char *name, uint64_t *samples, size_t count)
{
	static uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(samples, count, slots);

	qsort(samples, count, sizeof(*samples), compare);
	for (size_t i = 0; i < COUNT(shares); i++) {
		size_t rank = (count * shares[i].numerator + shares[i].denominator - 1) / shares[i].denominator;
		uint64_t exact = samples[rank - 1], found = sink_percentile(&hist, shares[i].q);
		uint64_t error = found > exact ? found - exact : exact - found;

		/* Half a slot: 1/32. */
		cr_expect(le(u64, error, exact / 32), "%s, %zu samples, share %g: %llu, not %llu", name, count,
			  shares[i].q, (unsigned long long)found, (unsigned long long)exact);
		cr_expect(ge(u64, found, hist.min), "%s", name);
		cr_expect(le(u64, found, hist.max), "%s", name);
	}
}

static void expect_percentiles_of(size_t count)
{
	static uint64_t samples[SAMPLES];

	for (size_t i = 0; i < COUNT(distributions); i++) {
		uint64_t state = 1 + count;

		for (size_t n = 0; n < count; n++)
			samples[n] = distributions[i].sample(&state);
		expect_percentiles(distributions[i].name, samples, count);
	}
}

Test(sink, percentiles_are_within_half_a_slot_of_the_sorted_samples)
{
	expect_percentiles_of(SAMPLES);
}

Test(sink, percentiles_of_few_samples_are_exact_in_rank)
{
	for (size_t count = 1; count <= 40; count++)
		expect_percentiles_of(count);
}

Test(sink, percentiles_of_one_sample_are_that_sample)
{
	static const uint64_t values[] = { 0, 1, 31, 32, 1000003, UINT64_MAX };

	for (size_t i = 0; i < COUNT(values); i++) {
		uint64_t slots[HIST_SLOTS];
		struct sink_hist hist = hist_of(&values[i], 1, slots);

		cr_expect(eq(u64, sink_percentile(&hist, 0.5), values[i]));
		cr_expect(eq(u64, sink_percentile(&hist, 0.999), values[i]));
	}
}

Test(sink, percentiles_of_nothing_are_zero)
{
	uint64_t slots[HIST_SLOTS];
	struct sink_hist hist = hist_of(NULL, 0, slots);

	cr_expect(eq(u64, sink_percentile(&hist, 0.5), 0));
}

Test(sink, buckets_are_powers_of_two_without_gap)
{
	const struct sink_hist exact = {};

	cr_expect(eq(u64, sink_bucket_lo(&exact, 0), 0));
	cr_expect(eq(u64, sink_bucket_hi(0), 0));
	cr_expect(eq(u64, sink_bucket_hi(SINK_BUCKETS - 1), UINT64_MAX));
	for (unsigned int i = 1; i < SINK_BUCKETS; i++) {
		cr_expect(eq(u64, sink_bucket_lo(&exact, i), sink_bucket_hi(i - 1) + 1), "%u", i);
		cr_expect(eq(u64, sink_bucket_lo(&exact, i), 1ULL << (i - 1)), "%u", i);
	}
}

Test(sink, a_resolution_is_the_lower_bound_of_a_slot_and_not_less_than_the_cost)
{
	cr_expect(eq(u64, sink_resolution(0), 0));
	for (uint64_t cost = 1; cost < 100000; cost += 7) {
		uint64_t ns = sink_resolution(cost);

		cr_expect(eq(u64, hist_slot_lo(hist_slot(ns)), ns));
		cr_expect(le(u64, cost, ns));
		cr_expect(le(u64, ns, cost + cost / 15 + 1));
	}
}

Test(sink, what_is_below_the_resolution_is_in_no_bucket)
{
	static const uint64_t samples[] = { 0, 5, 1087, 1088, 1500, 2048 };
	uint64_t slots[HIST_SLOTS], buckets[SINK_BUCKETS], sum = 0;
	struct sink_hist hist = hist_of(samples, COUNT(samples), slots);

	hist.resolution_ns = sink_resolution(1050);
	cr_expect(eq(u64, hist.resolution_ns, 1088));
	cr_expect(eq(u64, sink_below(&hist), 3));
	sink_buckets(&hist, buckets);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		sum += buckets[i];
	cr_expect(eq(u64, sum, 3));
	cr_expect(eq(u64, buckets[11], 2));
	cr_expect(eq(u64, sink_bucket_lo(&hist, 11), 1088));
	cr_expect(eq(u64, sink_bucket_lo(&hist, 12), 2048));
	cr_expect(eq(u64, sink_bucket_lo(&hist, 10), 512));
}

Test(sink, every_sample_is_counted_in_its_bucket)
{
	uint64_t slots[HIST_SLOTS], buckets[SINK_BUCKETS], expected[SINK_BUCKETS] = {}, samples[2000];
	uint64_t state = 2;
	struct sink_hist hist;

	for (size_t i = 0; i < COUNT(samples); i++) {
		unsigned int bucket = 0;

		samples[i] = of_any_size(&state);
		while (samples[i] > sink_bucket_hi(bucket))
			bucket++;
		expected[bucket]++;
	}
	hist = hist_of(samples, COUNT(samples), slots);
	sink_buckets(&hist, buckets);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++)
		cr_expect(eq(u64, buckets[i], expected[i]), "bucket %u", i);
}

Test(sink, the_clock_is_eight_characters_for_any_time)
{
	static const uint64_t times[] = { 0, CHECK_TIME, UINT64_MAX };
	char buf[CELL_CLOCK];

	for (size_t i = 0; i < COUNT(times); i++) {
		const char *clock = cell_clock(times[i], buf);

		cr_expect(eq(sz, strlen(clock), 8), "%s", clock);
		cr_expect(eq(chr, clock[2], ':'), "%s", clock);
		cr_expect(eq(chr, clock[5], ':'), "%s", clock);
		cr_expect(eq(sz, strlen(cell_clock_us(times[i], buf)), 15), "%s", buf);
	}
}
