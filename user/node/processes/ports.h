/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports of a node, from its memory. The node is not stopped: a port that closes meanwhile may be included. */
#ifndef ERLBPF_NODE_PROCESSES_PORTS_H
#define ERLBPF_NODE_PROCESSES_PORTS_H

#include <stddef.h>
#include <stdint.h>

#include "node/atoms/pids.h"
#include "target/target.h"

#define PORTS_BATCH 512
#define PORT_NAME_SIZE 64

/* Calls `visit` with the addresses of port structures, at most PORTS_BATCH at a time. */
void ports_each(const struct target *target, void (*visit)(void *data, const uint64_t *ports, size_t count),
		void *data);

/* Ids, 0: unreadable. */
struct port_look {
	uint64_t id, owner; /* owner: its process */
};

void ports_look(const struct target *target, const struct erl_pid_layout *pids, const uint64_t *ports,
		struct port_look *looks, size_t count);

/* The file descriptors of TCP ports, -1: another kind, or unreadable. */
void ports_sockets(const struct target *target, const uint64_t *ports, int *numbers, size_t count);

/* Hostile: its command, or the driver. "" if unreadable. */
void port_name(const struct target *target, uint64_t port, char name[PORT_NAME_SIZE]);

#endif
