/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling: a timer on each CPU, and the stacks of nodes' threads from bpf/profile.bpf.c. Attaches no probe to a node
 * and writes nothing there.
 */
#ifndef ERLBPF_PROFILE_SAMPLER_H
#define ERLBPF_PROFILE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "profile.h"
#include "target/target.h"

#define SAMPLER_STACKS (1u << 18) /* default number of stacks */

struct sampler_request {
	const struct kernel *kernel;
	unsigned int frequency; /* Hz, on each CPU */
	bool by_process;
	uint64_t process; /* only this process of each node (an id of bpf/erl.h); 0: all */
	size_t stacks;	  /* number of stacks, others count as lost; 0: SAMPLER_STACKS */
};

struct sampler;

/* Loads the program without starting it. NULL and errno; the error is printed. */
struct sampler *sampler_new(const struct sampler_request *request);
void sampler_free(struct sampler *sampler);

/*
 * Adds a node; `number` identifies it in stacks. Again for the same node: updates its code memory and threads. 0;
 * -ESRCH: it lacks the wanted process; or another -errno.
 */
int sampler_add(struct sampler *sampler, const struct target *target, uint16_t number);

/* Removes a node whose process has ended. Stacks already read stay; the number is free. */
void sampler_remove(struct sampler *sampler, const struct target *target, uint16_t number);

/* The loaded programs, for a follower; owned by the sampler. */
struct loader *sampler_loader(const struct sampler *sampler);

int sampler_start(struct sampler *sampler);
void sampler_stop(struct sampler *sampler);

/* Reads the sampled stacks, if there are many or `at_once`. 0 or -errno. */
int sampler_take(struct sampler *sampler, bool at_once);

/* The stacks read so far; owned by the sampler. */
size_t sampler_count(const struct sampler *sampler);
const struct sample_stack *sampler_stack(const struct sampler *sampler, size_t i);

/* Frees them after they were named. */
void sampler_forget(struct sampler *sampler);

/* By enum sample_total. */
uint64_t sampler_total(const struct sampler *sampler, enum sample_total total);

#endif
