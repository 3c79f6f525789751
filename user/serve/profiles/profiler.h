/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes profiles for the agent: a separate process forks one for each profile. So the agent answers while nodes are
 * sampled and stacks are named, and memory is returned when a profile ends. Forked before the agent gives up the right
 * to fork; drops privileges that a profile does not need.
 */
#ifndef ERLBPF_SERVE_PROFILES_PROFILER_H
#define ERLBPF_SERVE_PROFILES_PROFILER_H

#include <stdint.h>

#include "flame/formats/profile_format.h"
#include "profile/profiling.h"
#include "serve/http/pairs.h"
#include "target/selector.h"

#define PROFILER_NODE 256
#define PROFILER_LATE_S 120 /* time limit after the end of the profile */

struct profiler_ask {
	enum profiling_mode mode;
	enum profile_format format;
	unsigned int frequency; /* Hz */
	uint64_t duration_ns;
	char node[PROFILER_NODE]; /* pattern of node names; "": every traced node */
};

struct profiler;

struct profiler_setup {
	const struct target_selector *select; /* which nodes the agent traces */
	double share;			      /* limit of the overhead of a profile's probes */
	bool without_filter;		      /* of system calls */
	const struct pairs *resource;	      /* attributes of pushed profiles; NULL: no push */
};

/*
 * Call before threads are started and while memory use is low, because it forks. The setup is borrowed. NULL and errno.
 */
struct profiler *profiler_new(const struct profiler_setup *setup);
void profiler_free(struct profiler *profiler);

/*
 * A descriptor for reading the answer (profile_answer.h), or -errno. The caller owns it; closing it ends the profile.
 */
int profiler_ask(struct profiler *profiler, const struct profiler_ask *ask);

/* Sends a request to any process with this protocol. */
int profiler_send(int side, const void *ask, size_t size);

#endif
