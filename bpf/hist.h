/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log-linear histograms: 16 slots per power of two, so that a slot is at most 6.25 % wide and its
 * middle at most 3.2 % off. The log2 histogram that is printed is a sum of slots.
 * Compiled by both sides; the kernel side is hist.bpf.h, the reader user/results/histogram.c.
 */
#ifndef ERLBPF_BPF_HIST_H
#define ERLBPF_BPF_HIST_H

#include <linux/types.h>

#define HIST_SUB_BITS 4
#define HIST_SUB (1 << HIST_SUB_BITS)
#define HIST_SLOTS ((64 - HIST_SUB_BITS + 1) * HIST_SUB)
#define HIST_GENERATIONS 2

/* Bounds of the keyed maps: what does not fit goes to the total, which is printed as "other". */
#define HIST_MAX_KEYS 16384
#define HIST_MAX_KEY_SLOTS (16 * HIST_MAX_KEYS)

struct hist_key {
	__u64 id; /* of erl.h, 0 for "all of the node" */
	__u32 os_id;
	__u32 pad;
};

struct hist_slot_key {
	struct hist_key key;
	__u32 slot;
	__u32 pad;
};

/* The count is not kept: it is the sum of the slots. */
struct hist_sum {
	__u64 sum;
	__u64 min;
	__u64 max;
	__u64 name; /* of a process that is the key, as an id; 0: not known */
};

struct hist_total {
	struct hist_sum sum;
	__u64 slots[HIST_SLOTS];
};

static inline __u32 hist_msb(__u64 v)
{
	__u32 msb = 0;

	if (v >> 32) {
		msb += 32;
		v >>= 32;
	}
	if (v >> 16) {
		msb += 16;
		v >>= 16;
	}
	if (v >> 8) {
		msb += 8;
		v >>= 8;
	}
	if (v >> 4) {
		msb += 4;
		v >>= 4;
	}
	if (v >> 2) {
		msb += 2;
		v >>= 2;
	}
	return msb + (__u32)(v >> 1);
}

/* The slot that counts the value `v`. */
static inline __u32 hist_slot(__u64 v)
{
	__u32 msb;

	if (v < HIST_SUB)
		return (__u32)v;
	msb = hist_msb(v);
	return (msb - HIST_SUB_BITS + 1) * HIST_SUB + (__u32)(v >> (msb - HIST_SUB_BITS) & (HIST_SUB - 1));
}

/* The smallest value that the slot counts. */
static inline __u64 hist_slot_lo(__u32 slot)
{
	__u32 octave = slot / HIST_SUB;

	if (!octave)
		return slot;
	return (__u64)(HIST_SUB + slot % HIST_SUB) << (octave - 1);
}

/* The largest value that the slot counts. */
static inline __u64 hist_slot_hi(__u32 slot)
{
	return slot + 1 < HIST_SLOTS ? hist_slot_lo(slot + 1) - 1 : ~0ULL;
}

#endif
