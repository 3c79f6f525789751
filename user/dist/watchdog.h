/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints of the VM on a node, and the process there that sets them and removes them: when it is told to, when we
 * are gone, however that comes about, and when functions are called too often. watchdog.erl is what it does. Who speaks
 * with the node is a process beside ours without any rights, since a node may send anything.
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
	unsigned long limit; /* calls a second, with which they stay */
	bool entry_only;     /* returns are not asked for, which cost the node more */
};

struct watchdog {
	struct side_process task; /* which is connected; its fd is readable when there is something to hear */
	uint64_t *called;	  /* how often each function was, as the VM counts it; owned */
	size_t functions;
	uint32_t asked, answered; /* tags */
	int64_t count;		  /* of functions that have a breakpoint */
	uint32_t number, serial;  /* of the process on the node */
};

/* Sets them. 0, or -errno with the reason in `why`; then nothing was changed, and the connection is closed. */
int watchdog_start(struct watchdog *watchdog, const struct target *target, const struct watchdog_request *request,
		   char why[WATCHDOG_REASON]);

/* What became of it: the connection is to be read when it is readable. */
enum watchdog_state {
	WATCHDOG_RUNS,
	WATCHDOG_LIMIT,	    /* too many calls: it has removed them */
	WATCHDOG_KILLED,    /* somebody ended it; they are removed */
	WATCHDOG_TRACED,    /* it got messages of functions that are not ours; they are removed */
	WATCHDOG_GONE,	    /* the connection is over, or who speaks with the node was killed; they are removed */
	WATCHDOG_DONE,	    /* they are removed, as it was told */
	WATCHDOG_COUNTS,    /* it watches, and has said how often functions were called */
	WATCHDOG_CHALLENGE, /* before it watches: the node wants a proof that the cookie is known */
};

/* What the process on the node is asked for. It always answers with how often functions were called until then. */
enum watchdog_command {
	WATCHDOG_COUNT, /* nothing more */
	WATCHDOG_ON,	/* the VM is to measure calls, as it does at first */
	WATCHDOG_OFF,	/* it is to count them only, which costs it next to nothing */
	WATCHDOG_STOP,	/* they are to be removed */
	WATCHDOG_COMMANDS,
};

enum watchdog_state watchdog_receive(struct watchdog *watchdog);

/* Nobody waits for it. 0 or -errno. */
int watchdog_send(struct watchdog *watchdog, enum watchdog_command wish);

/* Until the last wish is answered, so many ms at most. 0 or -errno; what became of the breakpoints is still to be
 * heard. */
int watchdog_wait(struct watchdog *watchdog, int ms);

/* Removes them and closes the connection. What was called stays known. */
void watchdog_stop(struct watchdog *watchdog);
bool watchdog_has_ended(const struct watchdog *watchdog);

/* After watchdog_stop(). */
void watchdog_free(struct watchdog *watchdog);

#endif
