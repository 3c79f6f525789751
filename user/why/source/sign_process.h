/* SPDX-License-Identifier: BSD-2-Clause */
/* A process as an operator knows it: pid, name, function, stack. */
#ifndef ERLBPF_WHY_SOURCE_SIGN_PROCESS_H
#define ERLBPF_WHY_SOURCE_SIGN_PROCESS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "why/source/signs.h"

/* `frames` may be NULL or empty: then the stack is read, if the process is alive. */
void sign_process_fill(struct processes *processes, uint64_t id, const struct call_stack *frames,
		       struct sign_process *process);

/* The name of a function by its id; "" if it has none. */
void sign_function(struct processes *processes, uint64_t function, char text[SIGN_NAME]);

#endif
