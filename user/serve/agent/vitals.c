// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each node is opened once more for this: the agent may forget its own target of one that has ended at any time. What
 * schedulers run is sampled at random times, so that no node is in step with it.
 */
#include "serve/agent/vitals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "node/atoms/pids.h"
#include "node/memory/limits.h"
#include "node/memory/memory.h"
#include "node/processes/schedulers.h"
#include "serve/agent/agent_parts.h"

#define LOOK_NS (100 * NS_PER_MS)
#define AGAIN_NS (10 * NS_PER_S) /* what cannot be opened is tried again */
#define SECONDS 10		 /* over which it is said how busy schedulers are */

struct vital_node {
	pid_t pid;
	uint64_t start_time;
	bool is_traced;	       /* still */
	uint64_t next_ns;      /* when it may be opened */
	struct target *target; /* NULL: it could not be opened */
	struct erl_pid_layout pids;
	struct schedulers *schedulers; /* NULL: not known, as of a release that is not */
	struct scheduler_look *looks;
	uint32_t busy[SECONDS], looked[SECONDS]; /* looks at one normal scheduler, in each of the last seconds */
	bool is_read, has_told;
	/* As it was read last: */
	size_t run_queue;
	uint64_t reductions, resident;
	uint64_t told; /* reductions that are in the metrics, or were before the first reading */
	struct node_limits limits;
};

struct agent_vitals {
	struct agent *agent;
	struct vital_node *nodes[VITALS_MOST];
	size_t count, without; /* without: traced, and there was no room */
	size_t second;	       /* of `busy` and `looked` */
	size_t next_look, next_read;
};

static void node_close(struct vital_node *node)
{
	free(node->looks);
	schedulers_free(node->schedulers);
	target_free(node->target);
	node->looks = NULL;
	node->schedulers = NULL;
	node->target = NULL;
}

/* Not yet, if the node has just started. */
static void open_schedulers(struct vital_node *node)
{
	if (pid_layout_read(node->target, &node->pids))
		return;
	node->schedulers = schedulers_new(node->target, &node->pids);
	node->looks = node->schedulers ? calloc(schedulers_count(node->schedulers) + 1, sizeof(*node->looks)) : NULL;
	if (node->looks)
		return;
	schedulers_free(node->schedulers);
	node->schedulers = NULL;
}

static int open_target(struct vital_node *node)
{
	const char *why;
	int err = target_open(node->pid, &node->target, &why);

	if (err) {
		node->target = NULL;
		return err;
	}
	/* The agent knows when it ends, and may need the descriptor. */
	target_end(node->target);
	return 0;
}

/* Without a word: the tools say what is wrong with a node that cannot be read. */
static void node_open(struct vital_node *node)
{
	uint64_t now = duration_now();

	if (node->schedulers || now < node->next_ns)
		return;
	node->next_ns = now + AGAIN_NS;
	/* Its file is being read: the next tick asks again. */
	if (!node->target && open_target(node) == -EAGAIN)
		node->next_ns = now;
	if (node->target)
		open_schedulers(node);
}

/* Which nodes there are. */

static struct vital_node *find(const struct agent_vitals *vitals, const struct target *target)
{
	for (size_t i = 0; i < vitals->count; i++) {
		if (vitals->nodes[i]->pid == target->pid && vitals->nodes[i]->start_time == target->start_time)
			return vitals->nodes[i];
	}
	return NULL;
}

/* False: there is no room for it. */
static bool learn(struct agent_vitals *vitals, const struct target *target)
{
	struct vital_node *node = find(vitals, target);

	if (!node && vitals->count < VITALS_MOST) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return false;
		node->pid = target->pid;
		node->start_time = target->start_time;
		vitals->nodes[vitals->count++] = node;
	}
	if (node)
		node->is_traced = true;
	return node;
}

/* How many of a tool's nodes have no room. */
static size_t learn_job(struct agent_vitals *vitals, const struct job *job)
{
	size_t without = 0;

	for (size_t i = 0; job->is_on && i < follow_count(job->run.follow); i++) {
		if (!follow_is_over(job->run.follow, i))
			without += !learn(vitals, follow_get(job->run.follow, i)->target);
	}
	return without;
}

/* Tools trace the same nodes, but for some that a tool cannot trace. */
static void learn_all(struct agent_vitals *vitals)
{
	for (size_t i = 0; i < vitals->count; i++)
		vitals->nodes[i]->is_traced = false;
	vitals->without = 0;
	for (size_t i = 0; i < vitals->agent->options->tool_count; i++) {
		size_t without = learn_job(vitals, &vitals->agent->jobs[i]);

		vitals->without = without > vitals->without ? without : vitals->without;
	}
}

static void forget_others(struct agent_vitals *vitals)
{
	size_t kept = 0;

	for (size_t i = 0; i < vitals->count; i++) {
		struct vital_node *node = vitals->nodes[i];

		if (node->is_traced) {
			vitals->nodes[kept++] = node;
			continue;
		}
		node_close(node);
		free(node);
	}
	vitals->count = kept;
}

/* Looks and readings. */

static void look_at(const struct agent_vitals *vitals, struct vital_node *node)
{
	size_t normal = node->schedulers ? schedulers_of_kind(node->schedulers, SCHEDULER_NORMAL) : 0;
	size_t online = normal ? schedulers_online(node->schedulers) : 0;

	if (!normal)
		return;
	schedulers_look(node->schedulers, node->looks);
	for (size_t i = 0; i < normal; i++)
		node->busy[vitals->second] += node->looks[i].process || node->looks[i].port;
	node->looked[vitals->second] += online && online < normal ? online : normal;
}

static void on_look(void *data, uint64_t times)
{
	struct agent_vitals *vitals = data;
	size_t count = vitals->count < VITALS_LOOKS ? vitals->count : VITALS_LOOKS;

	(void)times;
	for (size_t i = 0; i < count; i++)
		look_at(vitals, vitals->nodes[vitals->next_look++ % vitals->count]);
}

static void read_node(struct vital_node *node)
{
	if (!node->target)
		return;
	node_limits_read(node->target, &node->limits);
	node->resident = node_resident(node->target);
	if (node->schedulers) {
		node->run_queue = schedulers_run_queue(node->schedulers);
		node->reductions = schedulers_reductions(node->schedulers);
	}
	node->is_read = true;
}

void agent_vitals_tick(struct agent_vitals *vitals)
{
	size_t count;

	learn_all(vitals);
	forget_others(vitals);
	vitals->second = (vitals->second + 1) % SECONDS;
	for (size_t i = 0; i < vitals->count; i++) {
		node_open(vitals->nodes[i]);
		vitals->nodes[i]->busy[vitals->second] = vitals->nodes[i]->looked[vitals->second] = 0;
	}
	count = vitals->count < VITALS_READ ? vitals->count : VITALS_READ;
	for (size_t i = 0; i < count; i++)
		read_node(vitals->nodes[vitals->next_read++ % vitals->count]);
}

struct agent_vitals *agent_vitals_new(struct agent *agent)
{
	struct agent_vitals *vitals = calloc(1, sizeof(*vitals));
	int err;

	if (!vitals)
		return NULL;
	vitals->agent = agent;
	err = event_loop_add_random_timer(agent->waiting, LOOK_NS, on_look, vitals);
	if (!err)
		return vitals;
	pr_err("cannot wait for events: %s", strerror(-err));
	free(vitals);
	return NULL;
}

void agent_vitals_free(struct agent_vitals *vitals)
{
	for (size_t i = 0; vitals && i < vitals->count; i++) {
		node_close(vitals->nodes[i]);
		free(vitals->nodes[i]);
	}
	free(vitals);
}

/* As metrics. */

struct vital_families {
	struct metric_family *busy, *run_queue, *reductions, *processes, *resident, *without;
};

static struct vital_families families(struct metrics *metrics)
{
	return (struct vital_families){
		.busy = metrics_family(metrics, "erlbpf_node_schedulers_busy_ratio",
				       "Share of looks at a normal scheduler, in the last ten seconds, in which it ran "
				       "a process or a port.",
				       METRIC_GAUGE, UNIT_NONE, 1),
		.run_queue = metrics_family(metrics, "erlbpf_node_run_queue_length",
					    "Processes and ports that wait for a normal scheduler.", METRIC_GAUGE,
					    UNIT_NONE, 1),
		.reductions = metrics_family(metrics, "erlbpf_node_reductions",
					     "Reductions that normal schedulers have done.", METRIC_COUNTER, UNIT_NONE,
					     1),
		.processes = metrics_family(metrics, "erlbpf_node_processes", "Processes of the node.", METRIC_GAUGE,
					    UNIT_NONE, 1),
		.resident = metrics_family(metrics, "erlbpf_node_resident_memory_bytes",
					   "Memory of the node, as the kernel counts it.", METRIC_GAUGE, UNIT_BYTES, 1),
		.without = metrics_family(metrics, "erlbpf_nodes_without_vitals",
					  "Nodes that are traced and have no erlbpf_node_ metrics because there are "
					  "too many.",
					  METRIC_GAUGE, UNIT_NONE, 1),
	};
}

static void tell_busy(const struct vital_node *node, struct metrics *metrics, struct metric_family *family,
		      const struct metric_label *labels, size_t count)
{
	uint64_t busy = 0, looked = 0;

	for (size_t i = 0; i < SECONDS; i++) {
		busy += node->busy[i];
		looked += node->looked[i];
	}
	/* More than all: some went offline after they were looked at. */
	if (looked)
		metrics_raise(metrics, family, labels, count, busy < looked ? (double)busy / (double)looked : 1);
}

static void tell_reductions(struct vital_node *node, struct metrics *metrics, struct metric_family *family,
			    const struct metric_label *labels, size_t count)
{
	if (!node->reductions)
		return;
	if (!node->has_told || node->told > node->reductions)
		node->told = node->reductions;
	node->has_told = true;
	metrics_add(metrics, family, labels, count, (double)(node->reductions - node->told));
	node->told = node->reductions;
}

/* Nodes whose labels are alike, as those without names, are one series: their sum, and how busy the busiest is. */
static void tell_node(const struct agent_vitals *vitals, struct vital_node *node, const struct vital_families *to)
{
	const struct target *target = agent_target(vitals->agent, node->pid, node->start_time);
	struct metrics *metrics = vitals->agent->metrics;
	struct metric_label labels[METRICS_LABELS];
	char otp[16];
	size_t count = target ? agent_labels(vitals->agent, target, otp, labels) : 0;

	if (!target || !node->is_read)
		return;
	tell_busy(node, metrics, to->busy, labels, count);
	tell_reductions(node, metrics, to->reductions, labels, count);
	if (node->schedulers)
		metrics_add(metrics, to->run_queue, labels, count, (double)node->run_queue);
	if (node->limits.processes.most)
		metrics_add(metrics, to->processes, labels, count, (double)node->limits.processes.used);
	if (node->resident)
		metrics_add(metrics, to->resident, labels, count, (double)node->resident);
}

void agent_vitals_tell(const struct agent_vitals *vitals)
{
	struct vital_families to = families(vitals->agent->metrics);

	if (!to.busy || !to.run_queue || !to.reductions || !to.processes || !to.resident || !to.without)
		return;
	for (size_t i = 0; i < vitals->count; i++)
		tell_node(vitals, vitals->nodes[i], &to);
	metrics_tell(vitals->agent->metrics, to.without, NULL, (double)vitals->without);
}
