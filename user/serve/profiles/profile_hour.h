/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time of the last hour, sampled continuously at a low rate in a separate process (export --profile-hz). It answers
 * like a profiler (profiler.h).
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
	 * Alternatively: the next complete minute after this number, as OTLP. The answer has its number; status 204:
	 * none.
	 */
	bool wants_next;
	uint64_t after;
};

/* State as last written by the process. */
struct profile_hour_state {
	uint64_t samples, lost, slices, bytes, nodes;
	uint64_t whole; /* number of the newest complete minute */
};

/*
 * Call before threads are started and while memory use is low, because it forks. The setup is borrowed. NULL and errno.
 */
struct profile_hour *profile_hour_new(const struct profiler_setup *setup, unsigned int frequency);
void profile_hour_free(struct profile_hour *hour); /* NULL-safe */

/* The length of a minute, shorter in tests. */
uint64_t profile_hour_slice_ns(void);

/* Has it ended? */
bool profile_hour_is_lost(const struct profile_hour *hour);
struct profile_hour_state profile_hour_state(const struct profile_hour *hour);

/* As profiler_ask(). */
int profile_hour_ask(struct profile_hour *hour, const struct profile_hour_ask *ask);

#endif
