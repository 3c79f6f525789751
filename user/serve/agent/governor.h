/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The governor keeps the overhead of all tools below a limit, for the node with the highest overhead. Above the limit,
 * it first drops detail (process names) if that may be enough. Then the most expensive tools measure in windows
 * (budget/pace.h), whose cost is bounded by a part of the limit; tools without windows are turned off. When the load
 * falls, tools come back one by one, the cheapest first, once their estimated cost has fitted below the limit for long
 * enough. It only decides: callers measure and act.
 */
#ifndef ERLBPF_SERVE_AGENT_GOVERNOR_H
#define ERLBPF_SERVE_AGENT_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>

enum governor_level { GOVERNOR_OFF, GOVERNOR_WINDOWS, GOVERNOR_PLAIN, GOVERNOR_FULL, GOVERNOR_LEVELS };

/* The name in metrics and /targets. */
const char *governor_level_name(enum governor_level level);

struct governor_tool {
	bool has_detail;	    /* can run without detail */
	bool has_windows;	    /* can run in windows */
	enum governor_level level;  /* how it runs */
	enum governor_level wanted; /* decided by governor_step() */
	double share;		    /* cost to the node in CPUs; 0 while off */

	/* Private to the governor. */
	double rate[GOVERNOR_LEVELS]; /* last known cost per CPU used by the node */
	double calm_s;		      /* how long the next level has been affordable */
	double patience_s;	      /* how long it must be */
	double since_s;		      /* time since it came back; negative: has not, or has stayed */
};

struct governor {
	double limit;	 /* in processors */
	double settle_s; /* until the last change shows */
	double over_s;	 /* how long the cost has been above the limit */
	double over;	 /* excess cost, in seconds of the limit */
};

void governor_tool_start(struct governor_tool *tool, bool has_detail, bool has_windows);

/*
 * `load`: CPUs that the node used recently; `seconds`: since the last step. True if some tool's `wanted` differs from
 * its `level`: the caller acts and sets the level.
 */
bool governor_step(struct governor *governor, struct governor_tool *tools, size_t count, double load, double seconds);

/* The limit of one tool in windows, in CPUs. */
double governor_window_share(const struct governor *governor, const struct governor_tool *tools, size_t count);

/* What all cost. */
double governor_sum(const struct governor_tool *tools, size_t count);

#endif
