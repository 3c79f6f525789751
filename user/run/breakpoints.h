/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints of the VM on the Erlang functions that the user names: which these are, and who holds them
 * (dist/guard.h). */
#ifndef ERLBPF_RUN_BREAKPOINTS_H
#define ERLBPF_RUN_BREAKPOINTS_H

#include "load/load.h"
#include "options.h"
#include "target/target.h"

struct breakpoints;

struct breakpoints_request {
	const char *glob; /* of functions */
	const char *cookie_file;
	uint64_t call_limit;
	char *const *atoms;    /* of its steps, FUNCTIONS_STEPS of them: see struct options */
	struct loader *loader; /* whose programs are told which functions these are */
};

#define BREAKPOINTS_WHY 512

/* NULL: the reason is in `why`, hostile, and nothing has changed. */
struct breakpoints *breakpoints_set(const struct target *target, const struct breakpoints_request *request, char *why);

/* Removes them; NULL is fine. */
void breakpoints_free(struct breakpoints *breakpoints);

/* Readable when the node has something to say, which breakpoints_hear() tells the user. */
int breakpoints_fd(const struct breakpoints *breakpoints);

/* False: they are gone, and there is nothing more to hear. */
bool breakpoints_hear(struct breakpoints *breakpoints, const struct target *target);

#endif
