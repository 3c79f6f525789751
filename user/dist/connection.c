// SPDX-License-Identifier: BSD-2-Clause
#include "dist/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define CONNECT_MS 10000 /* of a machine that has much else to do */
#define CALL_MS 20000

void connection_enter(pid_t pid)
{
	_cleanup_close_ int theirs = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	theirs = open(path, O_RDONLY | O_CLOEXEC);
	/* Where that cannot be, it is mostly ours as well; else nobody answers. */
	if (theirs >= 0)
		(void)setns(theirs, CLONE_NEWNET);
}

/* "erlbpf_PID@HOST", on the host of the node: it takes nobody whose name is short where its own is long. */
static int init_node(ei_cnode *node, const char *host, const struct connection_to *to)
{
	char alive[32], name[MAXNODELEN + 1];
	Erl_IpAddr address = &(struct in_addr){ htonl(INADDR_LOOPBACK) };

	snprintf(alive, sizeof(alive), "erlbpf_%d", to->ours);
	snprintf(name, sizeof(name), "%s@%s", alive, host);
	return ei_connect_xinit(node, host, alive, name, address, to->cookie, 0);
}

/* `got`: what erl_interface returned for want of a descriptor. */
static void explain(const char *node, int got, char why[GUARD_WHY])
{
	if (got == ERL_NO_DAEMON)
		snprintf(why, GUARD_WHY, "there is no epmd on 127.0.0.1, which would know its port");
	else if (got == ERL_NO_PORT)
		snprintf(why, GUARD_WHY, "the epmd on 127.0.0.1 does not know %s", node);
	else if (got == ERL_CONNECT_FAIL)
		snprintf(why, GUARD_WHY, "nothing answers on 127.0.0.1 at the port that epmd knows");
	else if (got == ERL_TIMEOUT || erl_errno == ETIMEDOUT)
		snprintf(why, GUARD_WHY, "it did not answer within %d s", CONNECT_MS / 1000);
	else
		snprintf(why, GUARD_WHY, "it refuses the connection: the cookie is wrong, or the node lets nobody in");
}

int connection_open(struct connection *connection, const struct connection_to *to, char why[GUARD_WHY])
{
	const char *at = strchr(to->node, '@');
	char alive[CONNECTION_NAME];
	struct in_addr loopback = { htonl(INADDR_LOOPBACK) };

	connection->fd = -1;
	snprintf(alive, sizeof(alive), "%.*s", (int)(at ? at - to->node : 0), to->node);
	if (ei_init() || init_node(&connection->node, at ? at + 1 : "", to) < 0) {
		snprintf(why, GUARD_WHY, "there is no node name for us beside %s", to->node);
		return -EINVAL;
	}
	connection->fd = ei_xconnect_tmo(&connection->node, &loopback, alive, CONNECT_MS);
	if (connection->fd >= 0)
		return 0;
	explain(to->node, connection->fd, why);
	return -ECONNREFUSED;
}

void connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		ei_close_connection(connection->fd);
	connection->fd = -1;
}

/* A message may come without a term. What the buffer had before is no part of it. */
static void forget(ei_x_buff *buffer)
{
	buffer->index = 0;
	if (buffer->buffsz)
		buffer->buff[0] = 0; /* no version of the format */
}

int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result)
{
	erlang_msg message;
	int got;

	if (ei_rpc_to(&connection->node, connection->fd, (char *)module, (char *)function, args->buff, args->index) < 0)
		return -EPIPE;
	do {
		forget(result);
		got = ei_rpc_from(&connection->node, connection->fd, CALL_MS, &message, result);
	} while (got == ERL_TICK);
	return got == ERL_MSG ? 0 : got == ERL_TIMEOUT ? -ETIMEDOUT : -EPIPE;
}

int connection_hear(struct connection *connection, unsigned int ms, ei_x_buff *text)
{
	erlang_msg message;
	int got;

	forget(text);
	got = ei_xreceive_msg_tmo(connection->fd, &message, text, ms);
	if (got == ERL_ERROR && erl_errno != ETIMEDOUT)
		return -EPIPE;
	return got == ERL_MSG;
}
