// SPDX-License-Identifier: BSD-2-Clause
/* Tools that sample because they cost too much: when their windows begin and end. */
#include <errno.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/io/event_loop.h"
#include "serve/agent/agent_parts.h"

/* True if a window is open and ends soon. */
static bool tick_open_windows(struct agent *agent)
{
	bool is_any = false;

	for (size_t i = 0; i < agent->options->tool_count; i++) {
		struct job *job = &agent->jobs[i];

		if (!job->is_in_windows || pace_is_away(&job->run.pace))
			continue;
		pace_tick(&job->run.pace);
		is_any |= pace_ends_soon(&job->run.pace);
	}
	return is_any;
}

/*
 * Opens one window at a time: placing and removing probes waits for the kernel, and the window of another tool could
 * not be closed meanwhile.
 */
static void on_window_tick(void *data, uint64_t times)
{
	struct agent *agent = data;
	size_t count = agent->options->tool_count;

	(void)times;
	if (tick_open_windows(agent))
		return;
	for (size_t i = 1; i <= count; i++) {
		struct job *job = &agent->jobs[(agent->windows.last + i) % count];

		if (!job->is_in_windows || !pace_is_away(&job->run.pace))
			continue;
		pace_tick(&job->run.pace);
		if (pace_is_away(&job->run.pace))
			continue;
		agent->windows.last = (agent->windows.last + i) % count;
		return;
	}
}

static void on_ready(void *data, uint64_t times)
{
	const struct agent *agent = data;

	(void)times;
	if (agent->windows.waiting)
		event_loop_turn(agent->windows.waiting, 0);
}

void agent_windows_stop(struct agent *agent)
{
	if (!agent->windows.waiting)
		return;
	event_loop_remove(agent->waiting, event_loop_fd(agent->windows.waiting));
	event_loop_free(agent->windows.waiting);
	agent->windows.waiting = NULL;
}

static int start(struct agent *agent)
{
	struct event_loop *waiting = event_loop_new();
	int err;

	if (!waiting)
		return -errno;
	agent->windows.waiting = waiting;
	err = event_loop_add_timer(waiting, duration_now() + PACE_TICK_NS, PACE_TICK_NS, on_window_tick, agent);
	if (!err)
		err = event_loop_add(agent->waiting, event_loop_fd(waiting), on_ready, agent);
	if (err)
		agent_windows_stop(agent);
	return err;
}

void agent_windows_update(struct agent *agent)
{
	double share = overhead_window_share(agent->overhead);
	size_t count = 0;
	int err = 0;

	for (size_t i = 0; i < agent->options->tool_count; i++) {
		if (!agent->jobs[i].is_in_windows)
			continue;
		pace_set_budget(&agent->jobs[i].run.pace, share);
		count++;
	}
	/* Without a tool in windows, the timer would wake the agent for nothing. */
	if (!count)
		agent_windows_stop(agent);
	else if (!agent->windows.waiting)
		err = start(agent);
	if (err)
		pr_err("cannot start the timer of measurement windows: %s", strerror(-err));
}
