// SPDX-License-Identifier: BSD-2-Clause
#include "pace_simulated.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"

#include "check.h"

#define SETTLE_NS (20 * NS_PER_US) /* to look at the hits */
#define REDUCTION_NS 20
#define SWITCHING_PART 0.1 /* of the time that links take, our process uses a processor */
#define COUNT_NS 20.0	   /* for the VM, to count a call */

static struct sim *sim_of(const struct pace_world *world)
{
	return world->data;
}

static bool is_open(const struct sim *sim)
{
	return !sim->window.is_off && !sim->window.closed_ns;
}

static const struct sim_part *part_of(const struct sim *sim)
{
	return &sim->load.parts[sim->part];
}

/* Within a part. Hits take what is there of processors, but not all of it: who does nothing has no hits. */
static void pass_part(struct sim *sim, double ns)
{
	const struct sim_part *part = part_of(sim);
	double there = sim->load.limit > 0 ? sim->load.limit : sim->load.cpus, hit_ns = (double)sim->load.hit_ns;
	double cases = part->cases * ns / NS_PER_S, details = part->details * ns / NS_PER_S, cost, work;

	cost = (cases * sim->cases + details * sim->details) * hit_ns * sim->load.dearer;
	if (cost > 0.9 * there * ns) {
		double slower = 0.9 * there * ns / cost;

		cases *= slower;
		details *= slower;
		cost *= slower;
	}
	work = fmin(part->work * ns, there * ns - cost);
	sim->billed_ns += (cases * sim->cases + details * sim->details) * hit_ns;
	sim->details_billed_ns += details * sim->details * hit_ns;
	sim->counted_ns += sim->load.calls * ns / NS_PER_S * COUNT_NS;
	sim->spent_ns += cost;
	sim->work_ns += work;
	sim->cpu_ns += work + cost;
	if (sim->load.limit > 0)
		sim->waited_ns += fmax(0, part->work * ns + cost - there * ns);
	sim->hits += cases;
	sim->seen += is_open(sim) ? cases * sim->cases : 0;
}

static void pass(struct sim *sim, uint64_t ns)
{
	sim->open_ns += is_open(sim) ? ns : 0;
	sim->off_ns += is_open(sim) ? 0 : ns;
	while (ns) {
		uint64_t end_ns = sim->part_began_ns + part_of(sim)->ns, step = ns;

		if (sim->part + 1 < sim->load.count && sim->now >= end_ns) {
			sim->part++;
			sim->part_began_ns = end_ns;
			continue;
		}
		if (sim->part + 1 < sim->load.count && end_ns - sim->now < step)
			step = end_ns - sim->now;
		pass_part(sim, (double)step);
		sim->now += step;
		ns -= step;
	}
}

void sim_pass(struct sim *sim, uint64_t ns)
{
	pass(sim, ns);
}

/* The world. */

static void begin(struct pace_world *world)
{
	(void)world;
}

static void end(struct pace_world *world)
{
	(void)world;
}

static uint64_t now(const struct pace_world *world)
{
	return sim_of(world)->now;
}

static size_t node_count(const struct pace_world *world)
{
	(void)world;
	return 1;
}

static uint64_t serial(const struct pace_world *world, size_t i)
{
	(void)world;
	return i + 1;
}

static bool is_over(const struct pace_world *world, size_t i)
{
	(void)i;
	return sim_of(world)->is_over;
}

static double most_cpus(const struct pace_world *world, size_t i)
{
	(void)i;
	return sim_of(world)->load.cpus;
}

static uint64_t cpu_ns(const struct pace_world *world, size_t i)
{
	(void)i;
	return (uint64_t)sim_of(world)->cpu_ns;
}

static uint64_t waited_ns(const struct pace_world *world, size_t i)
{
	(void)i;
	return (uint64_t)sim_of(world)->waited_ns;
}

static void *reductions(const struct pace_world *world, size_t i)
{
	(void)i;
	return sim_of(world);
}

static uint64_t read_reductions(const void *handle)
{
	const struct sim *sim = handle;

	return 1 + (uint64_t)(sim->work_ns / REDUCTION_NS);
}

static void free_reductions(void *handle)
{
	(void)handle;
}

static struct hit_costs costs(const struct pace_world *world)
{
	(void)world;
	return (struct hit_costs){ .pair_ns = 100, .call_ns = 200, .is_measured = true };
}

static struct bill_sum paid(struct pace_world *world, const struct hit_costs *hits)
{
	struct sim *sim = sim_of(world);

	(void)hits;
	pass(sim, SETTLE_NS);
	return (struct bill_sum){
		.all_ns = (uint64_t)sim->billed_ns,
		.details_ns = (uint64_t)sim->details_billed_ns,
		.counted_ns = (uint64_t)sim->counted_ns,
	};
}

static uint64_t program_ns(const struct pace_world *world)
{
	(void)world;
	return 100;
}

static bool is_learning(const struct pace_world *world)
{
	(void)world;
	return false;
}

static void forget(struct pace_world *world)
{
	(void)world;
}

static void window_begins(struct sim *sim, uint64_t opened_ns)
{
	cr_assert(lt(sz, sim->window_count, SIM_WINDOWS));
	sim->windows[sim->window_count++] = (struct sim_window){ .opened_ns = opened_ns };
}

static void tell(struct pace_world *world, const struct erl_window *window)
{
	struct sim *sim = sim_of(world);
	bool was_off = sim->window.is_off, was_without = sim->window.without_details;

	if (window->is_off && !was_off && sim->window_count) {
		sim->windows[sim->window_count - 1].closed_ns = window->closed_ns;
		sim->windows[sim->window_count - 1].off_ns = sim->now;
	}
	if (!window->is_off && was_off)
		window_begins(sim, window->opened_ns);
	if (window->without_details && !was_without)
		sim->details_ns += window->details_ns - sim->details_since_ns;
	if (!window->without_details && was_without)
		sim->details_since_ns = window->details_ns;
	sim->window = *window;
}

/* Links come and go one after the other: half of them are there, on the whole. */
static void switch_links(struct sim *sim, double *part, double to, uint64_t ns)
{
	*part = 0.5;
	pass(sim, ns);
	sim->switching_ns += (double)ns * SWITCHING_PART;
	sim->spent_ns += (double)ns * SWITCHING_PART;
	*part = to;
}

static void take_away(struct pace_world *world)
{
	struct sim *sim = sim_of(world);

	sim->pauses++;
	sim->details = 0;
	switch_links(sim, &sim->cases, 0, sim->load.detach_ns);
}

static void take_details_away(struct pace_world *world)
{
	struct sim *sim = sim_of(world);

	switch_links(sim, &sim->details, 0, sim->load.detach_ns);
}

static int bring_back(struct pace_world *world, enum attach_part part)
{
	struct sim *sim = sim_of(world);

	if (sim->fail) {
		sim->fail--;
		sim->failures++;
		return -ESRCH;
	}
	sim->resumes += part == ATTACH_CASES;
	switch_links(sim, part == ATTACH_CASES ? &sim->cases : &sim->details, 1, sim->load.attach_ns);
	return 0;
}

static uint64_t switching_ns(const struct pace_world *world)
{
	return (uint64_t)sim_of(world)->switching_ns;
}

static const struct pace_world_ops ops = {
	.begin = begin,
	.end = end,
	.now = now,
	.node_count = node_count,
	.serial = serial,
	.is_over = is_over,
	.most_cpus = most_cpus,
	.cpu_ns = cpu_ns,
	.waited_ns = waited_ns,
	.reductions = reductions,
	.read_reductions = read_reductions,
	.free_reductions = free_reductions,
	.costs = costs,
	.paid = paid,
	.program_ns = program_ns,
	.is_learning = is_learning,
	.forget = forget,
	.tell = tell,
	.pause = take_away,
	.pause_details = take_details_away,
	.resume = bring_back,
	.switching_ns = switching_ns,
};

/* What is held against it. */

/* Phases that may be seen after each other. */
static bool may_follow(const struct sim *sim, enum pace_phase before, enum pace_phase after)
{
	switch (before) {
	case PACE_OFF: return after == PACE_PLACED;
	case PACE_PLACED: return after == PACE_OPEN;
	/* Probes of details come and go then, too. */
	case PACE_OPEN:
		return after == (sim->pace.lets_end ? PACE_CLOSING : PACE_OFF) ||
		       (after == PACE_PLACED && sim->pace.details);
	case PACE_CLOSING: return after == PACE_OFF;
	}
	return false;
}

static bool is_consistent(const struct sim *sim)
{
	const struct pace *pace = &sim->pace;
	bool has_cases = pace->phase != PACE_OFF,
	     has_details = has_cases && pace->details && !pace->window.without_details;

	if (pace->mode == PACE_NEVER)
		return true;
	return sim->cases == (has_cases ? 1 : 0) && sim->details == (has_details ? 1 : 0) &&
	       is_open(sim) == (pace->phase == PACE_OPEN) &&
	       !sim->window.is_off == (pace->phase == PACE_OPEN || pace->phase == PACE_CLOSING);
}

void sim_begin(struct sim *sim, const struct sim_load *load, struct pace_setup setup)
{
	log_set_level(LOG_QUIET);
	*sim = (struct sim){
		.load = *load,
		.now = 1000 * NS_PER_S,
		.cases = setup.starts_away ? 0 : 1,
		.details = setup.details && !setup.starts_away ? 1 : 0,
	};
	sim->began_ns = sim->part_began_ns = sim->details_since_ns = sim->now;
	if (setup.starts_away)
		sim->window.is_off = 1;
	else
		window_begins(sim, sim->now);
	setup.world = (struct pace_world){ .ops = &ops, .data = sim };
	pace_begin(&sim->pace, &setup);
}

void sim_tick(struct sim *sim, uint64_t after_ns)
{
	enum pace_phase before = sim->pace.phase;

	pass(sim, after_ns);
	pace_tick(&sim->pace);
	sim->illegal += sim->pace.phase != before && !may_follow(sim, before, sim->pace.phase);
	sim->illegal += !is_consistent(sim);
}

void sim_run(struct sim *sim, uint64_t ns)
{
	for (uint64_t end_ns = sim->now + ns; sim->now < end_ns;)
		sim_tick(sim, PACE_TICK_NS);
}

static void expect_reach(const struct sim *sim)
{
	struct reach said, wanted = {};

	pace_reach(&sim->pace, sim->now, &said);
	for (size_t i = 0; i < sim->window_count; i++) {
		const struct sim_window *window = &sim->windows[i];

		if (window->off_ns > window->opened_ns)
			reach_add(&wanted, window->opened_ns, window->closed_ns, window->off_ns);
	}
	cr_expect(eq(int, memcmp(&said, &wanted, sizeof(said)), 0));
}

/* However long it takes to take the probes away then. */
static void expect_nothing_counts(struct sim *sim)
{
	const struct sim before = *sim;

	pass(sim, NS_PER_S);
	pace_tick(&sim->pace);
	cr_expect(eq(dbl, sim->seen, before.seen));
	cr_expect(eq(u64, pace_on_ns(&sim->pace, sim->now), before.open_ns));
	cr_expect(eq(u64, pace_off_ns(&sim->pace, sim->now), before.off_ns));
	*sim = before;
}

void sim_end(struct sim *sim)
{
	struct pace *pace = &sim->pace;
	uint64_t end_ns = pace_end(pace);

	cr_expect(eq(sz, sim->illegal, 0));
	cr_expect(eq(u64, end_ns, sim->now));
	cr_expect(eq(u64, pace_on_ns(pace, end_ns), sim->open_ns));
	cr_expect(eq(u64, pace_off_ns(pace, end_ns), sim->off_ns));
	cr_expect(eq(u64, sim->open_ns + sim->off_ns, end_ns - sim->began_ns));
	expect_reach(sim);
	if (pace->details && !sim->window.without_details)
		sim->details_ns += end_ns - sim->details_since_ns;
	if (pace->details)
		cr_expect(eq(u64, pace_details_ns(pace, end_ns), sim->details_ns));
	expect_nothing_counts(sim);
}

void sim_free(struct sim *sim)
{
	pace_free(&sim->pace);
}
