/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oldest function on the stack of an Erlang process. The stack is at the end of the block that starts with the
 * heap, and grows towards it. Its first word is the address where a process ends; then come the variables of the first
 * function that called another one, and its return address, which has its own tag (is_CP() in erl_term.h).
 * bpf/name.bpf.h reads the same words.
 */
#ifndef ERLBPF_NODE_CODE_STACK_H
#define ERLBPF_NODE_CODE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

/* From a copy of a struct process. */
struct stack_place {
	uint64_t heap, size, stop; /* address and words of the block, and the end of the stack */
};

/* Is a word of the stack a return address? */
bool stack_is_return(const struct stack_place *place, uint64_t word);

/* The words to read: their number, at most ERL_STACK_WORDS, and their address. 0: the stack has no function. */
size_t stack_words(const struct stack_place *place, uint64_t *address);

/*
 * The number of words up to the last (oldest) return address; 0: none. Call it again with the words before that one for
 * the next.
 */
size_t stack_oldest_return(const struct stack_place *place, const uint64_t *words, size_t count);

#endif
