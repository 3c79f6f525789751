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

#define CHORES_KNOWN 1024 /* functions of which it is remembered whether they are one */
#define CHORE_SUBJECTS 8
#define CHORES_DEPTH 3 /* newest frames in which one is told */
#define CHORES_NAMES 64

struct chores {
	struct chore_function {
		uint64_t function;
		int at; /* among those that chores.c knows, or less than 0: none */
	} known[CHORES_KNOWN];
	uint64_t looks; /* at those that are not collected */
	struct {
		uint64_t hits, measured, large; /* large: of those of which an argument was measured */
	} of[CHORES];
	struct chore_subject {
		uint64_t id, hits;
	} tables[CHORE_SUBJECTS], looked_up[CHORE_SUBJECTS], inserted[CHORE_SUBJECTS]; /* names of tables */
	struct chore_subject receivers[CHORE_SUBJECTS];				       /* processes */
};

/* What a scheduler was found to do, with the arguments of what it called last. CHORES: none of them. */
enum chore chores_look(struct chores *chores, struct processes *processes, const struct call_stack *frames,
		       const uint64_t arguments[SCHEDULER_ARGUMENTS]);

/* Its share of what schedulers were found to do, without what is small. */
double chores_share(const struct chores *chores, enum chore chore);

/* What the names of its functions begin with, NULL behind the last one. Returns in how many frames they are looked for.
 */
size_t chores_names(enum chore chore, const char *begins[CHORES_NAMES]);

/* The id that was found most, 0: none was. */
uint64_t chores_subject(const struct chore_subject subjects[CHORE_SUBJECTS]);

#endif
