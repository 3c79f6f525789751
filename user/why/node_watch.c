// SPDX-License-Identifier: BSD-2-Clause
#include "why/node_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/duration.h"
#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/host/accept_queue.h"
#include "why/find/atoms.h"
#include "why/processes/pending_calls.h"
#include "why/find/wait_groups.h"
#include "why/host/open_files.h"
#include "why/processes/reconnects.h"
#include "why/find/resources.h"
#include "why/host/host_cpu.h"
#include "why/processes/mailbox_senders.h"
#include "why/host/io_waits.h"
#include "why/processes/allocator_use.h"
#include "why/processes/monitors_timers.h"
#include "why/processes/short_timeouts.h"
#include "why/schedulers/samples.h"
#include "why/find/busy_loops.h"
#include "why/processes/state_growth.h"
#include "why/find/purges.h"
#include "why/processes/suspended.h"
#include "why/host/threads.h"
#include "why/find/tracers.h"
#include "why/processes/process_trends.h"
#include "why/find/costly_callers.h"

#define SAMPLE_SHARE 40 /* of one CPU, a 40th may be used for samples */

struct node_watch {
	const struct target *target;
	struct erl_pid_layout pids;
	struct schedulers *schedulers;
	struct processes *processes;
	struct host_cpu *host;
	struct samples *samples;
	struct trends *trends;
	struct mailbox_senders *inflow;
	struct io_waits *io_waits;
	struct suspended suspended;
	struct reconnects flaps;
	struct resources *holdings;
	struct purges storms;
	struct monitors_timers monitoring;
	struct accept_queues accepts;
	struct short_timeouts polls;
	struct state_growths states;
	struct sign_time_shares *shares; /* of each normal scheduler */
	uint64_t files, files_ns;	 /* open files at the begin, and when */
	uint64_t next_ns;		 /* before then, a sample would cost too much */
	uint64_t cost_ns;		 /* CPU time of one, on average */
};

static int open_parts(struct node_watch *c, struct name_style style, const struct threads *threads)
{
	c->schedulers = schedulers_new(c->target, &c->pids);
	c->processes = c->schedulers ? processes_new(c->target, &c->pids, style) : NULL;
	if (!c->processes)
		return -errno;
	c->host = host_cpu_new(c->target->pid, schedulers_of_kind(c->schedulers, SCHEDULER_NORMAL), threads);
	c->samples = c->host ? samples_new(c->target, c->schedulers, c->processes, c->host) : NULL;
	c->trends = c->samples ? trends_new(c->target, c->processes) : NULL;
	c->inflow = c->trends ? mailbox_senders_new(c->target, &c->pids, c->processes) : NULL;
	c->io_waits = c->inflow ? io_waits_new(c->target, c->schedulers, c->processes, threads) : NULL;
	c->holdings = c->io_waits ? resources_new(c->target, &c->pids, c->schedulers, c->processes) : NULL;
	if (!c->holdings)
		return -errno;
	c->shares = calloc(schedulers_of_kind(c->schedulers, SCHEDULER_NORMAL) + 1, sizeof(*c->shares));
	if (!c->shares)
		return -ENOMEM;
	c->files = open_files_count(c->target->pid);
	c->files_ns = duration_now();
	return 0;
}

struct node_watch *node_watch_new(const struct target *target, struct name_style style)
{
	struct node_watch *c = calloc(1, sizeof(*c));
	struct threads threads = {};
	int err;

	if (!c)
		return NULL;
	c->target = target;
	err = pid_layout_read(target, &c->pids);
	if (!err)
		err = threads_read(target->pid, &threads);
	if (!err)
		err = open_parts(c, style, &threads);
	threads_free(&threads);
	if (!err)
		return c;
	node_watch_free(c);
	errno = -err;
	return NULL;
}

void node_watch_free(struct node_watch *c)
{
	if (!c)
		return;
	resources_free(c->holdings);
	io_waits_free(c->io_waits);
	mailbox_senders_free(c->inflow);
	trends_free(c->trends);
	samples_free(c->samples);
	host_cpu_free(c->host);
	processes_free(c->processes);
	schedulers_free(c->schedulers);
	free(c->shares);
	free(c);
}

static uint64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void node_watch_sample(struct node_watch *c)
{
	uint64_t before, now = duration_now();

	if (now < c->next_ns)
		return;
	before = cpu_now();
	samples_take(c->samples);
	mailbox_senders_look(c->inflow);
	purges_look(&c->storms, c->processes);
	c->cost_ns = c->cost_ns * 7 / 8 + (cpu_now() - before) / 8;
	c->next_ns = now + c->cost_ns * SAMPLE_SHARE;
}

void node_watch_look(struct node_watch *c)
{
	suspended_look(&c->suspended, c->target, &c->pids);
	io_waits_look(c->io_waits);
	reconnects_look(&c->flaps, c->target);
}

int node_watch_read(struct node_watch *c)
{
	const struct process *longest[SIGN_FEW];
	int err = trends_read(c->trends);

	if (err)
		return err;
	samples_step(c->samples);
	mailbox_senders_choose(c->inflow, longest, trends_mailboxes(c->trends, longest));
	resources_read(c->holdings);
	purges_read(&c->storms, c->processes);
	monitors_timers_read(&c->monitoring, c->processes);
	accept_queue_look(&c->accepts, c->target->pid);
	state_growth_read(&c->states, c->processes);
	short_timeouts_read(&c->polls, c->processes, c->trends, c->schedulers);
	return 0;
}

static void finish_shares(struct node_watch *c, struct signs *signs)
{
	double throttled = host_cpu_throttled(signs);
	size_t count = schedulers_of_kind(c->schedulers, SCHEDULER_NORMAL);

	for (size_t i = 0; i < count && signs->looks; i++) {
		struct scheduler_measures measured = {};

		host_cpu_measure(c->host, i, &measured);
		samples_measure(c->samples, i, &measured);
		c->shares[i] = time_shares_split(&measured, throttled);
	}
	signs->shares = time_shares_mean(c->shares, count);
}

const struct sign_time_shares *node_watch_shares(const struct node_watch *c, size_t *count)
{
	*count = schedulers_of_kind(c->schedulers, SCHEDULER_NORMAL);
	return c->shares;
}

void node_watch_finish(struct node_watch *c, struct signs *signs)
{
	*signs = (struct signs){};
	host_cpu_finish(c->host, signs);
	trends_finish(c->trends, c->samples, signs);
	atoms_finish(c->samples, c->processes, signs);
	samples_finish(c->samples, signs);
	finish_shares(c, signs);
	costly_callers_finish(c->samples, c->processes, signs);
	resources_finish(c->holdings, c->samples, signs);
	purges_finish(&c->storms, c->processes, c->samples, signs);
	open_files_finish(c->target->pid, c->files, duration_now() - c->files_ns, signs);
	memory_finish(c->target, signs);
	monitors_timers_finish(&c->monitoring, c->processes, signs);
	state_growth_finish(&c->states, c->processes, signs);
	short_timeouts_finish(&c->polls, c->processes, signs);
	busy_loops_finish(c->samples, c->trends, c->processes, signs);
	accept_queue_finish(&c->accepts, &c->pids, c->processes, signs);
	wait_groups_finish(c->processes, c->target, c->trends, signs);
	io_waits_finish(c->io_waits, signs);
	mailbox_senders_finish(c->inflow, signs);
	pending_calls_finish(c->processes, c->target, signs);
	suspended_finish(&c->suspended, c->processes, signs);
	reconnects_finish(&c->flaps, c->processes, signs);
	tracer_finish(c->processes, signs);
}
