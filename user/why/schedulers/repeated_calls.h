/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that call one function of the VM repeatedly, from the same place with the same arguments. */
#ifndef ERLBPF_WHY_REPEATS_H
#define ERLBPF_WHY_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"

#define REPEATED_MOST 64 /* processes counted separately */
#define REPEATED_ARGUMENTS 2

struct repeated_calls {
	struct repeated_call {
		uint64_t id;
		struct call_stack frames; /* of the previous samples */
		uint32_t looks, same;	  /* same: with these frames */
		uint32_t quick, slow;	  /* calls that ended at once, or after some us */
		struct repeated_argument {
			uint64_t term;
			uint32_t hits, misses;
		} arguments[REPEATED_ARGUMENTS];
	} all[REPEATED_MOST];
	size_t count;
};

/* Counts a sample, with the first arguments of the last call. */
void repeated_calls_look(struct repeated_calls *repeats, uint64_t id, const struct call_stack *frames,
			 const uint64_t *terms);

/* Follows the present call of the i-th scheduler until it ends, or until it takes long. */
void repeated_calls_time(struct repeated_calls *repeats, uint64_t id, const struct schedulers *schedulers, size_t i);

/* Does the process repeat the same call? */
bool repeated_calls_is_loop(const struct repeated_calls *repeats, struct processes *processes, uint64_t id);

/* The share of the calls of a process that did not end at once; 0: not known. */
double repeated_calls_slow(const struct repeated_calls *repeats, uint64_t id);

#endif
