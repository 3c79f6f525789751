/* SPDX-License-Identifier: BSD-2-Clause */
/* ETS tables, read from a node's memory. */
#ifndef ERLBPF_NODE_PROCESSES_TABLES_H
#define ERLBPF_NODE_PROCESSES_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "node/atoms/pids.h"
#include "node/processes/schedulers.h"
#include "target/target.h"

/* The name of the table that a term stands for, named or not: the id of an atom. 0: it is none, or cannot be read. */
uint64_t table_name(const struct target *target, uint64_t term);

/* A table. What could not be read is 0. */
struct table_look {
	uint64_t address, name, owner; /* name, owner: ids, of an atom and of a process */
	uint64_t objects, bytes;
	bool is_bag; /* an object of it is compared with all of the same key when it is inserted */
};

/* How many there are. 0 also where the release is not known. */
uint64_t tables_count(const struct target *target, const struct schedulers *schedulers);

/*
 * Those that were made last on each scheduler, as many as there is room for in `looks`. Nothing is stopped for it: what
 * is deleted meanwhile may end the list of a scheduler. Returns how many.
 */
size_t tables_read(const struct target *target, const struct erl_pid_layout *pids, const struct schedulers *schedulers,
		   struct table_look *looks, size_t room);

#endif
