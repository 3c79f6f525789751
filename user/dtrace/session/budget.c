// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/session/budget.h"

#include <stdio.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "budget/hit_cost.h"
#include "budget/pace.h"
#include "budget/window.h"
#include "dtrace/session/session_parts.h"
#include "erl.h"
#include "trace/stop.h"

#define MOST_WAIT_MS 250 /* for what a hit costs: it is measured while probes are put in place */

static bool has_budget(const struct session *s)
{
	return s->follow && s->options->max_overhead != 0;
}

static void on_pace(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	pace_tick(&s->pace);
	if (s->pace.has_stopped)
		event_loop_stop(s->waiting);
}

void budget_meanwhile(struct session *s)
{
	if (!s->pace.began_ns)
		return;
	if (stop_is_asked() && !s->pace.ended_ns)
		pace_stop(&s->pace);
	else
		pace_tick(&s->pace);
}

/* What probes at calls add to those that they are within is taken off, also without a budget. */
static void own_costs_set(const struct session *s)
{
	struct hit_costs costs = hit_costs_wait(MOST_WAIT_MS);

	window_set(s->loader, &(struct erl_window){ .pair_ns = costs.pair_ns, .return_ns = costs.call_ns });
}

int budget_begin(struct session *s)
{
	const struct pace_setup setup = {
		.mode = s->options->samples ? PACE_SAMPLE : PACE_BREAKER,
		.share = s->options->max_overhead > 0 ? s->options->max_overhead / 100 : 0,
		.world = pace_world_of(s->loader, s->follow),
	};

	if (functions_wanted(s))
		own_costs_set(s);
	if (!has_budget(s))
		return 0;
	pace_begin(&s->pace, &setup);
	return event_loop_add_timer(s->waiting, duration_now() + PACE_TICK_NS, PACE_TICK_NS, on_pace, s);
}

void budget_end(struct session *s)
{
	if (s->pace.began_ns)
		pace_end(&s->pace);
}

static void tell_stopped(struct session *s)
{
	char text[PACE_STOPPED_TEXT], took[32];

	fprintf(stderr,
		"%s: stopped after %s: %s. Results are complete up to that time.\n"
		"        Narrow the program (a predicate runs after the probe: use fewer probes), raise -x "
		"maxoverhead, or "
		"use -x sample.\n",
		s->options->name, duration_format(s->pace.ended_ns - s->pace.began_ns, took),
		pace_stopped(&s->pace, text));
	s->status = EXIT_LOST;
}

void budget_tell(struct session *s)
{
	uint64_t on_ns = pace_on_ns(&s->pace, s->pace.ended_ns), off_ns = pace_off_ns(&s->pace, s->pace.ended_ns);

	if (!s->pace.began_ns)
		return;
	if (s->pace.has_stopped)
		tell_stopped(s);
	else if (off_ns)
		/* As drops: what is missing is said, whatever -q says of other things. */
		fprintf(stderr,
			"%s: probes of nodes were attached for %.2f of %.2f s: the program counted that part of the "
			"time\n",
			s->options->name, (double)on_ns / NS_PER_S, (double)(on_ns + off_ns) / NS_PER_S);
}
