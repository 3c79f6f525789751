/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the overhead of tools each second for the governor. The kernel measures programs for all nodes together; a
 * node's part is estimated by its share of the CPU time of all nodes. The limit applies to the node with the highest
 * overhead.
 */
#ifndef ERLBPF_SERVE_AGENT_OVERHEAD_H
#define ERLBPF_SERVE_AGENT_OVERHEAD_H

#include "budget/cost.h"
#include "serve/agent/governor.h"
#include "serve/metrics/metrics.h"

struct overhead;
struct target;

/* A source of overhead: a tool or a script. */
struct overhead_source {
	const char *name; /* NULL: unused */
	void *data;
	/* Cost since its start; estimated from hits unless `is_measured`. 0 or -errno. NULL: it is off. */
	int (*cost)(void *data, bool is_measured, struct cost *cost);
	/* Visits every node that it traces now. */
	void (*each_target)(void *data, void (*visit)(void *to, const struct target *target), void *to);
};

/* Call with all capabilities. `limit` in CPUs, 0: none. NULL: no memory. */
struct overhead *overhead_new(size_t count, double limit);
void overhead_free(struct overhead *overhead);

void overhead_tool_start(struct overhead *overhead, size_t tool, bool has_detail, bool has_windows);
enum governor_level overhead_level(const struct overhead *overhead, size_t tool);
enum governor_level overhead_wanted(const struct overhead *overhead, size_t tool);

/* Call about once a second with all sources. True if one is to change its level. */
bool overhead_tick(struct overhead *overhead, const struct overhead_source *sources);

/* The tool was restarted at this level. */
void overhead_set_level(struct overhead *overhead, size_t tool, enum governor_level level);

/* The limit of one tool in windows, as a share of a CPU. */
double overhead_window_share(const struct overhead *overhead);

/* The overhead of the node with the highest, as a share of a CPU. */
double overhead_sum(const struct overhead *overhead);

void overhead_tell(const struct overhead *overhead, struct metrics *metrics, const struct overhead_source *sources);

#endif
