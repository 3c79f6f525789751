/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes are suspended because a port or the connection to another node is busy: more waits to be written than
 * may. Read from the lists that the VM keeps of them.
 */
#ifndef ERLBPF_NODE_PROCESSES_BUSY_H
#define ERLBPF_NODE_PROCESSES_BUSY_H

#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "node/processes/ports.h"
#include "target/target.h"

struct busy_wait {
	uint64_t process;	   /* who is suspended */
	uint64_t port;		   /* 0: it is a connection */
	uint64_t peer;		   /* of a connection: the id of the node's name, an atom; bpf/erl.h */
	uint64_t queued;	   /* of a connection: bytes that wait to be written */
	uint64_t owner;		   /* of a port: the process that it belongs to */
	char name[PORT_NAME_SIZE]; /* of a port, hostile: the command that it runs, or the driver */
};

/* At most `most` of them. Returns how many; 0 also where the release is not known. */
size_t busy_read(const struct target *target, const struct erl_pid_layout *pids, struct busy_wait *waits, size_t most);

#endif
