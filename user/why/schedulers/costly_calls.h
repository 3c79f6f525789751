/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls whose cost grows with their data: table searches, copies of messages, traversals of lists, queries about
 * processes.
 */
#ifndef ERLBPF_WHY_SCHEDULERS_COSTLY_CALLS_H
#define ERLBPF_WHY_SCHEDULERS_COSTLY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/names/call_stack.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/source/signs.h"

#define COSTLY_KNOWN 1024 /* cached functions */
#define COSTLY_SUBJECTS 8
#define COSTLY_DEPTH 3 /* newest frames that are compared */
#define COSTLY_NAMES 64

struct costly_calls {
	struct costly_function {
		uint64_t function;
		int at; /* index in costly_calls.c; negative: none */
	} known[COSTLY_KNOWN];
	uint64_t looks; /* samples without garbage collection */
	struct {
		uint64_t hits, measured, large; /* large: of the measured ones */
	} of[COSTLY_CALLS];
	struct costly_subject {
		uint64_t id, hits;
	} tables[COSTLY_SUBJECTS], looked_up[COSTLY_SUBJECTS], inserted[COSTLY_SUBJECTS]; /* names of tables */
	struct costly_subject receivers[COSTLY_SUBJECTS];				  /* processes */
};

/* Counts the call a scheduler was found in, with its arguments. Returns COSTLY_CALLS if it is not costly. */
enum costly_call costly_calls_look(struct costly_calls *chores, struct processes *processes,
				   const struct call_stack *frames, const uint64_t arguments[SCHEDULER_ARGUMENTS]);

/* The share of the samples in such calls, without small ones. */
double costly_calls_share(const struct costly_calls *chores, enum costly_call chore);

/* Prefixes of the names of its functions, ended by NULL. Returns the number of frames to compare. */
size_t costly_calls_names(enum costly_call chore, const char *begins[COSTLY_NAMES]);

/* The most frequent id; 0: none. */
uint64_t costly_calls_subject(const struct costly_subject subjects[COSTLY_SUBJECTS]);

#endif
