/* SPDX-License-Identifier: BSD-2-Clause */
/* ETS tables, from a node's memory. */
#ifndef ERLBPF_NODE_PROCESSES_TABLES_H
#define ERLBPF_NODE_PROCESSES_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "node/atoms/pids.h"
#include "node/processes/schedulers.h"
#include "target/target.h"

/* The name of the table of a term, named or not: the id of an atom. 0: no table, or unreadable. */
uint64_t table_name(const struct target *target, uint64_t term);

/* A table. Unreadable values are 0. */
struct table_look {
	uint64_t address, name, owner; /* name: id of an atom; owner: id of a process */
	uint64_t objects, bytes;
	bool is_bag; /* bag: insertion compares with all objects of the same key */
};

/* The number of tables. 0 also if the release is unknown. */
uint64_t tables_count(const struct target *target, const struct schedulers *schedulers);

/*
 * The newest tables of each scheduler, as many as fit in `looks`. The node is not stopped: a deletion may end a
 * scheduler's list early. Returns their number.
 */
size_t tables_read(const struct target *target, const struct erl_pid_layout *pids, const struct schedulers *schedulers,
		   struct table_look *looks, size_t room);

#endif
