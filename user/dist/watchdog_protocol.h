/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between watchdog.c and watchdog_task.c, the process that is connected to the node. watchdog.c sends an order
 * with the functions, then commands. The task asks once for the proof of the cookie, which it never gets itself,
 * reports the result of the order, and later the state of the breakpoints and the call counts. A hostile node may have
 * taken the task over, so its messages are untrusted.
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
	unsigned int ports[WATCHDOG_PORTS]; /* its TCP ports */
	uint32_t entry_only;
	uint32_t functions;
	uint32_t texts; /* bytes of text after the functions: names with their NUL */
};

/* In the order of the names. */
struct watchdog_order_function {
	uint32_t arity;
};

struct watchdog_command_message {
	uint32_t wish; /* enum watchdog_command */
	uint32_t tag;  /* returned by the answer; 0: unsolicited */
};

struct watchdog_report {
	int32_t err;	 /* result of the order: 0, or -errno with the reason */
	int32_t state;	 /* enum watchdog_state; WATCHDOG_CHALLENGE expects a struct handshake_proof */
	uint32_t tag;	 /* the challenge */
	uint32_t called; /* 64-bit call counts that follow, one per function */
	int64_t count;
	uint32_t number, serial; /* of the watchdog's pid; of a challenge: the port */
	char why[WATCHDOG_REASON];
};

/* Runs until its socket or the connection to the node closes. */
void watchdog_task(int fd);

#endif
