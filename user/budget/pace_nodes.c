// SPDX-License-Identifier: BSD-2-Clause
#include "budget/pace_nodes.h"

#include <stdlib.h>

#define SHORT 5	       /* a node waits for processors, a fifth of the time that it has them... */
#define SHORT_LEAST 20 /* ... and a 20th of all time: who hardly runs waits for next to nothing */

static struct pace_node node_of(const struct pace_nodes *nodes, const struct pace_world *world, size_t i)
{
	const struct pace_world_ops *ops = world->ops;
	uint64_t cpu_ns = ops->cpu_ns(world, i);

	return (struct pace_node){
		.cpu_ns = cpu_ns,
		.busy_cpu_ns = cpu_ns,
		.waited_ns = ops->waited_ns(world, i),
		.reductions = nodes->count_reductions ? ops->reductions(world, i) : NULL,
		.serial = ops->serial(world, i),
	};
}

void pace_nodes_know(struct pace_nodes *nodes, const struct pace_world *world)
{
	size_t count = world->ops->node_count(world);
	struct pace_node *list;

	if (count <= nodes->count)
		return;
	list = realloc(nodes->list, count * sizeof(*list));
	if (!list)
		return;
	nodes->list = list;
	for (; nodes->count < count; nodes->count++)
		list[nodes->count] = node_of(nodes, world, nodes->count);
}

static void free_reductions(struct pace_node *node, const struct pace_world *world)
{
	if (node->reductions)
		world->ops->free_reductions(node->reductions);
	node->reductions = NULL;
}

/* Both lists are in the same order. */
void pace_nodes_forget(struct pace_nodes *nodes, const struct pace_world *world)
{
	const struct pace_world_ops *ops = world->ops;
	size_t kept = 0;

	for (size_t i = 0; i < nodes->count; i++) {
		if (kept < ops->node_count(world) && ops->serial(world, kept) == nodes->list[i].serial)
			nodes->list[kept++] = nodes->list[i];
		else
			free_reductions(&nodes->list[i], world);
	}
	nodes->count = kept;
}

int64_t pace_nodes_used(struct pace_nodes *nodes, const struct pace_world *world)
{
	int64_t sum = 0;

	for (size_t i = 0; i < nodes->count; i++) {
		struct pace_node *node = &nodes->list[i];
		uint64_t cpu_ns = world->ops->is_over(world, i) ? 0 : world->ops->cpu_ns(world, i);

		if (cpu_ns > node->cpu_ns) {
			sum += (int64_t)(cpu_ns - node->cpu_ns);
			node->cpu_ns = cpu_ns;
		}
	}
	return sum;
}

/*
 * What a node did since it was asked last. One that has ended, or does not answer, is not asked again: probes would be
 * on while we wait for it. False: that is not known.
 */
static bool node_did(struct pace_node *node, const struct pace_world *world, bool is_over, uint64_t *count)
{
	uint64_t before = node->count;

	node->count = node->reductions && !is_over ? world->ops->read_reductions(node->reductions) : 0;
	if (!node->count)
		free_reductions(node, world);
	if (!before || node->count < before)
		return false;
	*count += node->count - before;
	return true;
}

bool pace_nodes_did(struct pace_nodes *nodes, const struct pace_world *world, uint64_t *count)
{
	bool is_known = false;

	*count = 0;
	for (size_t i = 0; i < nodes->count; i++)
		is_known |= node_did(&nodes->list[i], world, world->ops->is_over(world, i), count);
	return is_known;
}

/*
 * Processors that it has used: at least one, so that an idle node is traced in full. But one that has to wait for them,
 * because others are busy or its control group has a limit, has no time to spare.
 */
static double busy_cpus(struct pace_node *node, const struct pace_world *world, size_t i, uint64_t took_ns)
{
	uint64_t waited_ns = world->ops->waited_ns(world, i), used_ns = node->cpu_ns - node->busy_cpu_ns;
	uint64_t short_ns = waited_ns > node->waited_ns ? waited_ns - node->waited_ns : 0;
	bool is_short = short_ns > used_ns / SHORT && short_ns > took_ns / SHORT_LEAST;
	double most = world->ops->most_cpus(world, i), used = 1;

	if (took_ns)
		used = (double)used_ns / (double)took_ns;
	node->busy_cpu_ns = node->cpu_ns;
	node->waited_ns = waited_ns;
	if (used < 1 && !is_short)
		used = 1;
	return used < most ? used : most;
}

double pace_nodes_least(struct pace_nodes *nodes, const struct pace_world *world, uint64_t took_ns)
{
	double least = 0;

	for (size_t i = 0; i < nodes->count; i++) {
		double cpus = world->ops->is_over(world, i) ? 0 : busy_cpus(&nodes->list[i], world, i, took_ns);

		if (cpus > 0 && (least <= 0 || cpus < least))
			least = cpus;
	}
	return least;
}

void pace_nodes_free(struct pace_nodes *nodes, const struct pace_world *world)
{
	for (size_t i = 0; i < nodes->count; i++)
		free_reductions(&nodes->list[i], world);
	free(nodes->list);
	*nodes = (struct pace_nodes){};
}
