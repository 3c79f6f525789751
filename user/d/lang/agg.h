/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the value of an aggregation lies in its map: 64-bit words, per key and stripe. Word 0 is always the number
 * of hits, which is what says that a key is there at all (trunc() takes it away, clear() leaves it).
 *
 *   count                the number of hits is the value
 *   sum min max          1: the sum, the least, the greatest
 *   avg                  1: sum
 *   stddev               1: sum; 2, 3: sum of squares, 128 bits, low word first
 *   quantize             1...127: buckets; 64 is 0, 64 + n is 2^(n-1), 64 - n is -2^(n-1)
 *   lquantize            1: below base; 2...: one per step; last: at or above the limit
 *   llquantize           1...: with half = (high - low + 1) * (steps - steps / factor), 2 * half + 3 buckets: that of
 *                        what is less than factor^low in the middle, those of negative numbers below
 *
 * min and max are stored so that 0 in a fresh value is neutral: min as ~(x biased), max as (x biased), where
 * biased is x + 2^63 as unsigned.
 *
 * A stripe is what some CPUs share, in cache lines of its own. A hash per CPU would need no atomic operations, but the
 * kernel takes 18 us to make an element of one, has none to spare when many are made at once, and gives each as much
 * memory as the machine could have CPUs.
 */
#ifndef ERLBPF_D_LANG_AGG_H
#define ERLBPF_D_LANG_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGG_QUANTIZE_BUCKETS 127
#define AGG_QUANTIZE_ZERO 63 /* bucket index of 0 */
#define AGG_BIAS (1ULL << 63)

enum agg_kind {
	AGG_COUNT,
	AGG_SUM,
	AGG_MIN,
	AGG_MAX,
	AGG_AVG,
	AGG_STDDEV,
	AGG_QUANTIZE,
	AGG_LQUANTIZE,
	AGG_LLQUANTIZE,
};

#define AGG_CPUS_PER_STRIPE 4
#define AGG_MOST_STRIPES 16
#define AGG_LINE 64
#define AGG_STRIPED 8192 /* maximum size of all stripes of a key, if there are several */

/* Bytes from one stripe to the next. */
static inline size_t agg_stride(size_t words, unsigned int stripes)
{
	return stripes > 1 ? (words * 8 + AGG_LINE - 1) & ~(size_t)(AGG_LINE - 1) : words * 8;
}

/* The number of stripes, a power of two, for a number of CPUs. */
static inline unsigned int agg_stripes(size_t words, unsigned int cpus)
{
	unsigned int stripes = 1;

	while (stripes < AGG_MOST_STRIPES && stripes * AGG_CPUS_PER_STRIPE < cpus &&
	       agg_stride(words, 2 * stripes) * 2 * stripes <= AGG_STRIPED)
		stripes *= 2;
	return stripes;
}

static inline bool agg_is_distribution(enum agg_kind kind)
{
	return kind >= AGG_QUANTIZE;
}

#endif
