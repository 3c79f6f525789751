/* SPDX-License-Identifier: BSD-2-Clause */
/* The last hour as profiles of one minute; the oldest makes room. Memory is bounded. */
#ifndef ERLBPF_PROFILE_SLICES_H
#define ERLBPF_PROFILE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flame/profile.h"

#define SLICES_NS (60 * 1000000000ULL) /* of one, usually */
#define SLICES_COUNT 60
#define SLICES_BYTES (512UL << 10) /* limit of one slice; more counts as lost */
#define SLICES_ID 16

struct slices;

/* Times are nanoseconds since 1970; a slice has `length_ns`, a period of one sample is `period_ns`. NULL and errno. */
struct slices *slices_new(uint64_t now_ns, uint64_t length_ns, uint64_t period_ns);
void slices_free(struct slices *slices); /* NULL-safe */

/* The current slice, owned by the slices: add samples up to now to it. */
struct profile *slices_now(struct slices *slices, uint64_t now_ns);

/* Begins the next slice if this one is complete, or the clock was set back. 0 or -ENOMEM. */
int slices_turn(struct slices *slices, uint64_t now_ns);

/*
 * Merges all slices that overlap a period. `wants` as for profile_merge(). The caller frees it. NULL and errno; ENOENT:
 * no slice.
 */
struct profile *slices_merge(const struct slices *slices, uint64_t from_ns, uint64_t to_ns,
			     bool (*wants)(void *data, const char *group), void *data);

/* A complete slice. */
struct slice_whole {
	const struct profile *profile; /* owned by the slices; valid until slices_turn() */
	uint64_t number;	       /* from 1 on */
	uint64_t from_ns, to_ns, period_ns;
	uint8_t id[SLICES_ID]; /* random, unique across machines */
};

/* The number of the newest complete slice; 0: none. */
uint64_t slices_newest_whole(const struct slices *slices);

/* The oldest complete, non-empty slice after that number. False: none. */
bool slices_next(const struct slices *slices, uint64_t after, struct slice_whole *whole);

/* Number of slices, and their memory in bytes. */
size_t slices_count(const struct slices *slices);
size_t slices_bytes(const struct slices *slices);

#endif
