// SPDX-License-Identifier: BSD-2-Clause
#include "run/pace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "load/guardian.h"
#include "load/window.h"
#include "node/schedulers.h"
#include "run/surcharge.h"
#include "target/proc_stat.h"
#include "target/procfs.h"

#define LEAST_FULL_NS (25 * NS_PER_MS) /* on a processor; who has less of one spends as much in a longer window */
#define LEAST_SHORT_NS (5 * NS_PER_MS)
#define SWITCH_PART 4	    /* of a full account, what it costs to put the probes in place and to take them away... */
#define MOST_FULL_SECONDS 4 /* ... as far as windows come often enough then */
#define SPENT_PART 0.8 /* of the budget: what the node misses in its caches just after probes have gone is not seen */
#define BUSY_NS (500 * NS_PER_MS) /* between two looks at how much the nodes use */
#define FIRST_BUSY_NS                                                                                                  \
	(100 * NS_PER_MS)	   /* before the first: one that has no processors has less to spend from then on */
#define REST_NS (4 * PACE_TICK_NS) /* most of the account is left then whatever happens in it */
#define MOST_PLACED_NS (100 * NS_PER_MS)
#define STEADY_NS (2 * NS_PER_S) /* longer than any window that has a length */
#define SHORT 5			 /* a node waits for processors, a fifth of the time that it has them... */
#define SHORT_LEAST 20		 /* ... and a 20th of all time: who hardly runs waits for next to nothing */

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
	uint64_t short_ns = waited_ns > node->waited_ns ? waited_ns - node->waited_ns : 0;
	bool is_short = short_ns > used_ns / SHORT && short_ns > (now - pace->busy_ns) / SHORT_LEAST;
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
		const struct target *target = follow_get(pace->follow, pace->node_count)->target;
		pid_t pid = target->pid;
		uint64_t cpu_ns = procfs_cpu_ns(pid);

		nodes[pace->node_count] = (struct pace_node){
			.cpu_ns = cpu_ns,
			.busy_cpu_ns = cpu_ns,
			.waited_ns = proc_stat_threads_waited(pid),
			.reductions = pace->mode == PACE_BOUNDED ? reductions_new(target) : NULL,
			.serial = follow_serial(pace->follow, pace->node_count),
		};
	}
}

/* Both lists are in the same order. */
void pace_forget(struct pace *pace)
{
	size_t kept = 0;

	for (size_t i = 0; i < pace->node_count; i++) {
		if (kept < follow_count(pace->follow) && follow_serial(pace->follow, kept) == pace->nodes[i].serial)
			pace->nodes[kept++] = pace->nodes[i];
		else
			reductions_free(pace->nodes[i].reductions);
	}
	pace->node_count = kept;
	bill_forget(&pace->bill);
}

/*
 * What a node did since it was asked last. One that has ended, or does not answer, is not asked again: probes would be
 * on while we wait for it. False: that is not known.
 */
static bool node_did(struct pace *pace, size_t i, uint64_t *count)
{
	struct pace_node *node = &pace->nodes[i];
	uint64_t before = node->count;

	node->count = node->reductions && !follow_is_over(pace->follow, i) ? reductions_read(node->reductions) : 0;
	if (!node->count) {
		reductions_free(node->reductions);
		node->reductions = NULL;
	}
	if (!before || node->count < before)
		return false;
	*count += node->count - before;
	return true;
}

static void add_reductions(struct pace_reductions *to, uint64_t count, uint64_t time_ns)
{
	to->count += count;
	to->time_ns += time_ns;
}

/* What they did since the last call, for the phase that it was in: those of which it is known stand for the others. */
static void look_at_reductions(struct pace *pace)
{
	uint64_t now = duration_now(), count = 0;
	bool is_known = false;

	for (size_t i = 0; i < pace->node_count; i++)
		is_known |= node_did(pace, i, &count);
	if (is_known)
		add_reductions(&pace->work.all.reductions, count, now - pace->looked_ns);
	if (is_known && pace->phase == PACE_OPEN)
		add_reductions(&pace->work.open.reductions, count, now - pace->looked_ns);
	if (is_known && pace->is_away)
		add_reductions(&pace->work.away.reductions, count, now - pace->looked_ns);
	pace->looked_ns = now;
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

	if (now - pace->busy_ns < (pace->busy_ns == pace->began_ns ? FIRST_BUSY_NS : BUSY_NS))
		return;
	for (size_t i = 0; i < pace->node_count; i++) {
		double cpus = follow_is_over(pace->follow, i) ? 0 : busy_cpus(pace, i, now);

		if (cpus > 0 && (least <= 0 || cpus < least))
			least = cpus;
	}
	pace->cpus = least > 0 ? least : 1;
	if (pace->most_cpus > 0 && pace->cpus > pace->most_cpus)
		pace->cpus = pace->most_cpus;
	pace->busy_ns = now;
}

/* Costs that have only just been measured make the past cheaper than it was booked, perhaps. */
static int64_t cost_since(uint64_t before_ns, uint64_t now_ns)
{
	return now_ns > before_ns ? (int64_t)(now_ns - before_ns) : 0;
}

static void pay(struct pace *pace, int64_t cost, int64_t details)
{
	pace->account_ns -= cost;
	pace->cases_ns -= cost - details;
	pace->spent_ns += cost - details;
}

static void book_work(struct pace *pace, int64_t own_ns, int64_t cost_ns)
{
	uint64_t now = duration_now();

	if (pace->phase == PACE_OPEN) {
		pace->work.open.own_ns += own_ns;
		pace->work.open.cost_ns += cost_ns;
	}
	if (pace->is_away) {
		pace->work.away.own_ns += own_ns;
		pace->work.away.time_ns += (int64_t)(now - pace->settled_ns);
	}
	pace->settled_ns = now;
}

/* What was paid for hits and what the nodes did beside since the last call, for the phase that it was in. */
static void settle(struct pace *pace)
{
	struct hit_costs costs = hit_costs_now();
	struct bill_sum paid;
	int64_t cost, details, counted;

	bill_learn(&pace->bill, pace->follow);
	paid = bill_sum(&pace->bill, pace->loader, &costs);
	cost = cost_since(pace->paid.all_ns, paid.all_ns);
	details = cost_since(pace->paid.details_ns, paid.details_ns);
	counted = cost_since(pace->paid.counted_ns, paid.counted_ns);
	pace->paid = paid;
	book_work(pace, read_cpu(pace) - cost - counted, cost);
	cost = (int64_t)((double)cost * pace->surcharge);
	pay(pace, cost, (int64_t)((double)details * pace->surcharge));
	pace->counted_ns += counted;
	pace->charged_ns += cost + counted;
}

/* Windows. */

/* What the window that is there, if any, has measured up to then; it may be over. */
static void reach_window(const struct pace *pace, uint64_t now, struct reach *reach)
{
	/* The first one has no beginning for the programs. */
	uint64_t opened_ns = pace->window.opened_ns ? pace->window.opened_ns : pace->began_ns;

	if ((pace->phase == PACE_OPEN || pace->phase == PACE_CLOSING) && now > opened_ns)
		reach_add(reach, opened_ns, pace->window.closed_ns ? pace->window.closed_ns : now, now);
}

/* At that time, when all was settled up to then: programs are told at once. */
static void set_window_at(struct pace *pace, enum pace_phase phase, uint64_t now)
{
	if (phase == PACE_OFF)
		reach_window(pace, now, &pace->reach);
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

/* Now. To settle takes a while, for which hits would be missed, or counted in no window. */
static void set_window(struct pace *pace, enum pace_phase phase)
{
	settle(pace);
	look_at_reductions(pace);
	set_window_at(pace, phase, duration_now());
}

static void own_costs(struct pace *pace)
{
	struct hit_costs costs = hit_costs_now();

	pace->own_program_ns = bill_program_ns(&pace->bill);
	pace->window.pair_ns = costs.pair_ns;
	pace->window.return_ns = costs.call_ns;
	pace->window.plain_ns = costs.bare_ns[HIT_PLAIN] + pace->own_program_ns;
	pace->window.call_ns = costs.bare_ns[HIT_RETURN] + pace->own_program_ns;
}

/* A window that is shorter than a few slices of the node's processes shows nothing, nor one that is all switching. */
int64_t pace_full_ns(double share, double cpus, int64_t switch_ns)
{
	int64_t full = (int64_t)(NS_PER_S * share * cpus), most = MOST_FULL_SECONDS * full;
	int64_t wanted = switch_ns * SWITCH_PART, least = LEAST_FULL_NS;

	if (cpus < 1)
		least = cpus * LEAST_FULL_NS > LEAST_SHORT_NS ? (int64_t)(cpus * LEAST_FULL_NS)
							      : (int64_t)LEAST_SHORT_NS;

	if (full < wanted)
		full = wanted < most ? wanted : most;
	return full > least ? full : least;
}

static int64_t full_account(const struct pace *pace)
{
	return pace_full_ns(pace->share, pace->cpus, pace->switch_ns);
}

/* Of a second. Where probes have never been away, there is no time just after. */
static double spent_share(const struct pace *pace)
{
	return (windows_have_been(&pace->windows) ? SPENT_PART : 1) * pace->share * pace->cpus;
}

/* From which windows are paid. */
static struct account account_of(const struct pace *pace)
{
	int64_t full = full_account(pace);

	return (struct account){
		.ns = pace->cases_ns,
		.full_ns = full,
		.reserve_ns = pace->lets_end ? full / 2 : 0,
		.share = spent_share(pace),
		.spent_ns = pace->spent_ns,
	};
}

static void plan_window(struct pace *pace, uint64_t now)
{
	struct account account = account_of(pace);

	windows_open(&pace->windows, now, &account);
}

static void open_window(struct pace *pace, uint64_t now)
{
	set_window(pace, PACE_OPEN);
	pace->resume_ns += pace->spent_ns - pace->placed_ns;
	pace->whole_since_ns = pace->since_ns;
	plan_window(pace, now);
}

/* From the beginning on: nothing was missed. */
static void open_first(struct pace *pace)
{
	settle(pace);
	look_at_reductions(pace);
	set_window_at(pace, PACE_OPEN, pace->began_ns);
	plan_window(pace, pace->began_ns);
}

static void start_away(struct pace *pace)
{
	settle(pace);
	look_at_reductions(pace);
	pace->window.is_off = true;
	pace->whole_since_ns = UINT64_MAX;
	pace->is_away = true;
}

void pace_begin(struct pace *pace, const struct pace_setup *setup)
{
	*pace = (struct pace){
		.mode = setup->mode,
		.share = setup->share,
		.most_cpus = setup->most_cpus,
		.advice = setup->advice,
		.details = setup->details,
		.lets_end = setup->lets_end,
		.loader = setup->loader,
		.follow = setup->follow,
		.cpus = 1,
		.surcharge = SURCHARGE_FIRST,
		.began_ns = duration_now(),
	};
	bill_begin(&pace->bill);
	own_costs(pace);
	pace->last_ns = pace->busy_ns = pace->settled_ns = pace->began_ns;
	pace->account_ns = pace->cases_ns = full_account(pace);
	if (setup->starts_away)
		start_away(pace);
	else if (setup->mode != PACE_NEVER)
		open_first(pace);
	/* What has begun before counts as today's: nothing was missed of it, the programs were there. */
	pace->window.opened_ns = 0;
	window_set(pace->loader, &pace->window);
}

bool pace_is_away(const struct pace *pace)
{
	return pace->phase == PACE_OFF;
}

bool pace_ends_soon(const struct pace *pace)
{
	bool is_steady = pace->phase == PACE_OPEN && duration_now() > pace->since_ns + STEADY_NS;

	return !pace_is_away(pace) && !is_steady;
}

void pace_set_share(struct pace *pace, double share)
{
	pace->share = share;
}

void pace_free(struct pace *pace)
{
	if (pace->began_ns)
		bill_free(&pace->bill);
	for (size_t i = 0; i < pace->node_count; i++)
		reductions_free(pace->nodes[i].reductions);
	free(pace->nodes);
	*pace = (struct pace){};
}

static void say_shed_details(struct pace *pace)
{
	if (pace->has_shed_details)
		return;
	pace->has_shed_details = true;
	pr_info("To cost the node less than %.3g %%, %s only part of the time, and of processes that had a case. "
		"--exact does so always.",
		pace->share * 100, pace->details);
}

static bool has_details(const struct pace *pace)
{
	return pace->details && !pace->window.without_details;
}

static void set_details(struct pace *pace, bool are_on, uint64_t now)
{
	if (!are_on && has_details(pace))
		pace->details_on_ns += now - (pace->window.details_ns ? pace->window.details_ns : pace->began_ns);
	pace->window.without_details = !are_on;
	pace->window.details_ns = now;
	pace->window.of_suspects = 1;
	pace->wants_details = false;
	window_set(pace->loader, &pace->window);
}

static void say_shed(struct pace *pace)
{
	if (pace->has_shed || !pace->advice)
		return;
	pace->has_shed = true;
	pr_info("To cost the node less than %.3g %%, probes are on only part of the time: %s.", pace->share * 100,
		pace->advice);
}

/*
 * Probes come and go one after the other, and are hit meanwhile. The kernel changes the node's code while its threads
 * run, which takes the guardian time, and the node about as much.
 */
struct switching {
	uint64_t start_ns, guardian_ns;
	int64_t cases_ns;
};

static struct switching switching_begin(const struct pace *pace, uint64_t now)
{
	return (struct switching){ now, procfs_cpu_ns(guardian_pid()), pace->cases_ns };
}

/* What that has cost. */
static int64_t switching_end(struct pace *pace, const struct switching *begun)
{
	uint64_t guardian_ns = procfs_cpu_ns(guardian_pid());

	settle(pace);
	pay(pace, cost_since(begun->guardian_ns, guardian_ns), 0);
	return begun->cases_ns - pace->cases_ns;
}

static void leave_window(struct pace *pace)
{
	set_window(pace, PACE_OFF);
	pace->whole_since_ns = UINT64_MAX;
}

static void take_away(struct pace *pace, uint64_t now)
{
	/* The first window has no beginning for the programs. */
	uint64_t opened = pace->window.opened_ns ? pace->window.opened_ns : pace->began_ns;
	bool was_open = pace->phase != PACE_PLACED;
	struct switching switching;
	struct account account;
	int64_t cost;

	leave_window(pace);
	account = account_of(pace);
	if (has_details(pace))
		set_details(pace, false, now);
	switching = switching_begin(pace, now);
	follow_pause(pace->follow);
	cost = switching_end(pace, &switching);
	look_at_reductions(pace);
	pace->is_away = true;
	/* The mean of this and what came before: on a busy machine they differ much. */
	pace->switch_ns = (pace->switch_ns + pace->resume_ns + cost) / 2;
	if (was_open)
		windows_over(&pace->windows, now, &account, pace->resume_ns + cost);
	else
		windows_later(&pace->windows, now);
	pr_debug("probes off after %llu ms, taken away in %llu ms, which cost %lld us; %lld us overdrawn",
		 (unsigned long long)((now - opened) / NS_PER_MS),
		 (unsigned long long)((duration_now() - now) / NS_PER_MS), (long long)cost / 1000,
		 (long long)-pace->cases_ns / 1000);
}

void pace_hold(struct pace *pace)
{
	if (pace->mode != PACE_BOUNDED || pace->phase == PACE_OFF)
		return;
	take_away(pace, duration_now());
}

/* As long as the node was held up: what has piled up is done by then, unless it hardly has time for more. */
static void wait_to_open(struct pace *pace, uint64_t took_ns)
{
	pace->phase = PACE_PLACED;
	pace->placed_ns = pace->spent_ns;
	pace->open_at_ns = duration_now() + (took_ns < MOST_PLACED_NS ? took_ns : MOST_PLACED_NS);
}

/*
 * Probes of details come and go without those of cases. The node is held up and hit meanwhile, so that cases would be
 * long because of us: it is in no window.
 */
static void take_details_away(struct pace *pace, uint64_t now)
{
	uint64_t took_ns;

	say_shed_details(pace);
	leave_window(pace);
	set_details(pace, false, now);
	follow_pause_details(pace->follow);
	took_ns = duration_now() - now;
	wait_to_open(pace, took_ns);
	pr_debug("details off, taken away in %llu ms", (unsigned long long)(took_ns / NS_PER_MS));
}

static void bring_details_back(struct pace *pace, uint64_t now)
{
	leave_window(pace);
	/* If that fails they are simply away. */
	if (!follow_resume_part(pace->follow, ATTACH_DETAILS))
		set_details(pace, true, duration_now());
	wait_to_open(pace, duration_now() - now);
}

static void bring_back(struct pace *pace)
{
	struct switching switching;
	int err;

	settle(pace);
	look_at_reductions(pace);
	pace->is_away = false;
	pace->surcharge = surcharge_of(&pace->work);
	switching = switching_begin(pace, duration_now());
	err = follow_resume_part(pace->follow, ATTACH_CASES);
	if (err) {
		/* A node that ends just now, perhaps, or that does not answer. */
		pr_debug("probes are not put in place now: %s", strerror(-err));
		windows_later(&pace->windows, duration_now());
		return;
	}
	pace->resume_ns = switching_end(pace, &switching);
	wait_to_open(pace, duration_now() - switching.start_ns);
	pr_debug("probes put in place in %llu ms, which cost %lld us; hits cost %.2f times what was measured",
		 (unsigned long long)((duration_now() - switching.start_ns) / NS_PER_MS),
		 (long long)pace->resume_ns / 1000, pace->surcharge);
}

static void close_window(struct pace *pace, uint64_t now)
{
	say_shed(pace);
	if (!pace->lets_end) {
		take_away(pace, now);
		return;
	}
	pace->close_until_ns = now + windows_closing_ns(&pace->windows, now);
	set_window(pace, PACE_CLOSING);
}

static int64_t add_up_to(int64_t account_ns, int64_t earned_ns, int64_t full)
{
	return account_ns + earned_ns < full ? account_ns + earned_ns : full;
}

static void earn(struct pace *pace, uint64_t now, int64_t full)
{
	int64_t earned_ns = (int64_t)((double)(now - pace->last_ns) * spent_share(pace));
	int64_t counted_ns = pace->counted_ns < earned_ns / 2 ? pace->counted_ns : earned_ns / 2;

	/* What the VM counts is paid first. But there is a limit of calls for that (--call-limit), and windows must
	 * come. */
	pace->counted_ns -= counted_ns;
	earned_ns -= counted_ns;
	if (pace->counted_ns > full)
		pace->counted_ns = full;
	pace->account_ns = add_up_to(pace->account_ns, earned_ns, full);
	pace->cases_ns = add_up_to(pace->cases_ns, earned_ns, windows_most_ns(&pace->windows, full));
	pace->last_ns = now;
}

/* Details may be there as long as all hits together are paid for. */
static void pace_details(struct pace *pace, uint64_t now, int64_t full)
{
	if (has_details(pace) && pace->account_ns < full / 2)
		take_details_away(pace, now);
	else if (pace->wants_details && !has_details(pace) && pace->account_ns >= full)
		bring_details_back(pace, now);
}

/* What measuring adds to what is measured. */
static void set_own_costs(struct pace *pace)
{
	if (pace->window.pair_ns == hit_costs_now().pair_ns && pace->own_program_ns == bill_program_ns(&pace->bill))
		return;
	own_costs(pace);
	window_set(pace->loader, &pace->window);
}

void pace_want_details(struct pace *pace)
{
	pace->wants_details = true;
}

static void turn_windows(struct pace *pace, uint64_t now)
{
	const struct account account = account_of(pace);
	struct windows *windows = &pace->windows;

	if (pace->phase == PACE_OPEN && !windows_go_on(windows, now, &account))
		close_window(pace, now);
	else if (pace->phase == PACE_CLOSING && (now >= pace->close_until_ns || !windows_may_close(windows, &account)))
		take_away(pace, now);
	else if (pace->phase == PACE_OFF && windows_are_due(windows, now, &account))
		bring_back(pace);
	else if (pace->phase == PACE_PLACED && now >= pace->open_at_ns)
		open_window(pace, now);
}

/* A look costs us some microseconds for each program. None is needed soon while hits cost less than may be spent. */
static bool may_rest(const struct pace *pace, int64_t full)
{
	return pace->account_ns >= full && !windows_have_been(&pace->windows) && !pace->bill.is_learning;
}

static void tick_bounded(struct pace *pace, uint64_t now)
{
	int64_t full;

	measure_nodes(pace, now);
	full = full_account(pace);
	earn(pace, now, full);
	if (pace->phase == PACE_OPEN && pace->details)
		pace_details(pace, now, full);
	turn_windows(pace, now);
	pace->rests_until_ns = may_rest(pace, full) ? now + REST_NS : 0;
}

void pace_tick(struct pace *pace)
{
	uint64_t now = duration_now();

	if (pace->mode == PACE_NEVER || pace->ended_ns || now < pace->rests_until_ns)
		return;
	set_own_costs(pace);
	settle(pace);
	if (pace->mode == PACE_BOUNDED)
		tick_bounded(pace, now);
	else if (!pace->bill.is_learning)
		pace->rests_until_ns = now + REST_NS;
}

/* Hits count until the window is closed, so that it is over when all was settled, not before. */
uint64_t pace_end(struct pace *pace)
{
	if (pace->mode != PACE_NEVER) {
		settle(pace);
		look_at_reductions(pace);
	}
	pace->ended_ns = duration_now();
	if (pace->mode != PACE_NEVER)
		set_window_at(pace, PACE_OFF, pace->ended_ns);
	return pace->ended_ns;
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

void pace_reach(const struct pace *pace, uint64_t now_ns, struct reach *reach)
{
	*reach = pace->reach;
	reach_window(pace, pace->ended_ns && pace->ended_ns < now_ns ? pace->ended_ns : now_ns, reach);
}

uint64_t pace_details_ns(const struct pace *pace, uint64_t now_ns)
{
	uint64_t since = pace->window.details_ns ? pace->window.details_ns : pace->began_ns;

	return pace->details_on_ns + (has_details(pace) && now_ns > since ? now_ns - since : 0);
}

struct pace_work pace_work(struct pace *pace)
{
	if (!pace->ended_ns)
		look_at_reductions(pace);
	return pace->work;
}

uint64_t pace_cost_ns(const struct pace *pace)
{
	return (uint64_t)pace->charged_ns;
}
