/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waits for an answer of whom: calls of gen_server and the like. */
#ifndef ERLBPF_WHY_PROCESSES_PENDING_CALLS_H
#define ERLBPF_WHY_PROCESSES_PENDING_CALLS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "why/source/signs.h"

/* The process whose answer that one waits for now; 0: for none. */
uint64_t pending_call_server(struct processes *processes, const struct target *target, uint64_t id);

/* What one that waits has asked for. */
struct pending_call {
	uint64_t asked; /* the process of this node, 0: none */
	bool is_io;	/* input or output */
	bool is_remote; /* of another node */
	bool has_limit; /* it does not wait forever */
};

/* Of one that was looked at and waits. */
struct pending_call pending_call_of(struct processes *processes, const struct target *target,
				    const struct process_look *look, const struct call_stack *frames);

/*
 * If that one waits for an answer of a process that waits for one, ..., that waits for its own, and none of them did
 * anything since the reading before: how many they are, with one of the others into `other`. 0: no.
 */
size_t pending_call_circle(struct processes *processes, const struct target *target, uint64_t id, uint64_t *other);

#endif
