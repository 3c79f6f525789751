/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling: a clock of each CPU, and the stacks that bpf/profile.bpf.c took of the nodes' threads. No probe is put into
 * a node, nothing is written there.
 */
#ifndef ERLBPF_PROFILE_SAMPLER_H
#define ERLBPF_PROFILE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/kernel/kernel.h"
#include "profile.h"
#include "target/target.h"

#define SAMPLER_STACKS (1u << 18) /* that are kept unless another number is asked for */

struct sampler_request {
	const struct kernel *kernel;
	unsigned int frequency; /* Hz, on each CPU */
	bool by_process;
	uint64_t process; /* only this one of each node (an id of bpf/erl.h); 0: all */
	size_t stacks;	  /* that are kept, what is beyond is counted as lost; 0: SAMPLER_STACKS */
};

struct sampler;

/* Loaded, not started. NULL and errno, with the reason printed. */
struct sampler *sampler_new(const struct sampler_request *request);
void sampler_free(struct sampler *sampler);

/*
 * Sample that node, too; `number` is what its stacks call it. Once more, and what it has got since is known: memory
 * with code, threads. 0; -ESRCH: it has no such process; or another -errno.
 */
int sampler_add(struct sampler *sampler, const struct target *target, uint16_t number);

/* No more: its process has ended. What was taken over of it stays. The number is free. */
void sampler_remove(struct sampler *sampler, const struct target *target, uint16_t number);

/* The programs, for who follows nodes with them: the sampler's. */
struct loader *sampler_loader(const struct sampler *sampler);

int sampler_start(struct sampler *sampler);
void sampler_stop(struct sampler *sampler);

/* Take over what was sampled, if it is much or if `at_once`. 0 or -errno. */
int sampler_take(struct sampler *sampler, bool at_once);

/* What was taken over; they are the sampler's. */
size_t sampler_count(const struct sampler *sampler);
const struct sample_stack *sampler_stack(const struct sampler *sampler, size_t i);

/* Let go of them: they have names. */
void sampler_forget(struct sampler *sampler);

/* By enum sample_total. */
uint64_t sampler_total(const struct sampler *sampler, enum sample_total total);

#endif
