/* SPDX-License-Identifier: BSD-2-Clause */
/* The last hour in profiles of a minute each; the oldest makes room for the next. Memory is bounded. */
#ifndef ERLBPF_PROFILE_SLICES_H
#define ERLBPF_PROFILE_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "flame/profile.h"

#define SLICES_NS (60 * 1000000000ULL) /* of one */
#define SLICES_COUNT 60
#define SLICES_BYTES (512UL << 10) /* of one at most; what is beyond is counted as lost */

struct slices;

/* Times are nanoseconds since 1970; a period of one sample is `period_ns`. NULL and errno. */
struct slices *slices_new(uint64_t now_ns, uint64_t period_ns);
void slices_free(struct slices *slices); /* NULL-safe */

/* The slice that grows, the slices': what was sampled up to now is to be added to it. */
struct profile *slices_now(struct slices *slices, uint64_t now_ns);

/* What comes from now on belongs to the next slice if this one has its minute, or the clock was set back. 0 or -ENOMEM.
 */
int slices_turn(struct slices *slices, uint64_t now_ns);

/*
 * All that lies between two moments, in whole slices: those that have some of that time. `wants` as for
 * profile_merge(). The caller frees it. NULL and errno: ENOENT if there is none.
 */
struct profile *slices_merge(const struct slices *slices, uint64_t from_ns, uint64_t to_ns,
			     bool (*wants)(void *data, const char *group), void *data);

/* How many there are, and what they take of memory. */
size_t slices_count(const struct slices *slices);
size_t slices_bytes(const struct slices *slices);

#endif
