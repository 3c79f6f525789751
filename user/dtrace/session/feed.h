/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records from the ring, in the order of time. They arrive out of order: a firing takes the time when it begins and
 * sends its record when it ends, while other CPUs and interrupts send theirs. Frames hold the start times of current
 * firings: no record older than the oldest of them can still arrive.
 */
#ifndef ERLBPF_DTRACE_SESSION_FEED_H
#define ERLBPF_DTRACE_SESSION_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed;

/* Uses the maps erl_ring and d_frames, which the caller owns. NULL and errno. */
struct feed *feed_new(int ring, int frames);
void feed_free(struct feed *feed);

/* Readable when programs wake the reader. */
int feed_fd(const struct feed *feed);

/* Reads the ring, unless a record is ready. */
int feed_read(struct feed *feed);

/* The same when no probe fires any more: waits briefly for current firings, then all records are ready. */
int feed_read_last(struct feed *feed);

/* The next record, or NULL: none ready. Valid until the next reading. */
const void *feed_next(struct feed *feed, size_t *size);

/* Number of firings so far. */
uint64_t feed_firings(const struct feed *feed);

/* True if feed_next() would return a record. */
bool feed_has(const struct feed *feed);

#endif
