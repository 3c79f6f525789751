// SPDX-License-Identifier: BSD-2-Clause
/*
 * After the handshake, a packet is a length (four bytes), 'p' (PASS_THROUGH), a control message and, for some of these,
 * a message. A packet of length 0 is a tick and is answered by a tick.
 * Source: "Protocol between Connected Nodes" of erl_dist_protocol (ERTS User's Guide).
 */
#include "dist/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "dist/external.h"

#define CONNECT_MS 10000 /* long enough for a loaded machine */
#define CALL_MS 20000
#define NAMES 8			  /* connections of erlbpf to one node at once */
#define MAX_PACKET (32u << 20)	  /* longest packet accepted */
#define EPMD_PORT_PLEASE2_REQ 122 /* 'z' */
#define EPMD_PORT2_RESP 119
#define PASS_THROUGH 112
#define PACKET_HEAD 5 /* length and 'p' */

enum { OP_SEND = 2, OP_REG_SEND = 6, OP_SEND_SENDER = 22 };

void connection_enter(pid_t pid)
{
	_cleanup_close_ int theirs = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	theirs = open(path, O_RDONLY | O_CLOEXEC);
	/* If the namespace cannot be entered, it is usually ours as well; otherwise the connection is refused. */
	if (theirs >= 0)
		(void)setns(theirs, CLONE_NEWNET);
}

static uint64_t in_ms(int ms)
{
	return duration_now() + (uint64_t)ms * NS_PER_MS;
}

/* A descriptor or -errno. */
static int call_port(unsigned int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* The port that epmd knows for a name, 0 if it knows none, or -errno if there is no usable epmd. */
static int ask_epmd(unsigned int epmd_port, const char *alive)
{
	_cleanup_close_ int fd = call_port(epmd_port);
	size_t length = strlen(alive);
	unsigned char ask[3 + CONNECTION_NAME] = { (unsigned char)((length + 1) >> 8), (unsigned char)(length + 1),
						   EPMD_PORT_PLEASE2_REQ };
	unsigned char answer[4];
	uint64_t until = in_ms(CONNECT_MS);
	int err = fd < 0 ? fd : 0;

	memcpy(ask + 3, alive, length);
	if (!err)
		err = handshake_send(fd, ask, 3 + length, until);
	if (!err)
		err = handshake_receive(fd, answer, 2, until);
	if (!err && (answer[0] != EPMD_PORT2_RESP || answer[1]))
		return answer[0] == EPMD_PORT2_RESP ? 0 : -EPROTO;
	if (!err)
		err = handshake_receive(fd, answer + 2, 2, until);
	return err ? err : answer[2] << 8 | answer[3];
}

static bool is_among(const struct connection_to *to, unsigned int port)
{
	for (size_t i = 0; i < to->port_count; i++) {
		if (to->ports[i] == port)
			return true;
	}
	return false;
}

/*
 * Any process can claim to be epmd, so its answer is used only if the node itself listens on that port. 0, with the
 * reason in `why`: no port.
 */
static unsigned int find_port(const struct connection_to *to, const char *alive, char why[WATCHDOG_REASON])
{
	int port = ask_epmd(to->epmd_port, alive);

	if (port > 0 && is_among(to, (unsigned int)port))
		return (unsigned int)port;
	if (port > 0)
		snprintf(why, WATCHDOG_REASON,
			 "the epmd on 127.0.0.1 says that its port is %d, where this process does not listen", port);
	else if (to->port_count == 1)
		return to->ports[0];
	else if (!to->port_count)
		snprintf(why, WATCHDOG_REASON, "it does not listen on any port");
	else if (!port)
		snprintf(why, WATCHDOG_REASON,
			 "the epmd on 127.0.0.1 does not know %s, and it listens on several ports", to->node);
	else
		snprintf(why, WATCHDOG_REASON, "there is no epmd on 127.0.0.1, which would know its port");
	return 0;
}

/* The proof is for this port. */
struct prover {
	const struct connection_to *to;
	unsigned int port;
};

static int prove(void *data, uint32_t challenge, struct handshake_proof *proof)
{
	const struct prover *prover = data;

	return prover->to->prove(prover->to->data, prover->port, challenge, proof);
}

/* Connects under one name. 0, -EEXIST (name in use) or another -errno. */
static int open_as(struct connection *c, const struct connection_to *to, unsigned int port, unsigned int number)
{
	struct prover prover = { to, port };
	struct handshake handshake = {
		.us = c->us,
		.node = to->node,
		.creation = c->creation,
		.until_ns = in_ms(CONNECT_MS),
		.prove = prove,
		.data = &prover,
	};
	const char *host = strchr(to->node, '@');
	int err;

	/* Uses the node's host name: a node with long names refuses short ones. */
	snprintf(c->us, sizeof(c->us), number ? "erlbpf_%u%s" : "erlbpf%.0u%s", number, host ? host : "@");
	c->fd = handshake.fd = call_port(port);
	if (c->fd < 0)
		return c->fd;
	err = handshake_run(&handshake);
	if (err)
		connection_close(c);
	return err;
}

static void explain(int err, char why[WATCHDOG_REASON])
{
	switch (err) {
	case -EACCES:
		snprintf(why, WATCHDOG_REASON,
			 "it refuses the connection: the cookie is wrong, or the node lets nobody in");
		break;
	case -EEXIST: snprintf(why, WATCHDOG_REASON, "%d runs of erlbpf are connected to it already", NAMES); break;
	case -ECONNREFUSED: snprintf(why, WATCHDOG_REASON, "nothing answers on 127.0.0.1 at its port"); break;
	case -ETIMEDOUT: snprintf(why, WATCHDOG_REASON, "it did not answer within %d s", CONNECT_MS / 1000); break;
	case -EPROTO: snprintf(why, WATCHDOG_REASON, "what listens at its port does not answer as a node does"); break;
	default: snprintf(why, WATCHDOG_REASON, "the connection ended: %s", strerror(-err)); break;
	}
}

int connection_open(struct connection *connection, const struct connection_to *to, char why[WATCHDOG_REASON])
{
	const char *at = strchr(to->node, '@');
	char alive[CONNECTION_NAME];
	unsigned int port;
	int err = -EEXIST;

	*connection = (struct connection){ .fd = -1 };
	snprintf(alive, sizeof(alive), "%.*s", (int)(at ? at - to->node : 0), to->node);
	port = find_port(to, alive, why);
	if (!port)
		return -ECONNREFUSED;
	if (getrandom(&connection->creation, sizeof(connection->creation), 0) < 0)
		return -errno;
	connection->creation |= 4; /* creations up to 3 belong to old nodes */
	for (unsigned int number = 0; err == -EEXIST && number < NAMES; number++)
		err = open_as(connection, to, port, number);
	if (err)
		explain(err, why);
	return err ? -ECONNREFUSED : 0;
}

void connection_close(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

/* Packets. */

static void begin_packet(ei_x_buff *packet)
{
	static const char head[PACKET_HEAD] = { 0, 0, 0, 0, PASS_THROUGH };

	ei_x_append_buf(packet, head, sizeof(head));
	ei_x_encode_version(packet);
}

static int send_packet(struct connection *c, ei_x_buff *packet)
{
	uint32_t length = htonl((uint32_t)packet->index - (uint32_t)sizeof(length));

	memcpy(packet->buff, &length, sizeof(length));
	return handshake_send(c->fd, packet->buff, (size_t)packet->index, in_ms(CALL_MS));
}

static erlang_pid our_pid(const struct connection *c)
{
	erlang_pid pid = { .num = 1, .creation = c->creation };

	snprintf(pid.node, sizeof(pid.node), "%s", c->us);
	return pid;
}

int connection_send(struct connection *connection, const erlang_pid *to, const ei_x_buff *message)
{
	ei_x_buff packet;
	int err;

	if (ei_x_new(&packet))
		return -ENOMEM;
	begin_packet(&packet);
	ei_x_encode_tuple_header(&packet, 3);
	ei_x_encode_long(&packet, OP_SEND);
	ei_x_encode_atom(&packet, "");
	ei_x_encode_pid(&packet, to);
	err = ei_x_append(&packet, message) ? -ENOMEM : send_packet(connection, &packet);
	ei_x_free(&packet);
	return err;
}

/* {Us, {call, Module, Function, Args, user}} to the process rex. */
static int send_call(struct connection *c, const char *module, const char *function, const ei_x_buff *args)
{
	erlang_pid us = our_pid(c);
	ei_x_buff packet;
	int err;

	if (ei_x_new(&packet))
		return -ENOMEM;
	begin_packet(&packet);
	ei_x_encode_tuple_header(&packet, 4);
	ei_x_encode_long(&packet, OP_REG_SEND);
	ei_x_encode_pid(&packet, &us);
	ei_x_encode_atom(&packet, "");
	ei_x_encode_atom(&packet, "rex");
	ei_x_encode_version(&packet);
	ei_x_encode_tuple_header(&packet, 2);
	ei_x_encode_pid(&packet, &us);
	ei_x_encode_tuple_header(&packet, 5);
	ei_x_encode_atom(&packet, "call");
	ei_x_encode_atom(&packet, module);
	ei_x_encode_atom(&packet, function);
	err = ei_x_append(&packet, args) ? -ENOMEM : 0;
	ei_x_encode_atom(&packet, "user");
	if (!err)
		err = send_packet(c, &packet);
	ei_x_free(&packet);
	return err;
}

/* Limits the buffer to this size. */
static int make_room(ei_x_buff *buffer, size_t size)
{
	char *room = realloc(buffer->buff, size);

	if (!room)
		return -ENOMEM;
	*buffer = (ei_x_buff){ .buff = room, .buffsz = (int)size };
	return 0;
}

/* Leaves only the message of a packet in its buffer. False: the packet has none for us. */
static bool take_message(ei_x_buff *packet)
{
	size_t size = (size_t)packet->buffsz, end;
	int at = 2, arity;
	long op;

	if (size < 3 || packet->buff[0] != PASS_THROUGH)
		return false;
	end = external_end(packet->buff, size, 2);
	if (!end || ei_decode_tuple_header(packet->buff, &at, &arity) || arity < 1 ||
	    ei_decode_long(packet->buff, &at, &op) || (op != OP_SEND && op != OP_REG_SEND && op != OP_SEND_SENDER))
		return false;
	memmove(packet->buff, packet->buff + end, size - end);
	packet->buffsz = (int)(size - end);
	return true;
}

/* Receives one packet that starts to arrive in time. 1: `to` has its message; 0: no message; -errno. */
static int receive(struct connection *c, uint64_t until_ns, ei_x_buff *to)
{
	static const uint32_t tick;
	uint32_t length;
	int err = handshake_receive(c->fd, &length, sizeof(length), until_ns);

	length = ntohl(length);
	if (!err && !length)
		return handshake_send(c->fd, &tick, sizeof(tick), until_ns);
	if (!err && length > MAX_PACKET)
		err = -EPROTO;
	if (!err)
		err = make_room(to, length);
	if (!err)
		err = handshake_receive(c->fd, to->buff, length, until_ns);
	return err ? err : take_message(to);
}

int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result)
{
	uint64_t until = in_ms(CALL_MS);
	int got = send_call(connection, module, function, args);

	while (!got)
		got = receive(connection, until, result);
	return got > 0 ? 0 : got;
}

int connection_hear(struct connection *connection, unsigned int ms, ei_x_buff *text)
{
	struct pollfd fd = { .fd = connection->fd, .events = POLLIN };

	return poll(&fd, 1, (int)ms) > 0 ? receive(connection, in_ms(CALL_MS), text) : 0;
}
