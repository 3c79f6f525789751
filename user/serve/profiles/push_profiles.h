/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushes the profiles of --profile-hz by OTLP, each minute when it is complete. A failed minute is sent again under the
 * same id while the hour keeps it. A receiver without support for profiles is not tried again for an hour.
 */
#ifndef ERLBPF_SERVE_PROFILES_PUSH_PROFILES_H
#define ERLBPF_SERVE_PROFILES_PUSH_PROFILES_H

#include "base/io/event_loop.h"
#include "serve/metrics/metrics.h"
#include "serve/metrics/push.h"
#include "serve/profiles/profile_hour.h"

struct push_profiles;

/* As push_new(). Arguments are borrowed. */
struct push_profiles *push_profiles_new(const struct push_options *options, struct profile_hour *hour,
					struct event_loop *waiting);

/* As push_start(). */
int push_profiles_start(struct push_profiles *push);

void push_profiles_free(struct push_profiles *push); /* NULL-safe */

/* About once a second. Never waits. */
void push_profiles_tick(struct push_profiles *push);

/* Adds counts of minutes by outcome to the metrics. */
void push_profiles_tell(const struct push_profiles *push, struct metrics *metrics);

#endif
