/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that nobody accepts. */
#ifndef ERLBPF_WHY_HOST_ACCEPT_QUEUE_H
#define ERLBPF_WHY_HOST_ACCEPT_QUEUE_H

#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "target/socket_table.h"
#include "why/source/signs.h"

#define ACCEPT_QUEUES 16

/* Sockets that listen, of any process, at which connections waited in all looks so far. */
struct accept_queues {
	struct accept_socket {
		uint64_t inode;
		unsigned int port, least, waiting;
	} at[ACCEPT_QUEUES];
	size_t count;
	bool is_begun;
};

/* Some times while a node is watched. */
void accept_queue_look(struct accept_queues *accepts, pid_t pid);

/* Into signs->unaccepted: the socket of the node where most wait, and whose it is. */
void accept_queue_finish(const struct accept_queues *accepts, const struct erl_pid_layout *pids,
			 struct processes *processes, struct signs *signs);

#endif
