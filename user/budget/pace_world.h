/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pacing (pace.h) asks of the clock, of nodes and of their hits, and what it does with probes. There is one of
 * real nodes; tests have one of their own, in which time passes when they say so.
 */
#ifndef ERLBPF_BUDGET_PACE_WORLD_H
#define ERLBPF_BUDGET_PACE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "budget/hit_cost.h"
#include "budget/bill.h"
#include "trace/follow.h"

struct pace_world {
	const struct pace_world_ops *ops;
	struct loader *loader;
	struct follow *follow;
	struct bill bill;
	void *data; /* of a test */
};

struct pace_world_ops {
	void (*begin)(struct pace_world *world);
	void (*end)(struct pace_world *world);
	uint64_t (*now)(const struct pace_world *world);

	/* Nodes, in the order and with the numbers of follow.h. */
	size_t (*node_count)(const struct pace_world *world);
	bool (*is_over)(const struct pace_world *world, size_t i);
	/* Processors that its schedulers can use at once: online ones, within the quota of its control group. */
	double (*most_cpus)(const struct pace_world *world, size_t i);
	/* CPU time that it has used. */
	uint64_t (*cpu_ns)(const struct pace_world *world, size_t i);

	/* Hits: see bill.h. */
	struct hit_costs (*costs)(const struct pace_world *world);
	struct bill_sum (*paid)(struct pace_world *world, const struct hit_costs *costs);
	uint64_t (*program_ns)(const struct pace_world *world);
	bool (*is_learning)(const struct pace_world *world);
	void (*forget)(struct pace_world *world);
	/* What programs have put into histograms, counters and events, since they were loaded. */
	uint64_t (*results)(const struct pace_world *world);

	/* Probes: see window.h and follow.h; what it has cost us, in all, to put them in place and to take them away.
	 */
	void (*tell)(struct pace_world *world, const struct erl_window *window);
	void (*pause)(struct pace_world *world);
	void (*pause_details)(struct pace_world *world);
	int (*resume)(struct pace_world *world, enum attach_part part);
	uint64_t (*switching_ns)(const struct pace_world *world);
};

/* That of the probes of a loader on the nodes that are followed, which must outlive it. */
struct pace_world pace_world_of(struct loader *loader, struct follow *follow);

#endif
