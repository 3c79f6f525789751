// SPDX-License-Identifier: BSD-2-Clause
#include "why/node_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/duration.h"
#include "why/host/host_cpu.h"
#include "why/host/threads.h"
#include "why/processes/process_trends.h"
#include "why/schedulers/samples.h"
#include "why/source/source.h"

#define SAMPLE_SHARE 40 /* samples may use a 40th of one CPU */

#define SOURCE(name) extern const struct why_source name##_source;
#include "why/sources.def"
#undef SOURCE

static const struct why_source *const sources[] = {
#define SOURCE(name) &name##_source,
#include "why/sources.def"
#undef SOURCE
};

#define SOURCES (sizeof(sources) / sizeof(*sources))

struct node_watch {
	struct why_node node;
	void *states[SOURCES];
	struct sign_time_shares *shares; /* of each normal scheduler */
	uint64_t next_ns;		 /* until then, another sample would cost too much */
	uint64_t cost_ns;		 /* average CPU time of a sample */
};

static int open_node(struct node_watch *w, struct name_style style, const struct threads *threads)
{
	struct why_node *n = &w->node;

	n->schedulers = schedulers_new(n->target, &n->pids);
	n->processes = n->schedulers ? processes_new(n->target, &n->pids, style) : NULL;
	if (!n->processes)
		return -errno;
	n->cpu = host_cpu_new(n->target->pid, schedulers_of_kind(n->schedulers, SCHEDULER_NORMAL), threads);
	n->samples = n->cpu ? samples_new(n->target, n->schedulers, n->processes, n->cpu) : NULL;
	n->trends = n->samples ? trends_new(n->target, n->processes) : NULL;
	if (!n->trends)
		return -errno;
	w->shares = calloc(schedulers_of_kind(n->schedulers, SCHEDULER_NORMAL) + 1, sizeof(*w->shares));
	return w->shares ? 0 : -ENOMEM;
}

static int open_sources(struct node_watch *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < SOURCES; i++) {
		w->states[i] = calloc(1, sources[i]->size + 1);
		if (!w->states[i])
			return -ENOMEM;
		if (sources[i]->open)
			err = sources[i]->open(w->states[i], &w->node);
	}
	return err;
}

struct node_watch *node_watch_new(const struct target *target, struct name_style style)
{
	struct node_watch *w = calloc(1, sizeof(*w));
	struct threads threads = {};
	int err;

	if (!w)
		return NULL;
	w->node.target = target;
	w->node.threads = &threads;
	err = pid_layout_read(target, &w->node.pids);
	if (!err)
		err = threads_read(target->pid, &threads);
	if (!err)
		err = open_node(w, style, &threads);
	if (!err)
		err = open_sources(w);
	threads_free(&threads);
	w->node.threads = NULL;
	if (!err)
		return w;
	node_watch_free(w);
	errno = -err;
	return NULL;
}

void node_watch_free(struct node_watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < SOURCES; i++) {
		if (w->states[i] && sources[i]->close)
			sources[i]->close(w->states[i]);
		free(w->states[i]);
	}
	trends_free(w->node.trends);
	samples_free(w->node.samples);
	host_cpu_free(w->node.cpu);
	processes_free(w->node.processes);
	schedulers_free(w->node.schedulers);
	free(w->shares);
	free(w);
}

static uint64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void node_watch_sample(struct node_watch *w)
{
	uint64_t before, now = duration_now();

	if (now < w->next_ns)
		return;
	before = cpu_now();
	samples_take(w->node.samples);
	for (size_t i = 0; i < SOURCES; i++) {
		if (sources[i]->sample)
			sources[i]->sample(w->states[i], &w->node);
	}
	w->cost_ns = w->cost_ns * 7 / 8 + (cpu_now() - before) / 8;
	w->next_ns = now + w->cost_ns * SAMPLE_SHARE;
}

void node_watch_look(struct node_watch *w)
{
	for (size_t i = 0; i < SOURCES; i++) {
		if (sources[i]->look)
			sources[i]->look(w->states[i], &w->node);
	}
}

int node_watch_read(struct node_watch *w)
{
	int err = trends_read(w->node.trends);

	if (err)
		return err;
	samples_step(w->node.samples);
	for (size_t i = 0; i < SOURCES; i++) {
		if (sources[i]->read)
			sources[i]->read(w->states[i], &w->node);
	}
	return 0;
}

static void finish_shares(struct node_watch *w, struct signs *signs)
{
	double throttled = host_cpu_throttled(signs);
	size_t count = schedulers_of_kind(w->node.schedulers, SCHEDULER_NORMAL);

	for (size_t i = 0; i < count && signs->schedulers.looks; i++) {
		struct scheduler_measures measured = {};

		host_cpu_measure(w->node.cpu, i, &measured);
		samples_measure(w->node.samples, i, &measured);
		w->shares[i] = time_shares_split(&measured, throttled);
	}
	signs->time_shares = time_shares_mean(w->shares, count);
}

const struct sign_time_shares *node_watch_shares(const struct node_watch *w, size_t *count)
{
	*count = schedulers_of_kind(w->node.schedulers, SCHEDULER_NORMAL);
	return w->shares;
}

void node_watch_finish(struct node_watch *w, struct signs *signs)
{
	*signs = (struct signs){};
	host_cpu_finish(w->node.cpu, signs);
	trends_finish(w->node.trends, w->node.samples, signs);
	samples_finish(w->node.samples, signs);
	finish_shares(w, signs);
	for (size_t i = 0; i < SOURCES; i++) {
		if (sources[i]->finish)
			sources[i]->finish(w->states[i], &w->node, signs);
	}
}
