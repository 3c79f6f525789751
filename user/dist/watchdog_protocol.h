/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between watchdog.c, which asks for breakpoints, and watchdog_task.c, the process beside ours that is connected to the
 * node. It gets an order and the functions behind it, then wishes. It asks once for a proof that the cookie is known,
 * which it never has itself, says once what came of the order, and later what became of the breakpoints, and what the
 * node answers to a wish: how often each function was called. What it says may be made by the node, if that has taken
 * it over.
 */
#ifndef ERLBPF_DIST_WATCHDOG_PROTOCOL_H
#define ERLBPF_DIST_WATCHDOG_PROTOCOL_H

#include <stdint.h>
#include <sys/types.h>

#include "dist/watchdog.h"

#define WATCHDOG_PORTS 64

struct watchdog_order {
	char node[256];
	uint64_t limit;
	pid_t pid; /* of the node */
	uint32_t epmd_port;
	uint32_t port_count;
	unsigned int ports[WATCHDOG_PORTS]; /* on which it listens */
	uint32_t entry_only;
	uint32_t functions;
	uint32_t texts; /* bytes that follow them: the names, each with its NUL */
};

/* In the order of the names. */
struct watchdog_order_function {
	uint32_t arity;
};

struct watchdog_command_message {
	uint32_t wish; /* enum watchdog_command */
	uint32_t tag;  /* that the answer has; 0: nobody has asked */
};

struct watchdog_report {
	int32_t err;	 /* of the order: 0 or -errno, with the reason */
	int32_t state;	 /* later: enum watchdog_state; before: WATCHDOG_CHALLENGE, then a struct handshake_proof is the
			  * answer
			  */
	uint32_t tag;	 /* the challenge */
	uint32_t called; /* numbers of 64 bits that follow: calls by function, in the order of the order */
	int64_t count;
	uint32_t number, serial; /* of the process on the node; of a challenge, the port */
	char why[WATCHDOG_REASON];
};

/* Runs until its socket says that we are gone, or the connection to the node is over. */
void watchdog_task(int fd);

#endif
