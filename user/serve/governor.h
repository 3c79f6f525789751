/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The governor: keeps what all tools cost the node that pays most below a limit. Above it, detail goes first (names of
 * processes) if that may be enough, then tools, the dearest first. When the load falls, they come back one by one, the
 * cheapest first, once what they would cost has long enough left room below the limit. Only decides; who measures and
 * who acts is elsewhere.
 */
#ifndef ERLBPF_SERVE_GOVERNOR_H
#define ERLBPF_SERVE_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>

enum governor_level { GOVERNOR_OFF, GOVERNOR_PLAIN, GOVERNOR_FULL };

struct governor_tool {
	bool has_detail;	    /* else it is either full or off */
	enum governor_level level;  /* how it runs */
	enum governor_level wanted; /* what governor_step() says */
	double share;		    /* what it costs the node, in processors; 0 while it is off */

	/* The governor's own. */
	double rate[3];	   /* by level: cost per processor that the node used, when last seen */
	double calm_s;	   /* for how long there has been room for more of it */
	double patience_s; /* how long there must be */
	double since_s;	   /* how long ago it came back; negative: it has not, or it has stayed */
};

struct governor {
	double limit;	 /* in processors */
	double settle_s; /* until what was changed shows */
	double over_s;	 /* for how long it has been too much */
	double over;	 /* how much, in what the limit lets it cost in a second */
};

void governor_tool_start(struct governor_tool *tool, bool has_detail);

/*
 * `load`: processors that the node used, of late; `seconds`: since the last step. True if some tool's `wanted` is not
 * its `level`: then the caller acts, and sets the level.
 */
bool governor_step(struct governor *governor, struct governor_tool *tools, size_t count, double load, double seconds);

/* What all cost. */
double governor_sum(const struct governor_tool *tools, size_t count);

#endif
