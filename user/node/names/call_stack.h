/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Erlang stack of a process as functions, the newest first, from the node's memory. The process is not stopped: the
 * stack of a waiting process is exact; that of a running one is from its last call of a VM function.
 */
#ifndef ERLBPF_NODE_NAMES_CALL_STACK_H
#define ERLBPF_NODE_NAMES_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/naming.h"
#include "target/target.h"

#define CALL_STACK_MAX 8

/* Ids of the kind ERL_ID_MFA in bpf/erl.h, for naming_of_id(). */
struct call_stack {
	size_t count;
	uint64_t functions[CALL_STACK_MAX];
};

/* `fields` come from a copy of the process. Leaves `frames` empty if nothing is readable. */
void call_stack_read(const struct target *target, const struct name_fields *fields, bool is_running,
		     struct call_stack *frames);

struct called_code {
	uint64_t id;   /* of the same kind */
	uint64_t code; /* its start */
	bool is_near;  /* a relative call within the module */
};

/* The function called before a return address in Erlang code. False: unknown, such as apply/3. */
bool call_stack_called(const struct target *target, uint64_t address, struct called_code *called);

#endif
