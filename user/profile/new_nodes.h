/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which nodes there are to be sampled, now and later: found by a follower that has no probe to put (trace/follow.h). It
 * lets go of its own targets as soon as they have ended, while what was sampled of them still needs names; so who is
 * told of a node gets a target to keep.
 */
#ifndef ERLBPF_PROFILE_NEW_NODES_H
#define ERLBPF_PROFILE_NEW_NODES_H

#include "load/kernel/kernel.h"
#include "load/load.h"
#include "options.h"
#include "target/target.h"

struct new_nodes;

/* The options say which nodes are meant; they and the loader, which is any, must outlive it. NULL and errno. */
struct new_nodes *new_nodes_new(const struct kernel *kernel, const struct options *nodes, struct loader *loader);
void new_nodes_free(struct new_nodes *new_nodes); /* NULL-safe */

/* Only this process and what descends from it (-c). */
void new_nodes_only_tree(struct new_nodes *new_nodes, pid_t root);

/* The target is the callee's, whatever becomes of it. 0 or -errno, of which the user is told. */
typedef int new_nodes_visitor(void *data, struct target *target);

/*
 * Look for nodes, and call `visit` for each that is new. An enum exit_code, explained where the user has named a
 * process that cannot be sampled.
 */
int new_nodes_scan(struct new_nodes *new_nodes, new_nodes_visitor *visit, void *data);

/* Warns of a node that cannot be sampled, unless it has ended again, or lacks the wanted process: that is no matter. */
void new_nodes_refused(pid_t pid, int err);

#endif
