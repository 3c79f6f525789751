/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Continuous sampling of CPU time, of running nodes and those that start later. Each request moves the samples since
 * the last one into a profile.
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
	const struct options *nodes; /* selects nodes; borrowed */
	unsigned int frequency;	     /* Hz, on each CPU */
	uint64_t process;	     /* only this process of each node (an id of bpf/erl.h); 0: all */
	size_t stacks;		     /* stacks kept until they are added to a profile; 0: default */
	struct stack_merge_request join;
	struct name_style style;
};

/* Since the start. */
struct live_totals {
	uint64_t samples, lost; /* of nodes */
	size_t nodes;		/* now */
};

struct live;

/* Loads the program; the timers do not run yet. NULL and errno; the error is printed. */
struct live *live_new(const struct live_request *request);
void live_free(struct live *live); /* NULL-safe */

/* 0 or -errno; the error is printed. */
int live_start(struct live *live);

/*
 * Searches for nodes. Returns an enum exit_code; an error is printed if a process that the user named cannot be
 * sampled.
 */
int live_scan(struct live *live);

/* Call every LIVE_TURN_NS: reads stacks, and names of processes while they live. 0 or -errno. */
int live_turn(struct live *live);

/* Moves samples since the last call into the profile, in nanoseconds. 0 or -errno. */
int live_add(struct live *live, struct profile *profile);

struct live_totals live_totals(const struct live *live);

#endif
