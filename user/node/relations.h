/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a process is linked to, whom it monitors and who monitors it, read from the node's memory. Nothing is stopped for
 * it: what changes while it is read may be missing.
 */
#ifndef ERLBPF_NODE_RELATIONS_H
#define ERLBPF_NODE_RELATIONS_H

#include <stddef.h>
#include <stdint.h>

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

/* A node of a tree, and whose it is. */
struct relation_place {
	uint64_t node;
	size_t owner;
};

/*
 * Each place goes on to the node at the left below its own; those that have none are dropped. Returns how many are
 * left. A tree of N nodes goes down for at least half of log2(N) so, and costs no more to measure, however many it has.
 */
size_t relations_descend(const struct target *target, struct relation_place *places, size_t count);

/*
 * What the monitors of a tree are of, up to `most`: terms, 0 if it could not be read, NIL for an alias. Returns how
 * many there are.
 */
size_t relations_monitors(const struct target *target, uint64_t root, uint64_t *terms, size_t most);

/* Of the process whose structure is at that address. 0; -ENOENT if this release is not known, or -EFAULT. */
int relations_read(const struct target *target, uint64_t process, struct relations *relations);

#endif
