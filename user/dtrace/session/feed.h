/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records out of the ring, in the order of their times. They do not come so: a firing takes the time when it begins
 * and sends its record when it is done, and meanwhile other CPUs, and what interrupts it, send theirs. But which
 * firings are under way, and since when, is in their frames: nothing older than the oldest of them can still come.
 */
#ifndef ERLBPF_DTRACE_SESSION_FEED_H
#define ERLBPF_DTRACE_SESSION_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed;

/* Of the maps erl_ring and d_frames, which stay the caller's. NULL and errno. */
struct feed *feed_new(int ring, int frames);
void feed_free(struct feed *feed);

/* Readable when the programs think that the ring should be read. */
int feed_fd(const struct feed *feed);

/* Take what is in the ring, unless there is something to give already. */
int feed_read(struct feed *feed);

/* The same when no probe fires any more: waits a little for firings that are under way, then all can be given. */
int feed_read_last(struct feed *feed);

/* The next record, or NULL: none, or none yet. Valid until the ring is read again. */
const void *feed_next(struct feed *feed, size_t *size);

/* How often programs have fired. */
uint64_t feed_firings(const struct feed *feed);

/* Would feed_next() give one? */
bool feed_has(const struct feed *feed);

#endif
