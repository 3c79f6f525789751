/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stack of a sample's parts: the Erlang process's, then the code of C that it has called, then the kernel's. What
 * is no function is a frame of its own: a collection, a port's work, a scheduler that looks for work.
 */
#ifndef ERLBPF_PROFILE_JOIN_H
#define ERLBPF_PROFILE_JOIN_H

#include "flame/profile.h"
#include "node/names/naming.h"
#include "profile.h"
#include "profile/names.h"

struct symbols;

enum join_by { JOIN_NOTHING, JOIN_PID, JOIN_NAME, JOIN_MFA, JOIN_NODE, JOIN_SCHEDULER };

struct join_request {
	enum join_by by;
	const char *function; /* a pattern: only stacks that have such a function; NULL: all */
};

/* A node that is sampled. */
struct join_node {
	const char *name;
	struct names *names;
};

/* What was seen of what there are no functions for. */
struct join_counts {
	uint64_t waiting; /* samples of schedulers that look for work */
	uint64_t unknown; /* of processes whose stack could not be found */
	uint64_t torn;	  /* whose stack could not be read to its end */
	uint64_t cut;	  /* that had more frames than are kept */
	uint64_t left_out;
};

/* What stacks are added to, and how. */
struct join {
	struct profile *profile;
	const struct join_request *request;
	struct symbols *kernel;
	struct join_counts *counts;
};

/* Adds the stack, `weight` for each sample; `state`: why its process does not run, NULL: it does. */
void join_add(const struct join *join, const struct join_node *node, const struct sample_stack *stack, uint64_t weight,
	      const char *state);

/* It was sampled: what its names are made of is read while the node lives. */
void join_meet(struct names *names, const struct sample_stack *stack);

/* Which lock the process of the stack waits for, as a frame; NULL: it waits for none. `name`: the lock's, or "". */
#define JOIN_LOCK_SIZE (NAME_SIZE + 64)
const char *join_lock(const struct sample_stack *stack, const char *name, char text[JOIN_LOCK_SIZE]);

#endif
