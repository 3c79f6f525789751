/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last hour of processor time, sampled all the time at a low rate, in a process beside the agent that does nothing
 * else: export --profile-hz. It answers as a profiler does (profiler.h).
 */
#ifndef ERLBPF_SERVE_PROFILES_PROFILE_HOUR_H
#define ERLBPF_SERVE_PROFILES_PROFILE_HOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/profiles/profiler.h"

struct profile_hour;

struct profile_hour_ask {
	enum profile_format format;
	uint64_t from_ns, to_ns; /* since 1970 */
	char node[PROFILER_NODE];
	/*
	 * Instead of all this: the next whole minute behind the one of that number, as a message of OTLP. The answer
	 * has its number; a status of 204: there is none.
	 */
	bool wants_next;
	uint64_t after;
};

/* What there is, as the process has written it last. */
struct profile_hour_state {
	uint64_t samples, lost, slices, bytes, nodes;
	uint64_t whole; /* the number of the newest minute that is whole */
};

/* While we are small and before any thread is started. The setup must outlive it. NULL and errno. */
struct profile_hour *profile_hour_new(const struct profiler_setup *setup, unsigned int frequency);
void profile_hour_free(struct profile_hour *hour); /* NULL-safe */

/* How long a minute is: tests have shorter ones. */
uint64_t profile_hour_slice_ns(void);

/* Has it ended? */
bool profile_hour_is_lost(const struct profile_hour *hour);
struct profile_hour_state profile_hour_state(const struct profile_hour *hour);

/* As profiler_ask(). */
int profile_hour_ask(struct profile_hour *hour, const struct profile_hour_ask *ask);

#endif
