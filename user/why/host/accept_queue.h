/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that nobody accepts. */
#ifndef ERLBPF_WHY_HOST_ACCEPT_QUEUE_H
#define ERLBPF_WHY_HOST_ACCEPT_QUEUE_H

#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "target/socket_table.h"
#include "why/source/signs.h"

#define ACCEPTS_FEW 16

/* Sockets that listen, of any process, at which connections waited in all looks so far. */
struct accepts {
	struct accepts_at {
		uint64_t inode;
		unsigned int port, floor, waiting;
	} at[ACCEPTS_FEW];
	size_t count;
	bool is_begun;
};

/* Some times while a node is watched. */
void accepts_look(struct accepts *accepts, pid_t pid);

/* Into signs->unaccepted: the socket of the node where most wait, and whose it is. */
void accepts_finish(const struct accepts *accepts, const struct erl_pid_layout *pids, struct processes *processes,
		    struct signs *signs);

#endif
