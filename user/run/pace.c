// SPDX-License-Identifier: BSD-2-Clause
#include "run/pace.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "load/window.h"
#include "node/schedulers.h"
#include "target/proc_stat.h"
#include "target/procfs.h"

#define FULL_NS NS_PER_S /* the node's time of which the account holds its share */
#define LEAST_FULL_NS (int64_t)(25 * NS_PER_MS)
#define BUSY_NS (500 * NS_PER_MS)	  /* between two looks at how much the nodes use */
#define SHORT 5				  /* a node waits for processors, a fifth of the time that it has them */
#define MOST_CLOSING_NS (300 * NS_PER_MS) /* for cases to end */

/* Time. */

static double schedulers_of(const struct target *target)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	double most = online > 0 ? (double)online : 1, schedulers = (double)schedulers_normal(target);

	return schedulers > 0 && schedulers < most ? schedulers : most;
}

/*
 * Processors that it has used since the last look: at least one, so that an idle node is traced in full. But one that
 * has to wait for them, because others are busy or its control group has a limit, has no time to spare.
 */
static double busy_cpus(struct pace *pace, size_t i, uint64_t now)
{
	const struct target *target = follow_get(pace->follow, i)->target;
	struct pace_node *node = &pace->nodes[i];
	uint64_t waited_ns = proc_stat_threads_waited(target->pid), used_ns = node->cpu_ns - node->busy_cpu_ns;
	bool is_short = waited_ns > node->waited_ns && waited_ns - node->waited_ns > used_ns / SHORT;
	double most = schedulers_of(target), used = 1;

	if (now > pace->busy_ns)
		used = (double)used_ns / (double)(now - pace->busy_ns);
	node->busy_cpu_ns = node->cpu_ns;
	node->waited_ns = waited_ns;
	if (used < 1 && !is_short)
		used = 1;
	return used < most ? used : most;
}

static void know_nodes(struct pace *pace)
{
	size_t count = follow_count(pace->follow);
	struct pace_node *nodes;

	if (count <= pace->node_count)
		return;
	nodes = realloc(pace->nodes, count * sizeof(*nodes));
	if (!nodes)
		return;
	pace->nodes = nodes;
	for (; pace->node_count < count; pace->node_count++) {
		pid_t pid = follow_get(pace->follow, pace->node_count)->target->pid;
		uint64_t cpu_ns = procfs_cpu_ns(pid);

		nodes[pace->node_count] = (struct pace_node){ cpu_ns, cpu_ns, proc_stat_threads_waited(pid) };
	}
}

/* Processor time that the nodes have used since the last call. */
static int64_t read_cpu(struct pace *pace)
{
	int64_t sum = 0;

	know_nodes(pace);
	for (size_t i = 0; i < pace->node_count; i++) {
		uint64_t cpu_ns = follow_is_over(pace->follow, i)
					  ? 0
					  : procfs_cpu_ns(follow_get(pace->follow, i)->target->pid);

		if (cpu_ns > pace->nodes[i].cpu_ns) {
			sum += (int64_t)(cpu_ns - pace->nodes[i].cpu_ns);
			pace->nodes[i].cpu_ns = cpu_ns;
		}
	}
	return sum;
}

/* The budget holds for each node, also if all hits are of one: so the smallest decides. */
static void measure_nodes(struct pace *pace, uint64_t now)
{
	double least = 0;

	if (now - pace->busy_ns < BUSY_NS)
		return;
	for (size_t i = 0; i < pace->node_count; i++) {
		double cpus = follow_is_over(pace->follow, i) ? 0 : busy_cpus(pace, i, now);

		if (cpus > 0 && (least <= 0 || cpus < least))
			least = cpus;
	}
	pace->cpus = least > 0 ? least : 1;
	pace->busy_ns = now;
}

/* What was paid for hits and what the nodes did beside since the last call, for the phase that it was in. */
static void settle(struct pace *pace)
{
	struct hit_costs costs = hit_costs_now();
	uint64_t paid;
	int64_t cost, work;

	bill_learn(&pace->bill, pace->follow);
	paid = bill_ns(&pace->bill, pace->loader, &costs);
	/* Costs that have only just been measured make the past cheaper than it was booked, perhaps. */
	cost = paid > pace->paid_ns ? (int64_t)(paid - pace->paid_ns) : 0;
	pace->paid_ns = paid;
	work = read_cpu(pace) - cost;
	pace->work_ns += work;
	if (pace->phase == PACE_OPEN)
		pace->on_work_ns += work;
	pace->account_ns -= cost;
}

/* Windows. */

static void set_window(struct pace *pace, enum pace_phase phase, uint64_t now)
{
	settle(pace);
	if (pace->since_ns) {
		pace->on_ns += now - pace->since_ns;
		pace->since_ns = 0;
	}
	if (phase == PACE_OPEN) {
		pace->window.opened_ns = pace->since_ns = now;
		pace->window.closed_ns = 0;
	} else if (!pace->window.closed_ns) {
		pace->window.closed_ns = now;
	}
	pace->window.is_off = phase == PACE_OFF;
	pace->phase = phase;
	window_set(pace->loader, &pace->window);
}

static void own_costs(struct pace *pace)
{
	struct hit_costs costs = hit_costs_now();

	pace->own_program_ns = bill_program_ns(&pace->bill);
	pace->window.pair_ns = costs.pair_ns;
	pace->window.return_ns = costs.call_ns;
	pace->window.plain_ns = costs.ns[HIT_PLAIN] + pace->own_program_ns;
	pace->window.call_ns = costs.ns[HIT_RETURN] + pace->own_program_ns;
}

/* A window that is shorter than a few slices of the node's processes shows nothing. */
static int64_t full_account(const struct pace *pace)
{
	int64_t full = (int64_t)(FULL_NS * pace->share * pace->cpus);

	return full > LEAST_FULL_NS ? full : LEAST_FULL_NS;
}

void pace_begin(struct pace *pace, const struct pace_setup *setup)
{
	*pace = (struct pace){
		.mode = setup->mode,
		.share = setup->share,
		.advice = setup->advice,
		.lets_end = setup->lets_end,
		.loader = setup->loader,
		.follow = setup->follow,
		.cpus = 1,
		.began_ns = duration_now(),
	};
	bill_begin(&pace->bill);
	own_costs(pace);
	pace->last_ns = pace->busy_ns = pace->began_ns;
	pace->account_ns = full_account(pace);
	if (setup->mode != PACE_NEVER)
		set_window(pace, PACE_OPEN, pace->began_ns);
	/* What has begun before counts as today's: nothing was missed of it, the programs were there. */
	pace->window.opened_ns = 0;
	window_set(pace->loader, &pace->window);
}

void pace_free(struct pace *pace)
{
	if (pace->began_ns)
		bill_free(&pace->bill);
	free(pace->nodes);
	*pace = (struct pace){};
}

static void say_shed(struct pace *pace)
{
	if (pace->has_shed)
		return;
	pace->has_shed = true;
	pr_info("To cost the node less than %.3g %%, probes are on only part of the time: %s.", pace->share * 100,
		pace->advice);
}

static void take_away(struct pace *pace, uint64_t now)
{
	/* The first window has no beginning for the programs. */
	uint64_t opened = pace->window.opened_ns ? pace->window.opened_ns : pace->began_ns;

	set_window(pace, PACE_OFF, now);
	follow_pause(pace->follow);
	pr_debug("probes off after %llu ms, taken away in %llu ms, %lld us overdrawn",
		 (unsigned long long)((now - opened) / NS_PER_MS),
		 (unsigned long long)((duration_now() - now) / NS_PER_MS), (long long)-pace->account_ns / 1000);
}

void pace_hold(struct pace *pace)
{
	if (pace->mode != PACE_BOUNDED || pace->phase == PACE_OFF)
		return;
	take_away(pace, duration_now());
}

static void bring_back(struct pace *pace)
{
	uint64_t start = duration_now();

	if (follow_resume(pace->follow)) {
		/* A node that ends just now, perhaps: once more when the account is full again. */
		pace->account_ns = 0;
		return;
	}
	set_window(pace, PACE_OPEN, duration_now());
	pr_debug("probes put in place in %llu ms", (unsigned long long)((duration_now() - start) / NS_PER_MS));
}

static void close_window(struct pace *pace, uint64_t now)
{
	uint64_t open_ns = now - pace->since_ns;

	say_shed(pace);
	if (!pace->lets_end) {
		take_away(pace, now);
		return;
	}
	pace->close_until_ns = now + (open_ns < MOST_CLOSING_NS ? open_ns : MOST_CLOSING_NS);
	set_window(pace, PACE_CLOSING, now);
}

static void earn(struct pace *pace, uint64_t now, int64_t full)
{
	pace->account_ns += (int64_t)((double)(now - pace->last_ns) * pace->share * pace->cpus);
	pace->account_ns = pace->account_ns < full ? pace->account_ns : full;
	pace->last_ns = now;
}

/* What measuring adds to what is measured. */
static void set_own_costs(struct pace *pace)
{
	if (pace->window.pair_ns == hit_costs_now().pair_ns && pace->own_program_ns == bill_program_ns(&pace->bill))
		return;
	own_costs(pace);
	window_set(pace->loader, &pace->window);
}

void pace_tick(struct pace *pace)
{
	uint64_t now = duration_now();
	int64_t full, reserve;

	if (pace->mode == PACE_NEVER || pace->ended_ns)
		return;
	set_own_costs(pace);
	settle(pace);
	if (pace->mode != PACE_BOUNDED)
		return;
	measure_nodes(pace, now);
	full = full_account(pace);
	earn(pace, now, full);
	reserve = pace->lets_end ? full / 2 : 0;
	if (pace->phase == PACE_OPEN && pace->account_ns < reserve)
		close_window(pace, now);
	else if (pace->phase == PACE_CLOSING && (now >= pace->close_until_ns || pace->account_ns < -full))
		take_away(pace, now);
	else if (pace->phase == PACE_OFF && pace->account_ns >= full)
		bring_back(pace);
}

void pace_end(struct pace *pace, uint64_t now_ns)
{
	if (pace->mode != PACE_NEVER)
		set_window(pace, PACE_OFF, now_ns);
	pace->ended_ns = now_ns;
}

uint64_t pace_on_ns(const struct pace *pace, uint64_t now_ns)
{
	return pace->on_ns + (pace->since_ns && now_ns > pace->since_ns ? now_ns - pace->since_ns : 0);
}

uint64_t pace_off_ns(const struct pace *pace, uint64_t now_ns)
{
	uint64_t end_ns = pace->ended_ns && pace->ended_ns < now_ns ? pace->ended_ns : now_ns;
	uint64_t on_ns = pace_on_ns(pace, end_ns);

	return end_ns - pace->began_ns > on_ns ? end_ns - pace->began_ns - on_ns : 0;
}

void pace_work_ns(const struct pace *pace, int64_t *all_ns, int64_t *on_ns)
{
	*all_ns = pace->work_ns;
	*on_ns = pace->on_work_ns;
}

uint64_t pace_cost_ns(const struct pace *pace)
{
	return pace->paid_ns;
}
