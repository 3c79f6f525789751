// SPDX-License-Identifier: BSD-2-Clause
#include "budget/pace_world.h"

#include <unistd.h>

#include "base/duration.h"
#include "load/guardian/guardian.h"
#include "budget/cpu_quota.h"
#include "budget/window.h"
#include "load/kernel/map.h"
#include "node/processes/schedulers.h"
#include "target/reader/procfs.h"

static void begin(struct pace_world *world)
{
	bill_begin(&world->bill);
}

static void end(struct pace_world *world)
{
	bill_free(&world->bill);
}

static uint64_t now(const struct pace_world *world)
{
	(void)world;
	return duration_now();
}

static const struct target *target_of(const struct pace_world *world, size_t i)
{
	return follow_get(world->follow, i)->target;
}

static size_t node_count(const struct pace_world *world)
{
	return follow_count(world->follow);
}

static bool is_over(const struct pace_world *world, size_t i)
{
	return follow_is_over(world->follow, i);
}

static double most_cpus(const struct pace_world *world, size_t i)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	const struct target *target = target_of(world, i);
	double most = online > 0 ? (double)online : 1, schedulers = (double)schedulers_normal(target);
	double quota = cpu_quota(target->pid);

	most = schedulers > 0 && schedulers < most ? schedulers : most;
	return quota > 0 && quota < most ? quota : most;
}

static uint64_t cpu_ns(const struct pace_world *world, size_t i)
{
	return procfs_cpu_ns(target_of(world, i)->pid);
}

static struct hit_costs costs(const struct pace_world *world)
{
	(void)world;
	return hit_costs_now();
}

static struct bill_sum paid(struct pace_world *world, const struct hit_costs *hits)
{
	bill_learn(&world->bill, world->follow);
	return bill_sum(&world->bill, world->loader, hits);
}

static uint64_t program_ns(const struct pace_world *world)
{
	return bill_program_ns(&world->bill);
}

static bool is_learning(const struct pace_world *world)
{
	return world->bill.is_learning;
}

static void forget(struct pace_world *world)
{
	bill_forget(&world->bill);
}

/* What a program that has neither histograms nor counters counts are hits. */
static uint64_t results(const struct pace_world *world)
{
	int map = loader_map(world->loader, "erl_results");

	uint64_t in_histograms = map >= 0 ? map_sum(map, 0) : world->bill.events;

	return in_histograms || map < 0 ? in_histograms : map_sum(map, 1);
}

static void tell(struct pace_world *world, const struct erl_window *window)
{
	window_set(world->loader, window);
}

static void take_away(struct pace_world *world)
{
	follow_pause(world->follow);
}

static void take_details_away(struct pace_world *world)
{
	follow_pause_details(world->follow);
}

static int bring_back(struct pace_world *world, enum attach_part part)
{
	return follow_resume_part(world->follow, part);
}

static uint64_t switching_ns(const struct pace_world *world)
{
	(void)world;
	return procfs_cpu_ns(guardian_pid());
}

static const struct pace_world_ops ops = {
	.begin = begin,
	.end = end,
	.now = now,
	.node_count = node_count,
	.is_over = is_over,
	.most_cpus = most_cpus,
	.cpu_ns = cpu_ns,
	.costs = costs,
	.paid = paid,
	.program_ns = program_ns,
	.is_learning = is_learning,
	.forget = forget,
	.results = results,
	.tell = tell,
	.pause = take_away,
	.pause_details = take_details_away,
	.resume = bring_back,
	.switching_ns = switching_ns,
};

struct pace_world pace_world_of(struct loader *loader, struct follow *follow)
{
	return (struct pace_world){ .ops = &ops, .loader = loader, .follow = follow };
}
