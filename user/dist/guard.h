/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints of the VM on a node, and the process there that sets them and removes them: when it is told to, when we
 * are gone, however that comes about, and when functions are called too often. guard.erl is what it does. Who speaks
 * with the node is a process beside ours without any rights, since a node may send anything.
 */
#ifndef ERLBPF_DIST_GUARD_H
#define ERLBPF_DIST_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/side_process.h"
#include "target/target.h"

#define GUARD_WHY 400

struct guard_function {
	const char *module, *name; /* UTF-8, without quotes */
	unsigned int arity;
};

struct guard_request {
	const char *cookie;
	const struct guard_function *functions;
	size_t count;
	unsigned long limit; /* calls a second, with which they stay */
	bool entry_only;     /* returns are not asked for, which cost the node more */
};

struct guard {
	struct side_process task; /* which is connected; its fd is readable when there is something to hear */
	uint64_t *called;	  /* how often each function was, as the VM counts it; owned */
	size_t functions;
	uint32_t asked, answered; /* tags */
	int64_t count;		  /* of functions that have a breakpoint */
	uint32_t number, serial;  /* of the process on the node */
};

/* Sets them. 0, or -errno with the reason in `why`; then nothing was changed, and the connection is closed. */
int guard_set(struct guard *guard, const struct target *target, const struct guard_request *request,
	      char why[GUARD_WHY]);

/* What became of it: the connection is to be read when it is readable. */
enum guard_state {
	GUARD_WATCHES,
	GUARD_LIMIT,	  /* too many calls: it has removed them */
	GUARD_KILLED,	  /* somebody ended it; they are removed */
	GUARD_TRACED,	  /* it got messages of functions that are not ours; they are removed */
	GUARD_GONE,	  /* the connection is over, or who speaks with the node was killed; they are removed */
	GUARD_DONE,	  /* they are removed, as it was told */
	GUARD_CALLED,	  /* it watches, and has said how often functions were called */
	GUARD_CHALLENGED, /* before it watches: the node wants a proof that the cookie is known */
};

/* What the process on the node is asked for. It always answers with how often functions were called until then. */
enum guard_wish {
	GUARD_LOOK, /* nothing more */
	GUARD_ON,   /* the VM is to measure calls, as it does at first */
	GUARD_OFF,  /* it is to count them only, which costs it next to nothing */
	GUARD_STOP, /* they are to be removed */
	GUARD_WISHES,
};

enum guard_state guard_hear(struct guard *guard);

/* Nobody waits for it. 0 or -errno. */
int guard_ask(struct guard *guard, enum guard_wish wish);

/* Until the last wish is answered, so many ms at most. 0 or -errno; what became of the breakpoints is still to be
 * heard. */
int guard_wait(struct guard *guard, int ms);

/* Removes them and closes the connection. What was called stays known. */
void guard_end(struct guard *guard);
bool guard_has_ended(const struct guard *guard);

/* After guard_end(). */
void guard_free(struct guard *guard);

#endif
