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
	int64_t count;		  /* of functions that have a breakpoint */
	uint32_t number, serial;  /* of the process on the node */
};

/* Sets them. 0, or -errno with the reason in `why`; then nothing was changed, and the connection is closed. */
int guard_set(struct guard *guard, const struct target *target, const struct guard_request *request,
	      char why[GUARD_WHY]);

/* What became of it: the connection is to be read when it is readable. */
enum guard_state {
	GUARD_WATCHES,
	GUARD_LIMIT,  /* too many calls: it has removed them */
	GUARD_KILLED, /* somebody ended it; they are removed */
	GUARD_TRACED, /* it got messages of functions that are not ours; they are removed */
	GUARD_GONE,   /* the connection is over, or who speaks with the node was killed; they are removed */
	GUARD_DONE,   /* they are removed, as it was told */
};

enum guard_state guard_hear(struct guard *guard);

/* Removes them and closes the connection. */
void guard_end(struct guard *guard);

#endif
