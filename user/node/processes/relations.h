/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a process is linked to, whom it monitors and who monitors it, read from the node's memory. Nothing is stopped for
 * it: what changes while it is read may be missing.
 */
#ifndef ERLBPF_NODE_PROCESSES_RELATIONS_H
#define ERLBPF_NODE_PROCESSES_RELATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "node/processes/trees.h"
#include "target/target.h"

#define RELATIONS_MAX 32

/* Terms of pids, ports, or of what else is monitored. */
struct relation_list {
	uint64_t terms[RELATIONS_MAX]; /* the first of them */
	size_t count;		       /* of all, as far as they were followed */
};

struct relations {
	struct relation_list links, monitors, monitored_by;
	uint64_t asked; /* of the monitors, the one of a call with a time limit (gen:call()) that waits for its answer;
			   0: none */
};

/* Of the tree of monitors that a process has made: process->monitors. Values are terms of what they are of, NIL or the
 * process itself for an alias. 0, or -ENOENT if this release is not known. */
int relations_monitors(const struct target *target, struct tree_shape *shape);

/* Of the process whose structure is at that address. 0; -ENOENT if this release is not known, or -EFAULT. */
int relations_read(const struct target *target, uint64_t process, struct relations *relations);

#endif
