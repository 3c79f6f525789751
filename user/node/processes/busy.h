/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that are suspended because a port or the connection to another node is busy: its output buffer is full.
 * Read from the VM's lists.
 */
#ifndef ERLBPF_NODE_PROCESSES_BUSY_H
#define ERLBPF_NODE_PROCESSES_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "node/processes/ports.h"
#include "target/target.h"

struct busy_wait {
	uint64_t process;	   /* the suspended process */
	uint64_t port;		   /* 0: a connection */
	uint64_t peer;		   /* of a connection: the id of the node's name, an atom in bpf/erl.h */
	uint64_t queued;	   /* of a connection: bytes in the output buffer */
	uint64_t owner;		   /* of a port: its owner */
	char name[PORT_NAME_SIZE]; /* of a port, hostile: its command, or the driver */
};

/* At most `most` processes. Returns their number; 0 also if the release is unknown. */
size_t busy_read(const struct target *target, const struct erl_pid_layout *pids, struct busy_wait *waits, size_t most);

#endif
