/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that costs more with all that there is: tables that are searched, messages that are copied, lists that are gone
 * through, processes that are asked about themselves.
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

#define COSTLY_KNOWN 1024 /* functions of which it is remembered whether they are one */
#define COSTLY_SUBJECTS 8
#define COSTLY_DEPTH 3 /* newest frames in which one is told */
#define COSTLY_NAMES 64

struct costly_calls {
	struct costly_function {
		uint64_t function;
		int at; /* among those that chores.c knows, or less than 0: none */
	} known[COSTLY_KNOWN];
	uint64_t looks; /* at those that are not collected */
	struct {
		uint64_t hits, measured, large; /* large: of those of which an argument was measured */
	} of[COSTLY_CALLS];
	struct costly_subject {
		uint64_t id, hits;
	} tables[COSTLY_SUBJECTS], looked_up[COSTLY_SUBJECTS], inserted[COSTLY_SUBJECTS]; /* names of tables */
	struct costly_subject receivers[COSTLY_SUBJECTS];				  /* processes */
};

/* What a scheduler was found to do, with the arguments of what it called last. CHORES: none of them. */
enum costly_call costly_calls_look(struct costly_calls *chores, struct processes *processes,
				   const struct call_stack *frames, const uint64_t arguments[SCHEDULER_ARGUMENTS]);

/* Its share of what schedulers were found to do, without what is small. */
double costly_calls_share(const struct costly_calls *chores, enum costly_call chore);

/* What the names of its functions begin with, NULL behind the last one. Returns in how many frames they are looked for.
 */
size_t costly_calls_names(enum costly_call chore, const char *begins[COSTLY_NAMES]);

/* The id that was found most, 0: none was. */
uint64_t costly_calls_subject(const struct costly_subject subjects[COSTLY_SUBJECTS]);

#endif
