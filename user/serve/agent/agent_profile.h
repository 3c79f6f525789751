/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles on request: /profile and /debug/pprof/profile, one at a time. The client waits while a separate process
 * (profiler.h) makes the profile; other requests are answered meanwhile.
 */
#ifndef ERLBPF_SERVE_AGENT_AGENT_PROFILE_H
#define ERLBPF_SERVE_AGENT_AGENT_PROFILE_H

#include "serve/http/http.h"

struct agent;
struct agent_profiles;
struct profile_hour;

#define PROFILE_PATH "/profile"
#define PROFILE_PATH_PPROF "/debug/pprof/profile" /* the path that Pyroscope and Parca use */

/* Call before anything else is started. NULL: the error is printed. */
struct agent_profiles *agent_profiles_new(struct agent *agent);
void agent_profiles_free(struct agent_profiles *profiles);

/* The continuous profile; NULL: not enabled. */
struct profile_hour *agent_profiles_hour(const struct agent_profiles *profiles);

/* Each second. */
void agent_profiles_tick(struct agent_profiles *profiles);

/* Answers a request for one of the paths. */
void agent_profiles_answer(struct agent_profiles *profiles, const struct http_request *request,
			   struct http_reply *reply);

/* Adds counts of profiles to the metrics. */
void agent_profiles_tell(const struct agent_profiles *profiles);

#endif
