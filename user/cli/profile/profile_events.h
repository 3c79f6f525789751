/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `erlbpf profile` for what probes tell of, instead of time. */
#ifndef ERLBPF_CLI_PROFILE_PROFILE_EVENTS_H
#define ERLBPF_CLI_PROFILE_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/option.h"
#include "probe/request.h"
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

/* What is wanted, if something is: its texts are those of `events`. NULL, or what is wrong. */
const char *profile_events_make(struct profile_events *events, struct profiling_events *made);

#define PROFILE_EVENT_ROW(data, member, event_, name_, help_, manual_)                                                 \
	{                                                                                                              \
		.name = name_, .help = help_, .manual = manual_, .kind = OPTION_SET,                                   \
		.to = offsetof(data, member.event), .value = event_                                                    \
	}

/* `data` and `member` are where a table has its struct profile_events; `take_` gives the word of -e to it. */
#define PROFILE_EVENT_ROWS(data, member, take_)                                                                        \
	{ .name = "event",                                                                                             \
	  .letter = 'e',                                                                                               \
	  .argument = "PROBE",                                                                                         \
	  .help = "from where processes do what a probe tells of, or call a function of the VM or a BIF",              \
	  .manual = "Count the hits of a probe (see `erlbpf list`; \\* and ? are wildcards) or, where none has this "  \
		    "name, the\ncalls of a function of the VM or a BIF, such as _ets:lookup/2_ or "                    \
		    "_erts_garbage_collect_ "                                                                          \
		    "(see\n*erlbpf uprobe*), by the stack of the "                                                     \
		    "process "                                                                                         \
		    "that\nthe thread runs. Erlang functions under the JIT have no probes: *erlbpf calls --via vm "    \
		    "--by caller*\n"                                                                                   \
		    "counts their calls. This and the options below put probes into the nodes.",                       \
	  .section = "Events",                                                                                         \
	  .kind = OPTION_CALL,                                                                                         \
	  .take = take_ },                                                                                             \
		{ .name = "weight",                                                                                    \
		  .argument = "ARG",                                                                                   \
		  .help = "add this argument of the probe up, such as size; of --gc: reclaimed",                       \
		  .manual =                                                                                            \
			  "Weigh each hit of *-e* by an argument of the probe, by its name in `erlbpf list -v`. With " \
			  "*--gc*,\n_reclaimed_: words that collections reclaim, not the time that they take.",        \
		  .kind = OPTION_TEXT,                                                                                 \
		  .to = offsetof(data, member.weight) },                                                               \
		PROFILE_EVENT_ROW(data, member, EVENT_GC, "gc", "time of garbage collections, by what was going on",   \
				  "The time of garbage collections, by the stack of the process that is collected."),  \
		PROFILE_EVENT_ROW(data, member, EVENT_ALLOC, "alloc", "words that processes allocate",                 \
				  "Words that processes allocate: when a process is collected, what it has put on "    \
				  "its heap since "                                                                    \
				  "its last\ncollection, and words of large binaries that it has made or got, by its " \
				  "stack of that "                                                                     \
				  "moment. What is\nmade after the last collection is not seen."),                     \
		PROFILE_EVENT_ROW(                                                                                     \
			data, member, EVENT_SEND, "send", "words of messages that processes send",                     \
			"Words of messages to processes of the same node, by who sends them. Numbers, atoms and "      \
			"pids alone\nhave none; *-e message-send* counts messages."),                                  \
		PROFILE_EVENT_ROW(data, member, EVENT_SPAWN, "spawn", "processes, by who spawns them", NULL),          \
		PROFILE_EVENT_ROW(                                                                                     \
			data, member, EVENT_REDUCTIONS, "reductions", "reductions, by where processes stop",           \
			"Reductions, by the stack with which a process stops: of all that it has used since it was "   \
			"picked."),                                                                                    \
		PROFILE_EVENT_ROW(                                                                                     \
			data, member, EVENT_LOCKS, "locks", "time of waiting for locks of the VM",                     \
			"The time that processes and schedulers wait for locks of the VM, by who waits. The last "     \
			"frame is\nthe lock, with the name that `erlbpf locks` has for it: of a process, of an ETS "   \
			"table, or of the VM's\ndata. Locks without a name are one frame.")

#endif
