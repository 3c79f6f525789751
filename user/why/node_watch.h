/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the signs of one node: from its memory and from /proc, without a probe, so nothing in the node is changed.
 * Who drives it calls collector_sample() every few milliseconds and collector_read() a few times, evenly.
 */
#ifndef ERLBPF_WHY_NODE_WATCH_H
#define ERLBPF_WHY_NODE_WATCH_H

#include "node/atoms/spelling.h"
#include "target/target.h"
#include "why/source/signs.h"

struct node_watch;

/* The target must outlive it. NULL and errno; ENOENT: the release is not known, or the node has not started yet. */
struct node_watch *node_watch_new(const struct target *target, struct name_style style);
void node_watch_free(struct node_watch *collector);

/* What the schedulers run now. It is skipped if that would cost more than a share of a CPU. */
void node_watch_sample(struct node_watch *collector);

/* Who is suspended, and what waits for a file, now: some times a second. */
void node_watch_look(struct node_watch *collector);

/* All processes as they are now. 0 or -errno. */
int node_watch_read(struct node_watch *collector);

/* What was seen; once, at the end. */
void node_watch_finish(struct node_watch *collector, struct signs *signs);

/* What the time of each normal scheduler was spent on; after collector_finish(). */
const struct sign_time_shares *node_watch_shares(const struct node_watch *collector, size_t *count);

#endif
