/* SPDX-License-Identifier: BSD-2-Clause */
/* Pending calls: which process waits for a reply of which (gen_server:call/2 and the like). */
#ifndef ERLBPF_WHY_PROCESSES_PENDING_CALLS_H
#define ERLBPF_WHY_PROCESSES_PENDING_CALLS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "why/source/signs.h"

/* The process whose reply `id` waits for; 0: none. */
uint64_t pending_call_server(struct processes *processes, const struct target *target, uint64_t id);

/* A call that a process waits for. */
struct pending_call {
	uint64_t asked; /* the server, if it is on this node; 0: none */
	bool is_io;	/* an I/O request */
	bool is_remote; /* of another node */
	bool has_limit; /* it has a timeout */
};

/* The call of a process that waits. */
struct pending_call pending_call_of(struct processes *processes, const struct target *target,
				    const struct process_look *look, const struct call_stack *frames);

/*
 * The length of the cycle if `id` waits for a reply of a process that waits, ..., for `id`, and all were idle since the
 * previous reading, and one of the others in `other`. 0: no cycle.
 */
size_t pending_call_circle(struct processes *processes, const struct target *target, uint64_t id, uint64_t *other);

#endif
