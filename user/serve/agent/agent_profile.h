/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles that are asked for: /profile and /debug/pprof/profile. One at a time; who asks waits while a process beside
 * us (profiler.h) makes it, and all others are answered.
 */
#ifndef ERLBPF_SERVE_AGENT_AGENT_PROFILE_H
#define ERLBPF_SERVE_AGENT_AGENT_PROFILE_H

#include "serve/http/http.h"

struct agent;
struct agent_profiles;
struct profile_hour;

#define PROFILE_PATH "/profile"
#define PROFILE_PATH_PPROF "/debug/pprof/profile" /* where Pyroscope and Parca look for it */

/* Before anything else is started. NULL, explained. */
struct agent_profiles *agent_profiles_new(struct agent *agent);
void agent_profiles_free(struct agent_profiles *profiles);

/* Who samples all the time; NULL: nobody does. */
struct profile_hour *agent_profiles_hour(const struct agent_profiles *profiles);

/* Each second. */
void agent_profiles_tick(struct agent_profiles *profiles);

/* Answers a request for one of the paths. */
void agent_profiles_answer(struct agent_profiles *profiles, const struct http_request *request,
			   struct http_reply *reply);

/* What was made and refused so far becomes metrics. */
void agent_profiles_tell(const struct agent_profiles *profiles);

#endif
