// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel completes connections before the node accepts them, and keeps them in a queue of the listening socket. A
 * burst stays for a moment; a connection that is there each time waits. The ports of the node tell the owner of the
 * socket by its file descriptor. Sockets of the module socket have no port.
 *
 * Source: get_tcp4_sock() of net/ipv4/tcp_ipv4.c.
 */
#include <stddef.h>

#include "node/atoms/pids.h"
#include "node/processes/ports.h"
#include "node/processes/processes.h"
#include "target/socket_table.h"
#include "why/source/sign_process.h"
#include "why/source/signs.h"
#include "why/source/source.h"

#define ACCEPT_QUEUES 16

/* Listening sockets of any process with waiting connections in all samples so far. */
struct accept_queues {
	struct accept_socket {
		uint64_t inode;
		unsigned int port, least, waiting;
	} at[ACCEPT_QUEUES];
	size_t count;
	bool is_begun;
};

struct wanted {
	const struct target *target;
	const struct erl_pid_layout *pids;
	int number;
	uint64_t owner;
};

static const struct socket_listener *find(const struct socket_listener *all, size_t count, uint64_t inode)
{
	for (size_t i = 0; i < count; i++) {
		if (all[i].inode == inode)
			return &all[i];
	}
	return NULL;
}

static void begin(struct accept_queues *a, const struct socket_listener *now, size_t count)
{
	a->is_begun = true;
	for (size_t i = 0; i < count; i++)
		a->at[a->count++] = (struct accept_socket){
			.inode = now[i].inode,
			.port = now[i].port,
			.least = now[i].waiting,
			.waiting = now[i].waiting,
		};
}

static void accept_queue_look(struct accept_queues *a, pid_t pid)
{
	struct socket_listener now[ACCEPT_QUEUES];
	size_t count = socket_listeners(pid, now, ACCEPT_QUEUES), kept = 0;

	if (!a->is_begun) {
		begin(a, now, count);
		return;
	}
	for (size_t i = 0; i < a->count; i++) {
		const struct socket_listener *same = find(now, count, a->at[i].inode);

		if (!same)
			continue;
		a->at[kept] = a->at[i];
		a->at[kept].waiting = same->waiting;
		if (same->waiting < a->at[kept].least)
			a->at[kept].least = same->waiting;
		kept++;
	}
	a->count = kept;
}

static void look_for_owner(void *data, const uint64_t *ports, size_t count)
{
	struct port_look looks[PORTS_BATCH];
	struct wanted *wanted = data;
	int numbers[PORTS_BATCH];

	if (wanted->owner)
		return;
	ports_sockets(wanted->target, ports, numbers, count);
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] != wanted->number)
			continue;
		ports_look(wanted->target, wanted->pids, &ports[i], looks, 1);
		wanted->owner = looks[0].owner;
	}
}

static void accept_queue_finish(const struct accept_queues *a, const struct erl_pid_layout *pids,
				struct processes *processes, struct signs *signs)
{
	struct wanted wanted = { .target = processes_target(processes), .pids = pids };
	struct sign_accept_queue *sign = &signs->accept_queue;

	for (size_t i = 0; i < a->count; i++) {
		int number = a->at[i].least > sign->least ? socket_number(wanted.target->pid, a->at[i].inode) : -1;

		if (number < 0)
			continue;
		wanted.number = number;
		sign->port = a->at[i].port;
		sign->least = a->at[i].least;
		sign->waiting = a->at[i].waiting;
	}
	if (!sign->least)
		return;
	ports_each(wanted.target, look_for_owner, &wanted);
	sign_process_fill(processes, wanted.owner, NULL, &sign->process);
}

static void source_read(void *state, struct why_node *node)
{
	accept_queue_look(state, node->target->pid);
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	accept_queue_finish(state, &node->pids, node->processes, signs);
}

const struct why_source accept_queue_source = {
	.size = sizeof(struct accept_queues),
	.read = source_read,
	.finish = source_finish,
};
