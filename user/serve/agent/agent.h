/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent: a set of tools kept running on every BEAM of the machine, and what they count served over HTTP. */
#ifndef ERLBPF_SERVE_AGENT_AGENT_H
#define ERLBPF_SERVE_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/metrics/push.h"
#include "tool.h"

#define AGENT_DEFAULT_LISTEN "127.0.0.1:9568"
#define AGENT_DEFAULT_TOOLS "sched-latency,mailbox,gc,run-queue,dist"
#define AGENT_DEFAULT_NAMES 20
#define AGENT_DEFAULT_SERIES 100
#define AGENT_MOST_TOOLS 32

struct agent_options {
	const char *listen;
	const char *allow_host; /* NULL: only names of the loopback address, if it listens there */
	const struct tool *const *tools;
	size_t tool_count;
	size_t names;		  /* series with a name of their own, per metric and node */
	unsigned int profile_hz;  /* with which processor time is sampled all the time; 0: it is not */
	bool with_findings;	  /* says what is wrong with the nodes, too */
	bool without_filter;	  /* of system calls */
	const char *users;	  /* path of a socket where users run D; NULL: none */
	const char *scripts;	  /* directory of D scripts; NULL: none */
	size_t script_series;	  /* of each aggregation */
	double max_overhead;	  /* of one processor, per node: 0.02 is 2%; 0: no limit */
	struct push_options push; /* to whom, beside who asks */
	struct options run;	  /* which processes */
};

/* Does what the tool counts become metrics? It is asked for everything, without a word about what. */
bool agent_exports(const struct tool *tool);

/* Until it is told to stop. An enum exit_code. */
int agent_run(const struct agent_options *options);

#endif
