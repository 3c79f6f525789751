/* SPDX-License-Identifier: BSD-2-Clause */
/* How often Erlang functions were called in an interval, as the VMs count it (erlang/breakpoints.h). */
#ifndef ERLBPF_RESULTS_CALLED_H
#define ERLBPF_RESULTS_CALLED_H

#include "counter.h"
#include "trace/follow.h"

struct called_function {
	uint32_t os_id;
	uint64_t id, calls, looked; /* see struct breakpoints_called */
};

/* Zeroed at first. */
struct called {
	struct called_function *functions; /* by os_id and id */
	size_t count;
};

/* The interval ends, in which programs have counted in that generation. 0 or -ENOMEM. */
int called_turn(struct called *called, const struct follow *follow, uint32_t generation);
void called_free(struct called *called);

/* As rows, the caller's, that the VM has counted. 0 or -ENOMEM. */
int called_rows(const struct called *called, struct counter_row **rows, size_t *count);

/* All calls of the interval, and since the beginning. */
uint64_t called_calls(const struct called *called);
uint64_t called_in_all(const struct follow *follow);

#endif
