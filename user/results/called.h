/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often Erlang functions were called in an interval, as the VMs count it (breakpoints.h). What programs have seen
 * of the calls, in windows, is scaled by that and not by time: so it adds up to all calls.
 */
#ifndef ERLBPF_RESULTS_CALLED_H
#define ERLBPF_RESULTS_CALLED_H

#include "counter.h"
#include "out/sink.h"
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

/*
 * For each call that was looked at, how many there were: of this function, or, if `id` is none of them, of all of the
 * node, or, if `os_id` is 0, of all. 0: not known.
 */
double called_scale(const struct called *called, uint32_t os_id, uint64_t id);

/* The window with that scale, if it is known. */
struct sink_window called_window(const struct called *called, const struct sink_window *window, uint32_t os_id,
				 uint64_t id);

/* As rows, the caller's, that the VM has counted. 0 or -ENOMEM. */
int called_rows(const struct called *called, struct counter_row **rows, size_t *count);

/* All calls of the interval, and since the beginning. */
uint64_t called_calls(const struct called *called);
uint64_t called_in_all(const struct follow *follow);

#endif
