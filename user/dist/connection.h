/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection to a node of this machine, as a hidden node of ours: the distribution protocol, which erl_interface
 * speaks. Whoever holds one reads it often, since the node wants to hear that we live, and lets go of us otherwise.
 */
#ifndef ERLBPF_DIST_CONNECTION_H
#define ERLBPF_DIST_CONNECTION_H

/* Debian's library has erl_errno for each thread, which ei.h only says if this is set. */
#ifndef _REENTRANT
#define _REENTRANT
#endif
#include <ei.h>

#include "target/target.h"

struct connection {
	ei_cnode node;
	int fd;
};

#define CONNECTION_WHY 400

/* 0, or -errno with the reason in `why`. */
int connection_open(struct connection *connection, const struct target *target, const char *cookie,
		    char why[CONNECTION_WHY]);
void connection_close(struct connection *connection);

/* Call a function of the node: `args` is a list. The result in `result`, from its beginning. 0 or -errno. */
int connection_call(struct connection *connection, const char *module, const char *function, const ei_x_buff *args,
		    ei_x_buff *result);

/*
 * What the node has to say within so many ms. 1: an atom was sent to us, which is in `atom`; 0: nothing of interest;
 * -errno: the connection is over.
 */
int connection_hear(struct connection *connection, unsigned int ms, char atom[MAXATOMLEN]);

#endif
