/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling that goes on: the processor time of nodes that run and of those that start later. What was sampled becomes
 * part of a profile whenever somebody asks for it, and is forgotten here.
 */
#ifndef ERLBPF_PROFILE_LIVE_H
#define ERLBPF_PROFILE_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "node/atoms/spelling.h"
#include "options.h"
#include "profile/stack_merge.h"

#define LIVE_TURN_NS (250 * 1000000ULL)

struct live_request {
	const struct kernel *kernel;
	const struct options *nodes; /* which ones; it must outlive it */
	unsigned int frequency;	     /* Hz, on each CPU */
	uint64_t process;	     /* of each node only this one (an id of bpf/erl.h); 0: all */
	size_t stacks;		     /* that are kept until they are added to a profile; 0: the usual number */
	struct stack_merge_request join;
	struct name_style style;
};

/* Since the beginning. */
struct live_totals {
	uint64_t samples, lost; /* of nodes */
	size_t nodes;		/* now */
};

struct live;

/* Loaded; no clock runs. NULL and errno, with the reason printed. */
struct live *live_new(const struct live_request *request);
void live_free(struct live *live); /* NULL-safe */

/* 0 or -errno, explained. */
int live_start(struct live *live);

/* Look for nodes. An enum exit_code, explained where the user has named a process that cannot be sampled. */
int live_scan(struct live *live);

/* Every LIVE_TURN_NS: take over stacks, and ask processes for their names while they live. 0 or -errno. */
int live_turn(struct live *live);

/* What was sampled since the last time becomes part of the profile, in nanoseconds. 0 or -errno. */
int live_add(struct live *live, struct profile *profile);

struct live_totals live_totals(const struct live *live);

#endif
