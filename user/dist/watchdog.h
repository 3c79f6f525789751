/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets breakpoints of the VM on a node. watchdog.erl, evaluated there, is the watchdog process that sets them, and
 * removes them on request, when the connection ends, or when functions are called too often. A local process without
 * privileges (watchdog_task.c) speaks with the node, because a node may send anything.
 */
#ifndef ERLBPF_DIST_WATCHDOG_H
#define ERLBPF_DIST_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process/side_process.h"
#include "target/target.h"

#define WATCHDOG_REASON 400

struct watchdog_function {
	const char *module, *name; /* UTF-8, without quotes */
	unsigned int arity;
};

struct watchdog_request {
	const char *cookie;
	const struct watchdog_function *functions;
	size_t count;
	unsigned long limit; /* more calls per second remove the breakpoints */
	bool entry_only;     /* count calls, do not measure them: cheaper for the node */
};

struct watchdog {
	struct side_process task; /* the local process; its fd is readable when there is a report */
	uint64_t *called;	  /* calls by function, as counted by the VM; owned */
	size_t functions;
	uint32_t asked, answered; /* tags */
	int64_t count;		  /* functions with a breakpoint */
	uint32_t number, serial;  /* of the watchdog's pid */
};

/*
 * Sets the breakpoints. 0, or -errno with the reason in `why`: then nothing has changed, and the connection is closed.
 */
int watchdog_start(struct watchdog *watchdog, const struct target *target, const struct watchdog_request *request,
		   char why[WATCHDOG_REASON]);

/* The last report of the watchdog. */
enum watchdog_state {
	WATCHDOG_RUNS,
	WATCHDOG_LIMIT,	    /* too many calls: breakpoints removed */
	WATCHDOG_KILLED,    /* the watchdog was killed: breakpoints removed */
	WATCHDOG_TRACED,    /* another tracer's functions are traced: breakpoints removed */
	WATCHDOG_GONE,	    /* connection closed, or the local process killed: breakpoints removed */
	WATCHDOG_DONE,	    /* breakpoints removed on request */
	WATCHDOG_COUNTS,    /* running; call counts received */
	WATCHDOG_CHALLENGE, /* before WATCHDOG_RUNS: the node asks for the proof of the cookie */
};

/* Commands to the watchdog. Each is answered with the call counts up to then. */
enum watchdog_command {
	WATCHDOG_COUNT, /* nothing more */
	WATCHDOG_ON,	/* measure calls (the initial state) */
	WATCHDOG_OFF,	/* count calls only, which costs next to nothing */
	WATCHDOG_STOP,	/* remove the breakpoints */
	WATCHDOG_COMMANDS,
};

enum watchdog_state watchdog_receive(struct watchdog *watchdog);

/* Sends a command without waiting for the answer. 0 or -errno. */
int watchdog_send(struct watchdog *watchdog, enum watchdog_command wish);

/* Waits for the answer to the last command. 0 or -errno; other reports stay for watchdog_receive(). */
int watchdog_wait(struct watchdog *watchdog, int ms);

/* Removes the breakpoints and closes the connection. The counts remain. */
void watchdog_stop(struct watchdog *watchdog);
bool watchdog_has_ended(const struct watchdog *watchdog);

/* After watchdog_stop(). */
void watchdog_free(struct watchdog *watchdog);

#endif
