/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who profiles for the agent: a process beside it, which forks another one for each profile. So the agent answers while
 * nodes are sampled and while thousands of stacks get names, and what that takes of memory is given back with the
 * process. It is forked before the agent gives up the right to fork, and gives up itself what a profile does not need.
 */
#ifndef ERLBPF_SERVE_PROFILER_H
#define ERLBPF_SERVE_PROFILER_H

#include <stdint.h>

#include "flame/format.h"
#include "profile/profiling.h"
#include "target/selector.h"

#define PROFILER_BODY (64UL << 20) /* that an answer may have at most */
#define PROFILER_LATE_S 120 /* behind the end of the time that was asked for, in which a profile has to be there */

struct profiler_ask {
	enum profiling_mode mode;
	enum profile_format format;
	unsigned int frequency; /* Hz */
	uint64_t duration_ns;
	char node[256]; /* a pattern of names; "": each node that the agent traces */
};

/* How an answer begins; so many bytes of a body follow. */
struct profiler_answer {
	uint32_t status, pad; /* of HTTP; if it is not 200, the body says in a sentence what is wrong */
	uint64_t size;
};

struct profiler;

struct profiler_setup {
	const struct target_selector *select; /* which nodes the agent traces */
	double share;			      /* of the nodes' time that the probes of a profile may cost */
	bool without_filter;		      /* of system calls */
};

/* While we are small and before any thread is started. The setup must outlive it. NULL and errno. */
struct profiler *profiler_new(const struct profiler_setup *setup);
void profiler_free(struct profiler *profiler);

/* A descriptor from which the answer can be read, the caller's: who closes it ends the profile. Or -errno. */
int profiler_ask(struct profiler *profiler, const struct profiler_ask *ask);

#endif
