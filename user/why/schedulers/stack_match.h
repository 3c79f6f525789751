/* SPDX-License-Identifier: BSD-2-Clause */
/* Who was found running in certain functions, or with them on its stack. */
#ifndef ERLBPF_WHY_SCHEDULERS_STACK_MATCH_H
#define ERLBPF_WHY_SCHEDULERS_STACK_MATCH_H

#include "why/schedulers/samples.h"

/*
 * The process that was found most in one of the functions, within so many of the newest frames. `begins` are begins of
 * their names, "ets:insert", up to NULL. Into `who`, whose id is 0 if there is none. Returns in how many stacks.
 */
uint64_t stack_match_most(struct processes *processes, const struct samples *samples, const char *const *begins,
			  size_t depth, struct sign_process *process);

/* Is it the begin of the name of one of the newest frames? */
bool stack_match(struct processes *processes, const struct call_stack *frames, const char *const *begins, size_t depth);

#endif
