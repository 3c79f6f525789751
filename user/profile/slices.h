/* SPDX-License-Identifier: BSD-2-Clause */
/* The last hour in profiles of a minute each; the oldest makes room for the next. Memory is bounded. */
#ifndef ERLBPF_PROFILE_SLICES_H
#define ERLBPF_PROFILE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flame/profile.h"

#define SLICES_NS (60 * 1000000000ULL) /* of one, usually */
#define SLICES_COUNT 60
#define SLICES_BYTES (512UL << 10) /* of one at most; what is beyond is counted as lost */
#define SLICES_ID 16

struct slices;

/* Times are nanoseconds since 1970; a slice has `length_ns`, a period of one sample is `period_ns`. NULL and errno. */
struct slices *slices_new(uint64_t now_ns, uint64_t length_ns, uint64_t period_ns);
void slices_free(struct slices *slices); /* NULL-safe */

/* The slice that grows, the slices': what was sampled up to now is to be added to it. */
struct profile *slices_now(struct slices *slices, uint64_t now_ns);

/*
 * What comes from now on belongs to the next slice if this one has its length, or the clock was set back. 0 or -ENOMEM.
 */
int slices_turn(struct slices *slices, uint64_t now_ns);

/*
 * All that lies between two moments, in whole slices: those that have some of that time. `wants` as for
 * profile_merge(). The caller frees it. NULL and errno: ENOENT if there is none.
 */
struct profile *slices_merge(const struct slices *slices, uint64_t from_ns, uint64_t to_ns,
			     bool (*wants)(void *data, const char *group), void *data);

/* One that does not grow any more. */
struct slice_whole {
	const struct profile *profile; /* the slices', until the next slices_turn() */
	uint64_t number;	       /* from 1 on */
	uint64_t from_ns, to_ns, period_ns;
	uint8_t id[SLICES_ID]; /* by chance: no other one has it, here or elsewhere */
};

/* The number of the newest whole one; 0: there is none. */
uint64_t slices_newest_whole(const struct slices *slices);

/* The oldest that is kept, whole, not empty and behind that number. False: there is none. */
bool slices_next(const struct slices *slices, uint64_t after, struct slice_whole *whole);

/* How many there are, and what they take of memory. */
size_t slices_count(const struct slices *slices);
size_t slices_bytes(const struct slices *slices);

#endif
