// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each node is opened again for this, because the agent may free its own target at any time. Schedulers are sampled at
 * random times, to avoid running in step with a node.
 */
#include "serve/node_view/node_metrics.h"

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
#include "serve/node_view/node_labels.h"
#include "serve/node_view/node_view.h"

#define LOOK_NS (100 * NS_PER_MS)
#define AGAIN_NS (10 * NS_PER_S) /* retry interval of opening a node */
#define SECONDS 10		 /* period of the utilisation of schedulers */

struct measured_node {
	pid_t pid;
	uint64_t start_time;
	bool is_traced;	       /* still */
	uint64_t next_ns;      /* earliest time of opening */
	struct target *target; /* NULL: it could not be opened */
	struct erl_pid_layout pids;
	struct schedulers *schedulers; /* NULL: not known, for example an unknown release */
	struct scheduler_look *looks;
	uint32_t busy[SECONDS], looked[SECONDS]; /* samples of normal schedulers in each of the last seconds */
	bool is_read, is_reported;
	/* Last reading: */
	size_t run_queue;
	uint64_t reductions, resident;
	uint64_t reported; /* reductions already in the metrics, or before the first reading */
	struct node_limits limits;
};

struct node_metrics {
	const struct node_view *view;
	struct measured_node *nodes[NODE_METRICS_MOST];
	size_t count, without; /* without: traced nodes beyond the limit */
	size_t second;	       /* of `busy` and `looked` */
	size_t next_look, next_read;
};

static void node_close(struct measured_node *node)
{
	free(node->looks);
	schedulers_free(node->schedulers);
	target_free(node->target);
	node->looks = NULL;
	node->schedulers = NULL;
	node->target = NULL;
}

/* Fails while the node is starting. */
static void open_schedulers(struct measured_node *node)
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

static int open_target(struct measured_node *node)
{
	const char *why;
	int err = target_open(node->pid, &node->target, &why);

	if (err) {
		node->target = NULL;
		return err;
	}
	/* The agent notices the end of the node; this target needs no pidfd. */
	target_end(node->target);
	return 0;
}

/* Prints nothing: tools report nodes that cannot be read. */
static void node_open(struct measured_node *node)
{
	uint64_t now = duration_now();

	if (node->schedulers || now < node->next_ns)
		return;
	node->next_ns = now + AGAIN_NS;
	/* Its executable is being read: the next tick tries again. */
	if (!node->target && open_target(node) == -EAGAIN)
		node->next_ns = now;
	if (node->target)
		open_schedulers(node);
}

/* Finding nodes. */

static struct measured_node *find(const struct node_metrics *all, const struct target *target)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->nodes[i]->pid == target->pid && all->nodes[i]->start_time == target->start_time)
			return all->nodes[i];
	}
	return NULL;
}

/* False: no room. */
static bool learn(struct node_metrics *all, const struct target *target)
{
	struct measured_node *node = find(all, target);

	if (!node && all->count < NODE_METRICS_MOST) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return false;
		node->pid = target->pid;
		node->start_time = target->start_time;
		all->nodes[all->count++] = node;
	}
	if (node)
		node->is_traced = true;
	return node;
}

struct visit {
	struct node_metrics *all;
	size_t without; /* nodes for which there is no room */
};

static bool visit_node(void *to, const struct target *target)
{
	struct visit *visit = to;

	visit->without += !learn(visit->all, target);
	return false;
}

/* Tools trace the same nodes, except those that one of them cannot trace. */
static void learn_all(struct node_metrics *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->nodes[i]->is_traced = false;
	all->without = 0;
	for (size_t tool = 0; tool < all->view->tool_count; tool++) {
		struct visit visit = { .all = all };

		all->view->search(all->view->data, tool, visit_node, &visit);
		all->without = visit.without > all->without ? visit.without : all->without;
	}
}

static void forget_others(struct node_metrics *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct measured_node *node = all->nodes[i];

		if (node->is_traced) {
			all->nodes[kept++] = node;
			continue;
		}
		node_close(node);
		free(node);
	}
	all->count = kept;
}

/* Looks and readings. */

static void look_at(const struct node_metrics *all, struct measured_node *node)
{
	size_t normal = node->schedulers ? schedulers_of_kind(node->schedulers, SCHEDULER_NORMAL) : 0;
	size_t online = normal ? schedulers_online(node->schedulers) : 0;

	if (!normal)
		return;
	schedulers_look(node->schedulers, node->looks);
	for (size_t i = 0; i < normal; i++)
		node->busy[all->second] += node->looks[i].process || node->looks[i].port;
	node->looked[all->second] += online && online < normal ? online : normal;
}

static void on_look(void *data, uint64_t times)
{
	struct node_metrics *all = data;
	size_t count = all->count < NODE_METRICS_LOOKS ? all->count : NODE_METRICS_LOOKS;

	(void)times;
	for (size_t i = 0; i < count; i++)
		look_at(all, all->nodes[all->next_look++ % all->count]);
}

static void read_node(struct measured_node *node)
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

void node_metrics_tick(struct node_metrics *all)
{
	size_t count;

	learn_all(all);
	forget_others(all);
	all->second = (all->second + 1) % SECONDS;
	for (size_t i = 0; i < all->count; i++) {
		node_open(all->nodes[i]);
		all->nodes[i]->busy[all->second] = all->nodes[i]->looked[all->second] = 0;
	}
	count = all->count < NODE_METRICS_READ ? all->count : NODE_METRICS_READ;
	for (size_t i = 0; i < count; i++)
		read_node(all->nodes[all->next_read++ % all->count]);
}

struct node_metrics *node_metrics_new(const struct node_view *view)
{
	struct node_metrics *all = calloc(1, sizeof(*all));
	int err;

	if (!all)
		return NULL;
	all->view = view;
	err = event_loop_add_random_timer(view->waiting, LOOK_NS, on_look, all);
	if (!err)
		return all;
	pr_err("cannot wait for events: %s", strerror(-err));
	free(all);
	return NULL;
}

void node_metrics_free(struct node_metrics *all)
{
	for (size_t i = 0; all && i < all->count; i++) {
		node_close(all->nodes[i]);
		free(all->nodes[i]);
	}
	free(all);
}

/* As metrics. */

struct families {
	struct metric_family *busy, *run_queue, *reductions, *processes, *resident, *without;
};

static struct families families(struct metrics *metrics)
{
	return (struct families){
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

static void report_busy(const struct measured_node *node, struct metrics *metrics, struct metric_family *family,
			const struct metric_label *labels, size_t count)
{
	uint64_t busy = 0, looked = 0;

	for (size_t i = 0; i < SECONDS; i++) {
		busy += node->busy[i];
		looked += node->looked[i];
	}
	/* May exceed `looked` if schedulers went offline in between. */
	if (looked)
		metrics_raise(metrics, family, labels, count, busy < looked ? (double)busy / (double)looked : 1);
}

static void report_reductions(struct measured_node *node, struct metrics *metrics, struct metric_family *family,
			      const struct metric_label *labels, size_t count)
{
	if (!node->reductions)
		return;
	if (!node->is_reported || node->reported > node->reductions)
		node->reported = node->reductions;
	node->is_reported = true;
	metrics_add(metrics, family, labels, count, (double)(node->reductions - node->reported));
	node->reported = node->reductions;
}

/* Nodes with equal labels, such as those without names, share a series: the sum, and the utilisation of the busiest. */
static void report_node(const struct node_metrics *all, struct measured_node *node, const struct families *to)
{
	const struct target *target = node_view_find(all->view, node->pid, node->start_time);
	struct metrics *metrics = all->view->metrics;
	struct metric_label labels[METRICS_LABELS];
	size_t count = target ? node_labels_fill(all->view->labels, target, labels) : 0;

	if (!target || !node->is_read)
		return;
	report_busy(node, metrics, to->busy, labels, count);
	report_reductions(node, metrics, to->reductions, labels, count);
	if (node->schedulers)
		metrics_add(metrics, to->run_queue, labels, count, (double)node->run_queue);
	if (node->limits.processes.most)
		metrics_add(metrics, to->processes, labels, count, (double)node->limits.processes.used);
	if (node->resident)
		metrics_add(metrics, to->resident, labels, count, (double)node->resident);
}

void node_metrics_report(const struct node_metrics *all)
{
	struct families to = families(all->view->metrics);

	if (!to.busy || !to.run_queue || !to.reductions || !to.processes || !to.resident || !to.without)
		return;
	for (size_t i = 0; i < all->count; i++)
		report_node(all, all->nodes[i], &to);
	metrics_tell(all->view->metrics, to.without, NULL, (double)all->without);
}
