/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints of the VM on a node, and the process there that sets them and removes them: when it is told to, when we
 * are gone, however that comes about, and when functions are called too often. guard.erl is what it does.
 */
#ifndef ERLBPF_DIST_GUARD_H
#define ERLBPF_DIST_GUARD_H

#include "dist/connection.h"

struct guard_function {
	const char *module, *name; /* UTF-8, without quotes */
	unsigned int arity;
};

struct guard_request {
	const char *cookie;
	const struct guard_function *functions;
	size_t count;
	unsigned long limit; /* calls a second, with which they stay */
};

struct guard {
	struct connection connection;
	erlang_pid pid;
	long count; /* of functions that have a breakpoint */
};

/* Sets them. 0, or -errno with the reason in `why`; then nothing was changed, and the connection is closed. */
int guard_set(struct guard *guard, const struct target *target, const struct guard_request *request,
	      char why[CONNECTION_WHY]);

/* What became of it: the connection is to be read when it is readable. */
enum guard_state {
	GUARD_WATCHES,
	GUARD_LIMIT,  /* too many calls: it has removed them */
	GUARD_KILLED, /* somebody ended it; they are removed */
	GUARD_TRACED, /* it got messages of functions that are not ours; they are removed */
	GUARD_GONE,   /* the connection is over; they are removed */
	GUARD_DONE,   /* they are removed, as it was told */
};

enum guard_state guard_hear(struct guard *guard);

/* Removes them and closes the connection. */
void guard_end(struct guard *guard);

#endif
