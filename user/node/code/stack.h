/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The oldest function on the stack of an Erlang process. The stack is at the end of the block that the heap begins, and
 * grows towards it. Its first word is where a process goes on that has nothing left to do; then come the variables of
 * the first function that has called another one, and the address where that function goes on, which has a tag of its
 * own (is_CP() of erl_term.h). bpf/name.bpf.h looks at the same words.
 */
#ifndef ERLBPF_NODE_CODE_STACK_H
#define ERLBPF_NODE_CODE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

/* What a copy of a struct process says of it. */
struct stack_place {
	uint64_t heap, size, stop; /* where the block is, its words, and where the stack ends */
};

/* Is a word of the stack an address where a function goes on? */
bool stack_is_return(const struct stack_place *place, uint64_t word);

/* The words to be read: how many, at most ERL_STACK_WORDS, and from where on. 0: there is no function on it. */
size_t stack_words(const struct stack_place *place, uint64_t *address);

/*
 * How many of the words there are up to the last one, the oldest, that is an address where a function goes on; 0: none
 * is. Of those before it, the next call finds the oldest.
 */
size_t stack_oldest_return(const struct stack_place *place, const uint64_t *words, size_t count);

#endif
