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

#define REPEATS_MOST 64 /* processes that are told apart */
#define REPEATS_ARGUMENTS 2

struct repeats {
	struct repeat {
		uint64_t id;
		struct call_stack frames; /* of the looks before */
		uint32_t looks, same;	  /* same: with these frames */
		uint32_t quick, slow;	  /* calls that ended at once, or after some us */
		struct repeat_argument {
			uint64_t term;
			uint32_t hits, misses;
		} arguments[REPEATS_ARGUMENTS];
	} all[REPEATS_MOST];
	size_t count;
};

/* A process was found so, with these first arguments of what it called last. */
void repeats_look(struct repeats *repeats, uint64_t id, const struct call_stack *frames, const uint64_t *terms);

/* Follow the call that the i-th scheduler is in, of a process that was found so, until it ends or that takes long. */
void repeats_time(struct repeats *repeats, uint64_t id, const struct schedulers *schedulers, size_t i);

/* Is it one that asks for the same all the time? */
bool repeats_is_one(const struct repeats *repeats, struct processes *processes, uint64_t id);

/* The share of the calls of a process that did not end at once; 0: that is not known. */
double repeats_slow(const struct repeats *repeats, uint64_t id);

#endif
