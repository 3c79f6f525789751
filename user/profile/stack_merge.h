/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the parts of a sample into one stack: the Erlang process, the C code that it calls, the kernel. Work without a
 * function has a frame of its own: garbage collection, a port, a scheduler that searches for work.
 */
#ifndef ERLBPF_PROFILE_STACK_MERGE_H
#define ERLBPF_PROFILE_STACK_MERGE_H

#include "flame/profile.h"
#include "node/names/naming.h"
#include "profile.h"
#include "profile/names.h"

struct symbols;

enum stack_merge_by {
	STACK_MERGE_NOTHING,
	STACK_MERGE_PID,
	STACK_MERGE_NAME,
	STACK_MERGE_MFA,
	STACK_MERGE_NODE,
	STACK_MERGE_SCHEDULER
};

struct stack_merge_request {
	enum stack_merge_by by;
	const char *function; /* pattern of a function that stacks must contain; NULL: all stacks */
};

/* A sampled node. */
struct stack_merge_node {
	const char *name;
	struct names *names;
};

/* Samples without functions. */
struct stack_merge_counts {
	uint64_t waiting; /* schedulers searching for work */
	uint64_t unknown; /* processes whose stack was not found */
	uint64_t torn;	  /* stacks that could not be read to the end */
	uint64_t cut;	  /* stacks with more frames than recorded */
	uint64_t left_out;
};

/* The profile that stacks are added to, and options. */
struct stack_merge {
	struct profile *profile;
	const struct stack_merge_request *request;
	struct symbols *kernel;
	struct stack_merge_counts *counts;
};

/* Adds a stack with `weight` for each sample; `state`: why its process does not run; NULL: it runs. */
void stack_merge_add(const struct stack_merge *join, const struct stack_merge_node *node,
		     const struct sample_stack *stack, uint64_t weight, const char *state);

/* Reads the names of a new stack while the node lives. */
void join_meet(struct names *names, const struct sample_stack *stack);

/* Adds a frame for the lock that the stack waits for; NULL: none. `name`: the lock's name, or "". */
#define STACK_MERGE_LOCK_SIZE (NAME_SIZE + 64)
const char *join_lock(const struct sample_stack *stack, const char *name, char text[STACK_MERGE_LOCK_SIZE]);

#endif
