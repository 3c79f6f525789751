/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tools at work cost the nodes, second by second, and which of them must go: measures for the governor. The
 * kernel measures programs for all nodes together; a node's part is taken to be its part of the processor time that
 * all nodes used, and the limit is held for the node whose part is the largest.
 */
#ifndef ERLBPF_SERVE_AGENT_OVERHEAD_H
#define ERLBPF_SERVE_AGENT_OVERHEAD_H

#include "budget/cost.h"
#include "serve/agent/governor.h"
#include "serve/metrics/metrics.h"

struct overhead;
struct target;

/* Whatever costs the nodes something: a tool at work, a script. */
struct overhead_source {
	const char *name; /* NULL: there is none in this place */
	void *data;
	/* What it has cost since it began; estimated from its hits unless `is_measured`. 0 or -errno. NULL: it is off.
	 */
	int (*cost)(void *data, bool is_measured, struct cost *cost);
	/* Every node that it traces now. */
	void (*each_target)(void *data, void (*visit)(void *to, const struct target *target), void *to);
};

/* To be made while we still have all capabilities. `limit` in processors, 0: none. NULL: no memory. */
struct overhead *overhead_new(size_t count, double limit);
void overhead_free(struct overhead *overhead);

void overhead_tool_start(struct overhead *overhead, size_t tool, bool has_detail, bool has_windows);
enum governor_level overhead_level(const struct overhead *overhead, size_t tool);
enum governor_level overhead_wanted(const struct overhead *overhead, size_t tool);

/* About once a second, with the sources of all tools. True if one is to change its level. */
bool overhead_tick(struct overhead *overhead, const struct overhead_source *sources);

/* The tool runs at this level from now on, by another run. */
void overhead_set_level(struct overhead *overhead, size_t tool, enum governor_level level);

/* What one tool may cost that runs in windows, as a share of a processor. */
double overhead_window_share(const struct overhead *overhead);

/* As a share of a processor, of the node that pays most. */
double overhead_sum(const struct overhead *overhead);

void overhead_tell(const struct overhead *overhead, struct metrics *metrics, const struct overhead_source *sources);

#endif
