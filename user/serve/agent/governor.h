/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The governor: keeps what all tools cost the node that pays most below a limit. Above it, detail goes first (names of
 * processes) if that may be enough; then the dearest tools measure only part of the time, in windows whose cost has a
 * bound of its own (budget/pace.h), a part of the limit; who cannot do that goes. When the load falls, they come back
 * one by one, the cheapest first, once what they would cost has long enough left room below the limit. Only decides;
 * who measures and who acts is elsewhere.
 */
#ifndef ERLBPF_SERVE_AGENT_GOVERNOR_H
#define ERLBPF_SERVE_AGENT_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>

enum governor_level { GOVERNOR_OFF, GOVERNOR_WINDOWS, GOVERNOR_PLAIN, GOVERNOR_FULL, GOVERNOR_LEVELS };

/* As metrics and /targets say it. */
const char *governor_level_name(enum governor_level level);

struct governor_tool {
	bool has_detail;	    /* it can run without */
	bool has_windows;	    /* it can run part of the time */
	enum governor_level level;  /* how it runs */
	enum governor_level wanted; /* what governor_step() says */
	double share;		    /* what it costs the node, in processors; 0 while it is off */

	/* The governor's own. */
	double rate[GOVERNOR_LEVELS]; /* cost per processor that the node used, when last seen */
	double calm_s;		      /* for how long there has been room for more of it */
	double patience_s;	      /* how long there must be */
	double since_s;		      /* how long ago it came back; negative: it has not, or it has stayed */
};

struct governor {
	double limit;	 /* in processors */
	double settle_s; /* until what was changed shows */
	double over_s;	 /* for how long it has been too much */
	double over;	 /* how much, in what the limit lets it cost in a second */
};

void governor_tool_start(struct governor_tool *tool, bool has_detail, bool has_windows);

/*
 * `load`: processors that the node used, of late; `seconds`: since the last step. True if some tool's `wanted` is not
 * its `level`: then the caller acts, and sets the level.
 */
bool governor_step(struct governor *governor, struct governor_tool *tools, size_t count, double load, double seconds);

/* What one tool may cost that runs in windows, in processors. */
double governor_window_share(const struct governor *governor, const struct governor_tool *tools, size_t count);

/* What all cost. */
double governor_sum(const struct governor_tool *tools, size_t count);

#endif
