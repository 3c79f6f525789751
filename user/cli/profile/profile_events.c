// SPDX-License-Identifier: BSD-2-Clause
#include "cli/profile/profile_events.h"

#include <stdio.h>
#include <string.h>

#include "probe/catalogue.h"

const char *profile_events_take_probe(struct profile_events *events, const char *text)
{
	events->event = EVENT_PROBE;
	events->probe = text;
	return NULL;
}

static bool is_probe(const char *glob)
{
	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		if (probe_matches(probe, glob))
			return true;
	}
	return false;
}

/* A name close to that of a probe is a mistyped probe, unless it is that of a BIF. */
static bool is_function(const char *text)
{
	char meant[PROBE_GLOB_SIZE];

	return strchr(text, '/') || !*probe_nearest(text, NULL, NULL, meant);
}

static const char *make_calls(struct profile_events *events, struct profiling_events *made)
{
	const char *why;

	if (events->weight)
		return "--weight is for arguments of probes, and this is a function";
	if (function_spec_parse(events->probe, &events->functions.spec, &why)) {
		snprintf(events->problem, sizeof(events->problem), "no probe matches \"%.100s\", and as a function: %s",
			 events->probe, why);
		return events->problem;
	}
	events->functions.mode = FUNCTIONS_COUNT;
	snprintf(events->title, sizeof(events->title), "calls of %.100s", events->probe);
	*made = (struct profiling_events){
		.weight = EVENT_CALLS,
		.functions = &events->functions,
		.option = "-e",
		.title = events->title,
		.unit = "calls",
	};
	return NULL;
}

/* It is nearly the name of a probe. */
static const char *name_nearest(struct profile_events *events)
{
	char meant[PROBE_GLOB_SIZE];

	snprintf(events->problem, sizeof(events->problem), "no probe matches \"%.100s\"; did you mean \"%s\"?",
		 events->probe, probe_nearest(events->probe, NULL, NULL, meant));
	return events->problem;
}

/* The row of the probe that the user names whole; NULL: none. */
static const struct probe_def *find_probe(const char *text)
{
	const struct probe_def *found = NULL;

	for (uint32_t probe = 0; !strpbrk(text, "*?[") && probe < probe_count(); probe++) {
		if (probe_matches(probe, text))
			found = probe_def(probe);
	}
	return found;
}

static bool is_amount(const struct probe_arg *arg)
{
	static const char *const kinds[] = { "words", "bytes", "count", "number" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(arg->kind, kinds[i]))
			return true;
	}
	return false;
}

static const char *unit_of(const struct probe_arg *arg)
{
	return !strcmp(arg->kind, "words") || !strcmp(arg->kind, "bytes") ? arg->kind : arg->name;
}

static const char *weigh(struct profile_events *events, struct profiling_events *made)
{
	const struct probe_def *def = find_probe(events->probe);

	if (!def)
		return "--weight needs one probe, with its whole name";
	for (int i = 0; i < def->argc; i++) {
		if (strcmp(def->args[i].name, events->weight) || !is_amount(&def->args[i]))
			continue;
		made->weight = EVENT_ARGUMENT;
		made->argument = (unsigned int)i;
		made->unit = unit_of(&def->args[i]);
		snprintf(events->title, sizeof(events->title), "%.100s by %s", events->probe, events->weight);
		return NULL;
	}
	snprintf(events->problem, sizeof(events->problem),
		 "%.100s has no argument %.60s that is an amount; `erlbpf list -v` shows them", events->probe,
		 events->weight);
	return events->problem;
}

static const char *make_probe(struct profile_events *events, struct profiling_events *made)
{
	if (!is_probe(events->probe))
		return is_function(events->probe) ? make_calls(events, made) : name_nearest(events);
	snprintf(events->title, sizeof(events->title), "hits of %.100s", events->probe);
	*made = (struct profiling_events){
		.weight = EVENT_HITS,
		.probe = events->probe,
		.option = "-e",
		.title = events->title,
		.unit = "hits",
	};
	return events->weight ? weigh(events, made) : NULL;
}

static const struct profiling_events modes[] = {
	[EVENT_GC] = { .weight = EVENT_GC_TIME, .option = "--gc", .title = "time of garbage collections", .unit = "ns" },
	[EVENT_ALLOC] = { .weight = EVENT_GROWTH, .option = "--alloc", .title = "words allocated", .unit = "words" },
	[EVENT_SEND] = {
		.weight = EVENT_SENT,
		.probe = "message-send",
		.option = "--send",
		.title = "words of messages sent",
		.unit = "words",
	},
	[EVENT_SPAWN] = {
		.weight = EVENT_HITS,
		.probe = "process-spawn",
		.option = "--spawn",
		.title = "processes spawned",
		.unit = "processes",
	},
	[EVENT_REDUCTIONS] = {
		.weight = EVENT_ARGUMENT,
		.probe = "process-out",
		.argument = 1,
		.option = "--reductions",
		.title = "reductions",
		.unit = "reductions",
	},
	[EVENT_LOCKS] = {
		.weight = EVENT_LOCK_TIME,
		.option = "--locks",
		.title = "time of waiting for locks of the VM",
		.unit = "ns",
	},
};

const char *profile_events_make(struct profile_events *events, struct profiling_events *made)
{
	if (events->event == EVENT_PROBE)
		return make_probe(events, made);
	if (events->event)
		*made = modes[events->event];
	if (!events->weight)
		return NULL;
	if (events->event != EVENT_GC || strcmp(events->weight, "reclaimed"))
		return "--weight is for -e, or `reclaimed` with --gc";
	made->weight = EVENT_RECLAIMED;
	made->title = "words reclaimed by garbage collections";
	made->unit = "words";
	return NULL;
}
