/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Erlang stack of a process as functions, the newest first, read from the node's memory. The process is not
 * stopped: of one that waits the stack is exact, of one that runs it is that of when it last called a function of the
 * VM.
 */
#ifndef ERLBPF_NODE_NAMES_CALL_STACK_H
#define ERLBPF_NODE_NAMES_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/naming.h"
#include "target/target.h"

#define CALL_STACK_MAX 8

/* Ids of bpf/erl.h of the kind ERL_ID_MFA, for naming_of_id(). */
struct call_stack {
	size_t count;
	uint64_t functions[CALL_STACK_MAX];
};

/* `fields` are of a copy of the process, which runs or not. Leaves `frames` empty if nothing can be read. */
void call_stack_read(const struct target *target, const struct name_fields *fields, bool is_running,
		     struct call_stack *frames);

struct called_code {
	uint64_t id;   /* of the same kind */
	uint64_t code; /* where it begins */
	bool is_near;  /* it is of the same module, and called by its address */
};

/* What the call before an address of Erlang code is of. False: that cannot be told, as of a call by apply/3. */
bool call_stack_called(const struct target *target, uint64_t address, struct called_code *called);

#endif
