/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What --profile-hz samples, pushed to who takes profiles by OTLP: each minute when it is whole. One that did not
 * arrive is sent again as long as the hour keeps it, under the same id. A receiver that takes no profiles is left alone
 * for an hour.
 */
#ifndef ERLBPF_SERVE_PROFILES_PUSH_PROFILES_H
#define ERLBPF_SERVE_PROFILES_PUSH_PROFILES_H

#include "base/io/event_loop.h"
#include "serve/metrics/metrics.h"
#include "serve/metrics/push.h"
#include "serve/profiles/profile_hour.h"

struct push_profiles;

/* As push_new(). What is given must outlive it. */
struct push_profiles *push_profiles_new(const struct push_options *options, struct profile_hour *hour,
					struct event_loop *waiting);

/* As push_start(). */
int push_profiles_start(struct push_profiles *push);

void push_profiles_free(struct push_profiles *push); /* NULL-safe */

/* About once a second. Never waits. */
void push_profiles_tick(struct push_profiles *push);

/* What became of the minutes, as metrics. */
void push_profiles_tell(const struct push_profiles *push, struct metrics *metrics);

#endif
