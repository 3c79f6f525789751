/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection to a node of this machine, as a hidden node of ours: the distribution protocol. Whoever holds one reads
 * it often, since the node wants to hear that we live, and closes it otherwise. Only the process beside ours that has
 * no rights (watchdog_task.c) has one: erl_interface decodes what a node sends.
 */
#ifndef ERLBPF_DIST_CONNECTION_H
#define ERLBPF_DIST_CONNECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Debian's library has erl_errno for each thread, which ei.h only says if this is set. */
#ifndef _REENTRANT
#define _REENTRANT
#endif
#include <ei.h>

#include "dist/watchdog.h"
#include "dist/handshake.h"

#define CONNECTION_NAME 256

struct connection {
	int fd;
	char us[CONNECTION_NAME]; /* our name on the node: one of a few, since the node never forgets a name */
	uint32_t creation;
};

struct connection_to {
	const char *node;	   /* NAME@HOST */
	const unsigned int *ports; /* on which the node listens, whatever for */
	size_t port_count;
	unsigned int epmd_port; /* who knows which of them is the one */
	/* As of struct handshake, for a node that is called on this port. */
	int (*prove)(void *data, unsigned int port, uint32_t challenge, struct handshake_proof *proof);
	void *data;
};

/* Where a container has a network of its own, its ports are only there: for good, we do not come back. */
void connection_enter(pid_t pid);

/* 0, or -errno with the reason in `why`. */
int connection_open(struct connection *connection, const struct connection_to *to, char why[WATCHDOG_REASON]);
void connection_close(struct connection *connection);

/*
 * Call a function of the node: `args` is a list. What comes is in `result`, all of it, from its beginning, and is
 * nothing that can be relied on. 0 or -errno.
 */
int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result);

/* A message, with the version of the format, to a process of the node. 0 or -errno. */
int connection_send(struct connection *connection, const erlang_pid *to, const ei_x_buff *message);

/*
 * What the node has to say within so many ms. 1: a message is in `text`, of which the same holds; 0: nothing of
 * interest; -errno: the connection is over.
 */
int connection_hear(struct connection *connection, unsigned int ms, ei_x_buff *text);

#endif
