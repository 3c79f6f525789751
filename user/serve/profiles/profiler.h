/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who profiles for the agent: a process beside it, which forks another one for each profile. So the agent answers while
 * nodes are sampled and while thousands of stacks get names, and what that takes of memory is given back with the
 * process. It is forked before the agent gives up the right to fork, and gives up itself what a profile does not need.
 */
#ifndef ERLBPF_SERVE_PROFILES_PROFILER_H
#define ERLBPF_SERVE_PROFILES_PROFILER_H

#include <stdint.h>

#include "flame/formats/profile_format.h"
#include "profile/profiling.h"
#include "serve/http/pairs.h"
#include "target/selector.h"

#define PROFILER_NODE 256
#define PROFILER_LATE_S 120 /* behind the end of the time that was asked for, in which a profile has to be there */

struct profiler_ask {
	enum profiling_mode mode;
	enum profile_format format;
	unsigned int frequency; /* Hz */
	uint64_t duration_ns;
	char node[PROFILER_NODE]; /* a pattern of names; "": each node that the agent traces */
};

struct profiler;

struct profiler_setup {
	const struct target_selector *select; /* which nodes the agent traces */
	double share;			      /* of the nodes' time that the probes of a profile may cost */
	bool without_filter;		      /* of system calls */
	const struct pairs *resource;	      /* attributes of what is pushed; NULL: nothing is */
};

/* While we are small and before any thread is started. The setup must outlive it. NULL and errno. */
struct profiler *profiler_new(const struct profiler_setup *setup);
void profiler_free(struct profiler *profiler);

/* A descriptor from which the answer (profile_answer.h) can be read, the caller's: who closes it ends the profile. Or
 * -errno. */
int profiler_ask(struct profiler *profiler, const struct profiler_ask *ask);

/* The same to any process that answers so. */
int profiler_send(int side, const void *ask, size_t size);

#endif
