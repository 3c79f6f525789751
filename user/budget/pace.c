// SPDX-License-Identifier: BSD-2-Clause
#include "budget/pace.h"

#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "budget/surcharge.h"

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

/* The world. */

static uint64_t now_of(const struct pace *pace)
{
	return pace->world.ops->now(&pace->world);
}

static void tell_window(struct pace *pace)
{
	pace->world.ops->tell(&pace->world, &pace->window);
}

static struct hit_costs costs_of(const struct pace *pace)
{
	return pace->world.ops->costs(&pace->world);
}

static uint64_t program_ns_of(const struct pace *pace)
{
	return pace->world.ops->program_ns(&pace->world);
}

static bool is_learning(const struct pace *pace)
{
	return pace->world.ops->is_learning(&pace->world);
}

void pace_forget(struct pace *pace)
{
	pace_nodes_forget(&pace->nodes, &pace->world);
	pace->world.ops->forget(&pace->world);
}

/* Time. */

static void add_reductions(struct pace_reductions *to, uint64_t count, uint64_t time_ns)
{
	to->count += count;
	to->time_ns += time_ns;
}

/* What they did since the last call, for the phase that it was in. */
static void look_at_reductions(struct pace *pace)
{
	uint64_t now = now_of(pace), count;
	bool is_known = pace_nodes_did(&pace->nodes, &pace->world, &count);

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
	pace_nodes_know(&pace->nodes, &pace->world);
	return pace_nodes_used(&pace->nodes, &pace->world);
}

static void measure_nodes(struct pace *pace, uint64_t now)
{
	double least;

	if (now - pace->busy_ns < (pace->busy_ns == pace->began_ns ? FIRST_BUSY_NS : BUSY_NS))
		return;
	least = pace_nodes_least(&pace->nodes, &pace->world, now - pace->busy_ns);
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
	uint64_t now = now_of(pace);

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
	struct hit_costs costs = costs_of(pace);
	struct bill_sum paid = pace->world.ops->paid(&pace->world, &costs);
	int64_t cost, details, counted;

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
	tell_window(pace);
}

/* Now. To settle takes a while, for which hits would be missed, or counted in no window. */
static void set_window(struct pace *pace, enum pace_phase phase)
{
	settle(pace);
	look_at_reductions(pace);
	set_window_at(pace, phase, now_of(pace));
}

static void own_costs(struct pace *pace)
{
	struct hit_costs costs = costs_of(pace);

	pace->own_program_ns = program_ns_of(pace);
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
		.world = setup->world,
		.nodes.count_reductions = setup->mode == PACE_BOUNDED,
		.cpus = 1,
		.surcharge = SURCHARGE_FIRST,
		.began_ns = setup->world.ops->now(&setup->world),
	};
	pace->world.ops->begin(&pace->world);
	own_costs(pace);
	pace->last_ns = pace->busy_ns = pace->settled_ns = pace->began_ns;
	pace->account_ns = pace->cases_ns = full_account(pace);
	if (setup->starts_away)
		start_away(pace);
	else if (setup->mode != PACE_NEVER)
		open_first(pace);
	/* What has begun before counts as today's: nothing was missed of it, the programs were there. */
	pace->window.opened_ns = 0;
	tell_window(pace);
}

bool pace_is_away(const struct pace *pace)
{
	return pace->phase == PACE_OFF;
}

bool pace_ends_soon(const struct pace *pace)
{
	bool is_steady = pace->phase == PACE_OPEN && now_of(pace) > pace->since_ns + STEADY_NS;

	return !pace_is_away(pace) && !is_steady;
}

void pace_set_share(struct pace *pace, double share)
{
	pace->share = share;
}

void pace_free(struct pace *pace)
{
	if (pace->began_ns) {
		pace->world.ops->end(&pace->world);
		pace_nodes_free(&pace->nodes, &pace->world);
	}
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
	tell_window(pace);
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
	return (struct switching){ now, pace->world.ops->switching_ns(&pace->world), pace->cases_ns };
}

/* What that has cost. */
static int64_t switching_end(struct pace *pace, const struct switching *begun)
{
	uint64_t guardian_ns = pace->world.ops->switching_ns(&pace->world);

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
	pace->world.ops->pause(&pace->world);
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
		 (unsigned long long)((now_of(pace) - now) / NS_PER_MS), (long long)cost / 1000,
		 (long long)-pace->cases_ns / 1000);
}

void pace_hold(struct pace *pace)
{
	if (pace->mode != PACE_BOUNDED || pace->phase == PACE_OFF)
		return;
	take_away(pace, now_of(pace));
}

/* As long as the node was held up: what has piled up is done by then, unless it hardly has time for more. */
static void wait_to_open(struct pace *pace, uint64_t took_ns)
{
	pace->phase = PACE_PLACED;
	pace->placed_ns = pace->spent_ns;
	pace->open_at_ns = now_of(pace) + (took_ns < MOST_PLACED_NS ? took_ns : MOST_PLACED_NS);
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
	pace->world.ops->pause_details(&pace->world);
	took_ns = now_of(pace) - now;
	wait_to_open(pace, took_ns);
	pr_debug("details off, taken away in %llu ms", (unsigned long long)(took_ns / NS_PER_MS));
}

static void bring_details_back(struct pace *pace, uint64_t now)
{
	leave_window(pace);
	/* If that fails they are simply away. */
	if (!pace->world.ops->resume(&pace->world, ATTACH_DETAILS))
		set_details(pace, true, now_of(pace));
	wait_to_open(pace, now_of(pace) - now);
}

static void bring_back(struct pace *pace)
{
	struct switching switching;
	int err;

	settle(pace);
	look_at_reductions(pace);
	pace->is_away = false;
	pace->surcharge = surcharge_of(&pace->work);
	switching = switching_begin(pace, now_of(pace));
	err = pace->world.ops->resume(&pace->world, ATTACH_CASES);
	if (err) {
		/* A node that ends just now, perhaps, or that does not answer. */
		pr_debug("probes are not put in place now: %s", strerror(-err));
		windows_later(&pace->windows, now_of(pace));
		return;
	}
	pace->resume_ns = switching_end(pace, &switching);
	wait_to_open(pace, now_of(pace) - switching.start_ns);
	pr_debug("probes put in place in %llu ms, which cost %lld us; hits cost %.2f times what was measured",
		 (unsigned long long)((now_of(pace) - switching.start_ns) / NS_PER_MS),
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
	if (pace->window.pair_ns == costs_of(pace).pair_ns && pace->own_program_ns == program_ns_of(pace))
		return;
	own_costs(pace);
	tell_window(pace);
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
	return pace->account_ns >= full && !windows_have_been(&pace->windows) && !is_learning(pace);
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
	uint64_t now = now_of(pace);

	if (pace->mode == PACE_NEVER || pace->ended_ns || now < pace->rests_until_ns)
		return;
	set_own_costs(pace);
	settle(pace);
	if (pace->mode == PACE_BOUNDED)
		tick_bounded(pace, now);
	else if (!is_learning(pace))
		pace->rests_until_ns = now + REST_NS;
}

/* Hits count until the window is closed, so that it is over when all was settled, not before. */
uint64_t pace_end(struct pace *pace)
{
	if (pace->mode != PACE_NEVER) {
		settle(pace);
		look_at_reductions(pace);
	}
	pace->ended_ns = now_of(pace);
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
