/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports of a node, read from its memory. Nothing is stopped for it: one that is closed meanwhile may be among them.
 */
#ifndef ERLBPF_NODE_PROCESSES_PORTS_H
#define ERLBPF_NODE_PROCESSES_PORTS_H

#include <stddef.h>
#include <stdint.h>

#include "node/atoms/pids.h"
#include "target/target.h"

#define PORTS_BATCH 512
#define PORT_NAME_SIZE 64

/* Calls `visit` with the addresses of structures of ports, at most PORTS_BATCH at a time. */
void ports_each(const struct target *target, void (*visit)(void *data, const uint64_t *ports, size_t count),
		void *data);

/* Ids, 0: it could not be read. */
struct port_look {
	uint64_t id, owner; /* owner: the process that it belongs to */
};

void ports_look(const struct target *target, const struct erl_pid_layout *pids, const uint64_t *ports,
		struct port_look *looks, size_t count);

/* The file descriptors of ports for TCP, -1: it is another one, or cannot be read. */
void ports_sockets(const struct target *target, const uint64_t *ports, int *numbers, size_t count);

/* Hostile: the command that it runs, or the driver. "" if it cannot be read. */
void port_name(const struct target *target, uint64_t port, char name[PORT_NAME_SIZE]);

#endif
