/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent: runs a set of tools on every BEAM of the machine, and serves their results over HTTP. */
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
	const char *allow_host; /* accepted host name; NULL: only names of the loopback address, if it listens there */
	const struct tool *const *tools;
	size_t tool_count;
	size_t names;		  /* named series per metric and node */
	unsigned int profile_hz;  /* frequency of continuous CPU sampling; 0: off */
	bool with_findings;	  /* also serve findings */
	bool without_filter;	  /* of system calls */
	const char *users;	  /* path of a socket where users run D; NULL: none */
	const char *scripts;	  /* directory of D scripts; NULL: none */
	size_t script_series;	  /* of each aggregation */
	double max_overhead;	  /* share of one CPU, per node: 0.02 is 2%; 0: no limit */
	struct push_options push; /* push destination, in addition to scrapes */
	struct options run;	  /* which processes */
};

/* True if the tool's results become metrics. It runs for all nodes and without a pattern. */
bool agent_exports(const struct tool *tool);

/* Runs until a signal. Returns an enum exit_code. */
int agent_run(const struct agent_options *options);

#endif
