/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the signs of one node: from its memory and from /proc, without a probe, so nothing in the node is changed.
 * Who drives it calls collector_sample() every few milliseconds and collector_read() a few times, evenly.
 */
#ifndef ERLBPF_WHY_WATCH_H
#define ERLBPF_WHY_WATCH_H

#include "node/atoms/spelling.h"
#include "target/target.h"
#include "why/source/signs.h"

struct collector;

/* The target must outlive it. NULL and errno; ENOENT: the release is not known, or the node has not started yet. */
struct collector *collector_new(const struct target *target, struct name_style style);
void collector_free(struct collector *collector);

/* What the schedulers run now. It is skipped if that would cost more than a share of a CPU. */
void collector_sample(struct collector *collector);

/* Who is suspended, and what waits for a file, now: some times a second. */
void collector_look(struct collector *collector);

/* All processes as they are now. 0 or -errno. */
int collector_read(struct collector *collector);

/* What was seen; once, at the end. */
void collector_finish(struct collector *collector, struct signs *signs);

/* What the time of each normal scheduler was spent on; after collector_finish(). */
const struct sign_shares *collector_shares(const struct collector *collector, size_t *count);

#endif
