/* SPDX-License-Identifier: BSD-2-Clause */
/* The Erlang functions of a node that the user means, and what programs are told of them. */
#ifndef ERLBPF_ERLANG_ERLANG_CHOICE_H
#define ERLBPF_ERLANG_ERLANG_CHOICE_H

#include "base/text.h"
#include "dist/watchdog.h"
#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "erlang/breakpoints.h"

#define ERLANG_NAME_SIZE (2 * ATOM_MAX_BYTES + 8)

struct chosen_function {
	struct code_function code;
	uint64_t globs; /* that match it, a bit for each */
};

/* Zeroed at first, but for the target. */
struct erlang_choice {
	const struct target *target;
	char *patterns[BREAKPOINTS_GLOBS]; /* without quotes; owned */
	size_t pattern_count;
	struct atoms *atoms;
	struct chosen_function *functions;
	struct watchdog_function *named; /* the same, as text; owned */
	size_t count;
	uint64_t returning; /* the code by which the VM hears of a return, which its frames lead to; 0: not known */
	struct text_near near;
	char nearest[ERLANG_NAME_SIZE];
};

/* 0 or -errno, with the reason in `why` of BREAKPOINTS_WHY; to be freed in any case. */
int erlang_choice_make(struct erlang_choice *choice, const struct breakpoints_request *request, char *why);
void erlang_choice_free(struct erlang_choice *choice);

/* A function as programs have it. */
uint64_t erlang_choice_id(const struct erlang_choice *choice, size_t i);

/* Names as the node is told of them. 0 or -ENOMEM. */
int erlang_choice_name(struct erlang_choice *choice);

/* The programs are to know whose hits these are, and what the atoms of --when are on this node. 0 or -errno. */
int erlang_choice_tell(const struct erlang_choice *choice, const struct breakpoints_request *request);

/* The same of one function, or of a process whose calls do not count. */
int erlang_choice_want(const struct breakpoints_request *request, const struct target *target, uint64_t id,
		       uint64_t globs);

#endif
