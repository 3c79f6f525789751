/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that were found in certain functions, or with these on the stack. */
#ifndef ERLBPF_WHY_SCHEDULERS_STACK_MATCH_H
#define ERLBPF_WHY_SCHEDULERS_STACK_MATCH_H

#include "why/schedulers/samples.h"

/*
 * Finds the process that was sampled most in one of the functions, within the newest `depth` frames. `begins`: prefixes
 * of names, such as "ets:insert", ended by NULL. The id of the process is 0 if there is none. Returns the number of
 * samples.
 */
uint64_t stack_match_most(struct processes *processes, const struct samples *samples, const char *const *begins,
			  size_t depth, struct sign_process *process);

/* Does the name of one of the newest frames have one of the prefixes? */
bool stack_match(struct processes *processes, const struct call_stack *frames, const char *const *begins, size_t depth);

#endif
