/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stack of a sample's parts: the Erlang process's, then the code of C that it has called, then the kernel's. What
 * is no function is a frame of its own: a collection, a port's work, a scheduler that looks for work.
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
	const char *function; /* a pattern: only stacks that have such a function; NULL: all */
};

/* A node that is sampled. */
struct stack_merge_node {
	const char *name;
	struct names *names;
};

/* What was seen of what there are no functions for. */
struct stack_merge_counts {
	uint64_t waiting; /* samples of schedulers that look for work */
	uint64_t unknown; /* of processes whose stack could not be found */
	uint64_t torn;	  /* whose stack could not be read to its end */
	uint64_t cut;	  /* that had more frames than are kept */
	uint64_t left_out;
};

/* What stacks are added to, and how. */
struct stack_merge {
	struct profile *profile;
	const struct stack_merge_request *request;
	struct symbols *kernel;
	struct stack_merge_counts *counts;
};

/* Adds the stack, `weight` for each sample; `state`: why its process does not run, NULL: it does. */
void stack_merge_add(const struct stack_merge *join, const struct stack_merge_node *node,
		     const struct sample_stack *stack, uint64_t weight, const char *state);

/* It was sampled: what its names are made of is read while the node lives. */
void join_meet(struct names *names, const struct sample_stack *stack);

/* Which lock the process of the stack waits for, as a frame; NULL: it waits for none. `name`: the lock's, or "". */
#define STACK_MERGE_LOCK_SIZE (NAME_SIZE + 64)
const char *join_lock(const struct sample_stack *stack, const char *name, char text[STACK_MERGE_LOCK_SIZE]);

#endif
