/* SPDX-License-Identifier: BSD-2-Clause */
/* A process as people know it: pid, name, what it does. */
#ifndef ERLBPF_WHY_SOURCE_SIGN_PROCESS_H
#define ERLBPF_WHY_SOURCE_SIGN_PROCESS_H

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "why/source/signs.h"

/* `frames` may be NULL or empty: then they are read, if the process lives. */
void sign_process_fill(struct processes *processes, uint64_t id, const struct call_stack *frames,
		       struct sign_process *process);

/* The text of an id of a function, "" if it is none. */
void sign_function(struct processes *processes, uint64_t function, char text[SIGN_NAME]);

#endif
