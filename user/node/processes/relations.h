/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links and monitors of a process, in both directions, from the node's memory. The node is not stopped: what changes
 * during the read may be missing.
 */
#ifndef ERLBPF_NODE_PROCESSES_RELATIONS_H
#define ERLBPF_NODE_PROCESSES_RELATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "node/processes/trees.h"
#include "target/target.h"

#define RELATIONS_MAX 32

/* Terms of pids, ports, or other monitored objects. */
struct relation_list {
	uint64_t terms[RELATIONS_MAX]; /* the first ones */
	size_t count;		       /* all that were followed */
};

struct relations {
	struct relation_list links, monitors, monitored_by;
	uint64_t asked; /* of monitors: the process whose reply a call with a timeout (gen:call()) awaits; 0: none */
};

/*
 * The shape of the tree of monitors that a process created: process->monitors. Values are terms of monitored objects,
 * NIL or the process itself for an alias. 0, or -ENOENT if the release is unknown.
 */
int relations_monitors(const struct target *target, struct tree_shape *shape);

/* Reads those of the process whose structure is at that address. 0; -ENOENT if the release is unknown, or -EFAULT. */
int relations_read(const struct target *target, uint64_t process, struct relations *relations);

#endif
