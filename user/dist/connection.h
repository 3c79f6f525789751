/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection to a node of this machine, as a hidden node of ours: the distribution protocol, which erl_interface
 * speaks. Whoever holds one reads it often, since the node wants to hear that we live, and lets go of us otherwise.
 * Only the process beside ours that has no rights (guard_task.c) has one: what a node sends is decoded by
 * erl_interface.
 */
#ifndef ERLBPF_DIST_CONNECTION_H
#define ERLBPF_DIST_CONNECTION_H

/* Debian's library has erl_errno for each thread, which ei.h only says if this is set. */
#ifndef _REENTRANT
#define _REENTRANT
#endif
#include <ei.h>

#include "dist/guard.h"

#define CONNECTION_NAME 256

struct connection {
	ei_cnode node;
	int fd;
};

struct connection_to {
	const char *node; /* NAME@HOST */
	const char *cookie;
	pid_t ours; /* erlbpf_OURS@HOST is our name there */
};

/* Where a container has a network of its own, its ports are only there: for good, we do not come back. */
void connection_enter(pid_t pid);

/* 0, or -errno with the reason in `why`. */
int connection_open(struct connection *connection, const struct connection_to *to, char why[GUARD_WHY]);
void connection_close(struct connection *connection);

/*
 * Call a function of the node: `args` is a list. What comes is in `result`, from its beginning, and is nothing that can
 * be relied on. 0 or -errno.
 */
int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result);

/*
 * What the node has to say within so many ms. 1: a message is in `text`, of which the same holds; 0: nothing of
 * interest; -errno: the connection is over.
 */
int connection_hear(struct connection *connection, unsigned int ms, ei_x_buff *text);

#endif
