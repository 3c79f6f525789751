/* SPDX-License-Identifier: BSD-2-Clause */
/* Who calls one function of the VM again and again, from the same place and with the same arguments. */
#ifndef ERLBPF_WHY_REPEATS_H
#define ERLBPF_WHY_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"

#define REPEATED_MOST 64 /* processes that are told apart */
#define REPEATED_ARGUMENTS 2

struct repeated_calls {
	struct repeated_call {
		uint64_t id;
		struct call_stack frames; /* of the looks before */
		uint32_t looks, same;	  /* same: with these frames */
		uint32_t quick, slow;	  /* calls that ended at once, or after some us */
		struct repeated_argument {
			uint64_t term;
			uint32_t hits, misses;
		} arguments[REPEATED_ARGUMENTS];
	} all[REPEATED_MOST];
	size_t count;
};

/* A process was found so, with these first arguments of what it called last. */
void repeated_calls_look(struct repeated_calls *repeats, uint64_t id, const struct call_stack *frames,
			 const uint64_t *terms);

/* Follow the call that the i-th scheduler is in, of a process that was found so, until it ends or that takes long. */
void repeated_calls_time(struct repeated_calls *repeats, uint64_t id, const struct schedulers *schedulers, size_t i);

/* Is it one that asks for the same all the time? */
bool repeated_calls_is_loop(const struct repeated_calls *repeats, struct processes *processes, uint64_t id);

/* The share of the calls of a process that did not end at once; 0: that is not known. */
double repeated_calls_slow(const struct repeated_calls *repeats, uint64_t id);

#endif
