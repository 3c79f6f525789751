// SPDX-License-Identifier: BSD-2-Clause
#include "pace_simulated.h"

#include <errno.h>
#include <math.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/random.h"

#define STEP_NS (NS_PER_MS / 2)
#define NODE_FACTOR 1.6

static struct sim *sim_of(const struct pace_world *world)
{
	return world->data;
}

static double chance(struct sim *sim)
{
	return (double)(random_next(&sim->random) & 0xffffffff) / 4294967296.0;
}

/* Each millisecond has a rate of its own: most have little, few have very much. */
static double tail_rate(struct sim *sim)
{
	uint64_t ms = sim->now / NS_PER_MS;

	if (ms != sim->burst_ms) {
		sim->burst_ms = ms;
		sim->burst = sim->load.rate * fmin(pow(1 - chance(sim), -1 / sim->load.tail) - 1, 1000);
	}
	return sim->burst;
}

static double rate_now(struct sim *sim)
{
	const struct sim_load *load = &sim->load;
	uint64_t since = sim->now - sim->began_ns;

	if (load->to_ns && (since < load->from_ns || since >= load->to_ns))
		return 0;
	if (load->period_ns && (since + load->phase_ns) % load->period_ns >= load->on_ns)
		return 0;
	return load->tail > 0 ? tail_rate(sim) : load->rate;
}

static bool is_open(const struct sim *sim)
{
	return sim->is_attached && !sim->window.is_off && !sim->window.closed_ns;
}

static void step(struct sim *sim, uint64_t ns)
{
	double part = sim->is_switching ? 0.5 : sim->is_attached ? 1 : 0;
	double dearer = sim->load.dearer > 0 ? sim->load.dearer : NODE_FACTOR;
	double events = rate_now(sim) * (double)ns / NS_PER_S, billed = events * part * sim->load.hit_ns;

	sim->events += events;
	sim->seen += is_open(sim) ? events : 0;
	sim->billed_ns += billed;
	sim->spent_ns += billed * dearer;
	sim->cpu_ns += sim->load.work * (double)ns + billed * dearer;
	sim->now += ns;
}

void sim_pass(struct sim *sim, uint64_t ns)
{
	for (; ns > STEP_NS; ns -= STEP_NS)
		step(sim, STEP_NS);
	step(sim, ns);
}

/* The world. */

static void nothing(struct pace_world *world)
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

static struct hit_costs costs(const struct pace_world *world)
{
	(void)world;
	return (struct hit_costs){ .pair_ns = 100, .call_ns = 200, .is_measured = true };
}

static struct bill_sum paid(struct pace_world *world, const struct hit_costs *hits)
{
	(void)hits;
	return (struct bill_sum){ .all_ns = (uint64_t)sim_of(world)->billed_ns };
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

static uint64_t results(const struct pace_world *world)
{
	return (uint64_t)sim_of(world)->seen;
}

static void tell(struct pace_world *world, const struct erl_window *window)
{
	sim_of(world)->window = *window;
}

static void switch_probes(struct sim *sim, bool to, uint64_t ns)
{
	sim->is_switching = true;
	sim_pass(sim, ns);
	sim->is_switching = false;
	sim->is_attached = to;
}

static void pause(struct pace_world *world)
{
	struct sim *sim = sim_of(world);

	sim->pauses++;
	switch_probes(sim, false, sim->load.detach_ns);
}

static int resume(struct pace_world *world, enum attach_part part)
{
	struct sim *sim = sim_of(world);

	(void)part;
	if (sim->fail) {
		sim->fail--;
		return -ESRCH;
	}
	sim->resumes++;
	switch_probes(sim, true, sim->load.attach_ns);
	return 0;
}

static uint64_t switching_ns(const struct pace_world *world)
{
	(void)world;
	return 0;
}

static const struct pace_world_ops ops = {
	.begin = nothing,
	.end = nothing,
	.now = now,
	.node_count = node_count,
	.is_over = is_over,
	.most_cpus = most_cpus,
	.cpu_ns = cpu_ns,
	.costs = costs,
	.paid = paid,
	.program_ns = program_ns,
	.is_learning = is_learning,
	.forget = nothing,
	.results = results,
	.tell = tell,
	.pause = pause,
	.pause_details = nothing,
	.resume = resume,
	.switching_ns = switching_ns,
};

void sim_begin(struct sim *sim, const struct sim_load *load, struct pace_setup setup, uint64_t seed)
{
	log_set_level(LOG_QUIET);
	*sim = (struct sim){
		.load = *load,
		.now = 1000 * NS_PER_S,
		.began_ns = 1000 * NS_PER_S,
		.random = seed * 2654435761u + 1,
		.is_attached = !setup.starts_away,
	};
	setup.world = (struct pace_world){ .ops = &ops, .data = sim };
	pace_begin(&sim->pace, &setup);
	sim->pace.sampling.random = seed * 40503 + 7;
}

void sim_run(struct sim *sim, uint64_t ns)
{
	for (uint64_t end = sim->now + ns; sim->now < end;) {
		sim_pass(sim, PACE_TICK_NS);
		pace_tick(&sim->pace);
	}
}

double sim_rate(const struct sim *sim)
{
	return sim->events / ((double)(sim->now - sim->began_ns) / NS_PER_S);
}

void sim_free(struct sim *sim)
{
	pace_free(&sim->pace);
}
