/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches one node, by its memory and /proc, without probes: nothing in the node changes. The caller calls
 * node_watch_sample() every few milliseconds, node_watch_look() a few times per second, and node_watch_read() a few
 * times, evenly.
 */
#ifndef ERLBPF_WHY_NODE_WATCH_H
#define ERLBPF_WHY_NODE_WATCH_H

#include "node/atoms/spelling.h"
#include "target/target.h"
#include "why/source/signs.h"

struct node_watch;

/* The target must outlive it. NULL with errno on failure; ENOENT: unknown release, or the node has not started yet. */
struct node_watch *node_watch_new(const struct target *target, struct name_style style);
void node_watch_free(struct node_watch *collector);

/* Samples the schedulers. Skipped if it would use more than its share of a CPU. */
void node_watch_sample(struct node_watch *collector);

/* Samples suspended processes and waits for files. */
void node_watch_look(struct node_watch *collector);

/* Reads the process table. 0 or -errno. */
int node_watch_read(struct node_watch *collector);

/* Fills the signs; once, at the end. */
void node_watch_finish(struct node_watch *collector, struct signs *signs);

/* How each normal scheduler spent its time; after node_watch_finish(). */
const struct sign_time_shares *node_watch_shares(const struct node_watch *collector, size_t *count);

#endif
