/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that `erlbpf profile` counts or weighs instead of time. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_EVENTS_H
#define ERLBPF_CLI_PROFILE_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/option.h"
#include "probe/sites/search.h"
#include "profile/profiling.h"

enum profile_event {
	EVENT_NONE,
	EVENT_PROBE,
	EVENT_GC,
	EVENT_ALLOC,
	EVENT_SEND,
	EVENT_SPAWN,
	EVENT_REDUCTIONS,
	EVENT_LOCKS
};

#define PROFILE_EVENT_MESSAGE 320

struct profile_events {
	enum profile_event event;
	const char *probe, *weight;	   /* -e, --weight; NULL: not given */
	struct function_request functions; /* that -e names, if it names no probe */
	char title[PROFILE_EVENT_MESSAGE];
	char problem[PROFILE_EVENT_MESSAGE];
};

const char *profile_events_take_probe(struct profile_events *events, const char *text);

/* Fills `made`, whose texts belong to `events`. NULL, or the error. */
const char *profile_events_make(struct profile_events *events, struct profiling_events *made);

#endif
