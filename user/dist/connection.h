/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection to a node of this machine as a hidden node, by the distribution protocol. The owner must read it often
 * to answer ticks; otherwise the node closes it. Only the process without privileges (watchdog_task.c) opens one,
 * because erl_interface decodes what the node sends.
 */
#ifndef ERLBPF_DIST_CONNECTION_H
#define ERLBPF_DIST_CONNECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Debian's library has a thread-local erl_errno, which ei.h declares only with this macro. */
#ifndef _REENTRANT
#define _REENTRANT
#endif
#include <ei.h>

#include "dist/watchdog.h"
#include "dist/handshake.h"

#define CONNECTION_NAME 256

struct connection {
	int fd;
	char us[CONNECTION_NAME]; /* our name; one of a few, because a node never forgets a name */
	uint32_t creation;
};

struct connection_to {
	const char *node;	   /* NAME@HOST */
	const unsigned int *ports; /* all TCP ports on which the node listens */
	size_t port_count;
	unsigned int epmd_port; /* epmd, which knows the port of the distribution */
	/* See struct handshake; `port` is the port that was called. */
	int (*prove)(void *data, unsigned int port, uint32_t challenge, struct handshake_proof *proof);
	void *data;
};

/* Enters the network namespace of the node's container, for the rest of this process. */
void connection_enter(pid_t pid);

/* 0, or -errno with the reason in `why`. */
int connection_open(struct connection *connection, const struct connection_to *to, char why[WATCHDOG_REASON]);
void connection_close(struct connection *connection);

/* Calls a function on the node. `args` is a list; `result` gets the whole, untrusted answer. 0 or -errno. */
int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result);

/* Sends a message, which begins with the format's version, to a process of the node. 0 or -errno. */
int connection_send(struct connection *connection, const erlang_pid *to, const ei_x_buff *message);

/* Waits at most `ms` for a message. 1: `text` has it, untrusted; 0: nothing for us; -errno: the connection ended. */
int connection_hear(struct connection *connection, unsigned int ms, ei_x_buff *text);

#endif
