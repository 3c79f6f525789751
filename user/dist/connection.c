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
#include "target/procfs.h"

#define CONNECT_MS 3000
#define CALL_MS 20000

/* Does the node want TLS? It says so on its command line (-proto_dist inet_tls). */
static bool has_tls(pid_t pid)
{
	size_t size = 0;
	_cleanup_free_ char *line = procfs_read(pid, "cmdline", &size);
	static const char word[] = "inet_tls";

	return line && (memmem(line, size, word, sizeof(word)) || memmem(line, size, "inet6_tls", 10));
}

/* Where a container has a network of its own, its ports are only there. An fd of ours to come back to, or -1. */
static int enter_network(pid_t pid)
{
	char path[64];
	_cleanup_close_ int theirs = -1;
	int ours = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	theirs = open(path, O_RDONLY | O_CLOEXEC);
	if (ours >= 0 && theirs >= 0 && !setns(theirs, CLONE_NEWNET))
		return ours;
	if (ours >= 0)
		close(ours);
	return -1;
}

static void leave_network(int ours)
{
	if (ours < 0)
		return;
	/* Who cannot come back is where nothing else of erlbpf looks for ports. */
	(void)setns(ours, CLONE_NEWNET);
	close(ours);
}

/* "erlbpf_PID@HOST", on the host of the node: it takes nobody whose name is short where its own is long. */
static int init_node(ei_cnode *node, const char *host, const char *cookie)
{
	char alive[32], name[MAXNODELEN + 1];
	Erl_IpAddr address = &(struct in_addr){ htonl(INADDR_LOOPBACK) };

	snprintf(alive, sizeof(alive), "erlbpf_%d", getpid());
	snprintf(name, sizeof(name), "%s@%s", alive, host);
	return ei_connect_xinit(node, host, alive, name, address, cookie, 0);
}

/* `got`: what erl_interface returned for want of a descriptor. */
static void explain(const struct target *target, int got, char why[CONNECTION_WHY])
{
	if (has_tls(target->pid))
		snprintf(why, CONNECTION_WHY, "its distribution uses TLS, which is not supported");
	else if (got == ERL_NO_DAEMON)
		snprintf(why, CONNECTION_WHY, "there is no epmd on 127.0.0.1, which would know its port");
	else if (got == ERL_NO_PORT)
		snprintf(why, CONNECTION_WHY, "the epmd on 127.0.0.1 does not know %s", target->node);
	else if (got == ERL_CONNECT_FAIL)
		snprintf(why, CONNECTION_WHY, "nothing answers on 127.0.0.1 at the port that epmd knows");
	else if (got == ERL_TIMEOUT || erl_errno == ETIMEDOUT)
		snprintf(why, CONNECTION_WHY, "it did not answer within %d s", CONNECT_MS / 1000);
	else
		snprintf(why, CONNECTION_WHY,
			 "it refuses the connection: the cookie is wrong, or the node lets nobody in");
}

int connection_open(struct connection *connection, const struct target *target, const char *cookie,
		    char why[CONNECTION_WHY])
{
	const char *at = strchr(target->node, '@');
	char alive[sizeof(target->node)];
	struct in_addr loopback = { htonl(INADDR_LOOPBACK) };
	int ours;

	connection->fd = -1;
	snprintf(alive, sizeof(alive), "%.*s", (int)(at ? at - target->node : 0), target->node);
	if (!at || !at[1]) {
		snprintf(why, CONNECTION_WHY,
			 "it is not distributed (it has no name), so that nothing can be asked of it");
		return -ENOTCONN;
	}
	if (ei_init() || init_node(&connection->node, at + 1, cookie) < 0) {
		snprintf(why, CONNECTION_WHY, "there is no node name for us beside %s", target->node);
		return -EINVAL;
	}
	ours = enter_network(target->pid);
	connection->fd = ei_xconnect_tmo(&connection->node, &loopback, alive, CONNECT_MS);
	leave_network(ours);
	if (connection->fd < 0) {
		explain(target, connection->fd, why);
		return -ECONNREFUSED;
	}
	fcntl(connection->fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

void connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		ei_close_connection(connection->fd);
	connection->fd = -1;
}

/* The result is in {rex, Result}. */
static int enter_result(ei_x_buff *result)
{
	int version, arity;
	char rex[MAXATOMLEN];

	result->index = 0;
	if (ei_decode_version(result->buff, &result->index, &version) ||
	    ei_decode_tuple_header(result->buff, &result->index, &arity) || arity != 2 ||
	    ei_decode_atom(result->buff, &result->index, rex))
		return -EPROTO;
	return 0;
}

int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result)
{
	erlang_msg message;
	int got;

	if (ei_rpc_to(&connection->node, connection->fd, (char *)module, (char *)function, args->buff, args->index) < 0)
		return -EPIPE;
	do {
		result->index = 0;
		got = ei_rpc_from(&connection->node, connection->fd, CALL_MS, &message, result);
	} while (got == ERL_TICK);
	return got == ERL_MSG ? enter_result(result) : got == ERL_TIMEOUT ? -ETIMEDOUT : -EPIPE;
}

int connection_hear(struct connection *connection, unsigned int ms, char atom[MAXATOMLEN])
{
	ei_x_buff text;
	erlang_msg message;
	int got, version, at = 0, result = 0;

	if (ei_x_new(&text))
		return -ENOMEM;
	got = ei_xreceive_msg_tmo(connection->fd, &message, &text, ms);
	if (got == ERL_ERROR && erl_errno != ETIMEDOUT)
		result = -EPIPE;
	else if (got == ERL_MSG && !ei_decode_version(text.buff, &at, &version) &&
		 !ei_decode_atom(text.buff, &at, atom))
		result = 1;
	ei_x_free(&text);
	return result;
}
