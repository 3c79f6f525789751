/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds nodes to sample, now and later, with a follower that attaches no probe (trace/follow.h). The follower frees a
 * target when its process ends, but samples still need names, so each visitor gets a target of its own.
 */
#ifndef ERLBPF_PROFILE_NEW_NODES_H
#define ERLBPF_PROFILE_NEW_NODES_H

#include "load/kernel/kernel.h"
#include "load/load.h"
#include "options.h"
#include "target/target.h"

struct new_nodes;

/* The options select nodes. They and the loader (any) are borrowed. NULL and errno. */
struct new_nodes *new_nodes_new(const struct kernel *kernel, const struct options *nodes, struct loader *loader);
void new_nodes_free(struct new_nodes *new_nodes); /* NULL-safe */

/* Restricts to this process and its descendants (-c). */
void new_nodes_only_tree(struct new_nodes *new_nodes, pid_t root);

/* The callee owns the target, also on errors. 0 or -errno; the error is printed. */
typedef int new_nodes_visitor(void *data, struct target *target);

/*
 * Searches for nodes and calls `visit` for each new one. Returns an enum exit_code; an error is printed if a process
 * that the user named cannot be sampled.
 */
int new_nodes_scan(struct new_nodes *new_nodes, new_nodes_visitor *visit, void *data);

/* Warns that a node cannot be sampled, unless it has ended or lacks the wanted process. */
void new_nodes_refused(pid_t pid, int err);

#endif
