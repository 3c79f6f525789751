/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Which word of an aggregation's value counts a number: user/d/lang/agg.h describes the layouts. */
#ifndef ERLBPF_BPF_D_AGGREGATE_BPF_H
#define ERLBPF_BPF_D_AGGREGATE_BPF_H

#include "d/system.bpf.h"

/* Number of the highest set bit, from 1; 0 for 0. */
static __always_inline u64 d_log2(u64 v)
{
	u64 log = 0, more;

#pragma unroll
	for (int step = 32; step; step >>= 1) {
		more = v >> step != 0;
		more = (u64)(more ? step : 0);
		v >>= more;
		log += more;
	}
	return log + (v != 0);
}

/* Words 1 to 127: the bucket of 0 is in the middle, positive powers of two above it, negative ones below. */
D_FUNCTION d_quantize(struct d_frame *f, s64 value)
{
	u64 log = d_log2(d_magnitude(value));

	(void)f;
	if (log > 63)
		log = 63;
	return value < 0 ? 64 - log : 64 + log;
}

/* Word 1: below the base. Last word: at or above the limit, or in a step that the limit cuts. */
D_FUNCTION d_lquantize(struct d_frame *f, s64 value, s64 base, s64 limit, u64 step)
{
	(void)f;
	if (value < base)
		return 1;
	if (value >= limit)
		return 2 + (u64)(limit - base) / step;
	return 2 + (u64)(value - base) / step;
}

#define D_MOST_MAGNITUDES 64

/*
 * Distance from the bucket around 0: 0, or from 1 on. Each power of the factor has `steps` buckets, except those that a
 * lower power covers.
 */
static __always_inline u64 d_log_linear_place(struct d_frame *f, u64 v, u64 factor, u64 low, u64 high, u64 steps)
{
	u64 below = steps / factor, place = 0, power = 1, next, in = 0;

	for (u64 m = 0; m < D_MOST_MAGNITUDES; m++) {
		bool overflows = power > ~0ULL / 2 / factor;

		d_keep(m);
		next = overflows ? ~0ULL : power * factor;
		if (m == low && v < power)
			return 0;
		if (m >= low && (v < next || overflows || m > high))
			break;
		if (m >= low)
			place += steps - below;
		power = next;
		power = d_opaque(f, power);
		in = m + 1;
		in = d_opaque(f, in);
	}
	if (in > high)
		return 1 + (high - low + 1) * (steps - below);
	next = power * factor;
	return 1 + place + (next >= steps ? v / (next / steps) : v * steps / next) - below;
}

/* From word 1 on: as many buckets below 0 as above. `params`: factor, low, high, steps, 16 bits each. */
D_FUNCTION d_llquantize(struct d_frame *f, s64 value, u64 params)
{
	u64 factor = params >> 48, low = params >> 32 & 0xffff, high = params >> 16 & 0xffff, steps = params & 0xffff;
	u64 zero, place;

	if (!factor || high < low)
		return 0;
	zero = 2 + (high - low + 1) * (steps - steps / factor);
	place = d_log_linear_place(f, d_magnitude(value), factor, low, high, steps);
	return value < 0 ? zero - place : zero + place;
}

/* The upper half of the square of a number. */
D_FUNCTION d_square_high(struct d_frame *f, s64 value)
{
	u64 v = d_magnitude(value), low = (u32)v, high = v >> 32;
	u64 middle = low * high;
	u64 carry = ((low * low >> 32) + 2 * (middle & 0xffffffff)) >> 32;

	(void)f;
	return high * high + 2 * (middle >> 32) + carry;
}

#endif
