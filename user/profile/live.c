// SPDX-License-Identifier: BSD-2-Clause
#include "profile/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "dtrace/symbols/symbols.h"
#include "profile/new_nodes.h"
#include "profile/sampler.h"

#define BEFORE_BYTES (4UL << 20)
#define READ_NS (10 * NS_PER_S) /* interval of reading a node's code, up to some 100 MB */

struct live_node {
	struct target *target; /* NULL: unused */
	struct names *names;
	bool has_stacks;  /* stacks without names */
	uint64_t read_ns; /* when its code was read */
};

struct live {
	struct live_request how;
	struct sampler *sampler;
	struct symbols *kernel;
	struct new_nodes *new_nodes;
	struct live_node all[SAMPLE_NODES];
	struct profile *before; /* samples from before code changed, not yet in a profile; NULL: none */
	uint64_t lost;		/* samples already reported to profiles */
	size_t learned;		/* stacks whose process names were read */
	struct stack_merge_counts counts;
};

static bool is_by_process(const struct live *live)
{
	enum stack_merge_by by = live->how.join.by;

	return by == STACK_MERGE_PID || by == STACK_MERGE_NAME || by == STACK_MERGE_MFA;
}

static int load(struct live *live)
{
	const struct sampler_request sampling = {
		.kernel = live->how.kernel,
		.frequency = live->how.frequency,
		.by_process = is_by_process(live),
		.process = live->how.process,
		.stacks = live->how.stacks,
	};

	live->kernel = symbols_new();
	live->sampler = live->kernel ? sampler_new(&sampling) : NULL;
	if (!live->sampler)
		return -errno;
	live->new_nodes = new_nodes_new(live->how.kernel, live->how.nodes, sampler_loader(live->sampler));
	return live->new_nodes ? 0 : -errno;
}

struct live *live_new(const struct live_request *request)
{
	struct live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return NULL;
	live->how = *request;
	err = load(live);
	if (!err)
		return live;
	live_free(live);
	errno = -err;
	return NULL;
}

static void let_go(struct live *live, size_t number)
{
	struct live_node *node = &live->all[number];

	sampler_remove(live->sampler, node->target, (uint16_t)number);
	names_free(node->names);
	target_free(node->target);
	*node = (struct live_node){};
}

void live_free(struct live *live)
{
	if (!live)
		return;
	for (size_t i = 0; i < SAMPLE_NODES; i++) {
		if (live->all[i].target)
			let_go(live, i);
	}
	profile_free(live->before);
	new_nodes_free(live->new_nodes);
	symbols_free(live->kernel);
	sampler_free(live->sampler);
	free(live);
}

int live_start(struct live *live)
{
	return sampler_start(live->sampler);
}

/* Nodes that start and end. */

static size_t free_place(const struct live *live)
{
	size_t i = 0;

	while (i < SAMPLE_NODES && live->all[i].target)
		i++;
	return i;
}

static int adopt(void *data, struct target *target)
{
	struct live *live = data;
	size_t number = free_place(live);
	struct names *names = number < SAMPLE_NODES ? names_new(target, live->how.style) : NULL;
	int err = number == SAMPLE_NODES ? -ENOSPC : !names ? -errno : 0;

	if (!err)
		err = sampler_add(live->sampler, target, (uint16_t)number);
	if (!err) {
		live->all[number] = (struct live_node){ target, names, false, duration_now() };
		return 0;
	}
	names_free(names);
	target_free(target);
	return err;
}

int live_scan(struct live *live)
{
	return new_nodes_scan(live->new_nodes, adopt, live);
}

/* Samples. */

/* Reads names of processes soon after they were sampled, before they end. */
static void learn(struct live *live)
{
	for (; live->learned < sampler_count(live->sampler); live->learned++) {
		const struct sample_stack *stack = sampler_stack(live->sampler, live->learned);
		struct live_node *node = stack->node < SAMPLE_NODES ? &live->all[stack->node] : NULL;

		if (!node || !node->target)
			continue;
		node->has_stacks = true;
		if (stack->process)
			names_learn(node->names, stack->process);
	}
	for (size_t i = 0; i < SAMPLE_NODES; i++) {
		if (live->all[i].has_stacks)
			names_learn_now(live->all[i].names);
	}
}

static void add(struct live *live, const struct stack_merge *join, const struct sample_stack *stack, uint64_t period_ns)
{
	const struct live_node *node = stack->node < SAMPLE_NODES ? &live->all[stack->node] : NULL;
	struct stack_merge_node named;

	if (!node || !node->target)
		return;
	named.names = node->names;
	named.name = node->target->node;
	stack_merge_add(join, &named, stack, period_ns, NULL);
}

static void add_all(struct live *live, struct profile *profile)
{
	uint64_t period_ns = NS_PER_S / live->how.frequency;
	const struct stack_merge join = { profile, &live->how.join, live->kernel, &live->counts };

	for (size_t i = 0; i < sampler_count(live->sampler); i++)
		add(live, &join, sampler_stack(live->sampler, i), period_ns);
	sampler_forget(live->sampler);
	live->learned = 0;
}

/* Code has changed: names of addresses start again. */
static void keep_for_later(struct live *live, struct names *names)
{
	if (!live->before) {
		live->before = profile_new("", "ns");
		if (!live->before)
			return;
		profile_limit(live->before, BEFORE_BYTES);
	}
	add_all(live, live->before);
	names_turn(names);
}

int live_turn(struct live *live)
{
	int err;

	for (size_t i = 0; i < SAMPLE_NODES; i++) {
		if (live->all[i].target && names_have_changed(live->all[i].names))
			keep_for_later(live, live->all[i].names);
	}
	err = sampler_take(live->sampler, is_by_process(live));
	learn(live);
	return err;
}

/* Adds the samples to the profile, unless memory is short. */
static void add_before(struct live *live, struct profile *profile)
{
	if (live->before)
		profile_merge(profile, live->before, NULL, NULL);
	profile_free(live->before);
	live->before = NULL;
}

static void turn_names(struct live *live)
{
	for (size_t i = 0; i < SAMPLE_NODES; i++) {
		struct live_node *node = &live->all[i];

		if (!node->target)
			continue;
		if (node->has_stacks)
			names_turn(node->names);
		node->has_stacks = false;
		if (!target_is_alive(node->target))
			let_go(live, i);
	}
}

static void look_again(struct live *live)
{
	for (size_t i = 0; i < SAMPLE_NODES; i++) {
		struct live_node *node = &live->all[i];

		if (!node->has_stacks)
			continue;
		target_settle_node(node->target);
		if (duration_now() - node->read_ns < READ_NS)
			continue;
		names_refresh(node->names);
		node->read_ns = duration_now();
	}
}

int live_add(struct live *live, struct profile *profile)
{
	uint64_t period_ns = NS_PER_S / live->how.frequency;
	int err = sampler_take(live->sampler, true);
	uint64_t lost = sampler_total(live->sampler, SAMPLE_LOST);

	learn(live);
	look_again(live);
	add_before(live, profile);
	add_all(live, profile);
	profile_lost(profile, (lost - live->lost) * period_ns);
	live->lost = lost;
	turn_names(live);
	return err;
}

struct live_totals live_totals(const struct live *live)
{
	struct live_totals totals = {
		.samples = sampler_total(live->sampler, SAMPLE_SAMPLES),
		.lost = sampler_total(live->sampler, SAMPLE_LOST),
	};

	for (size_t i = 0; i < SAMPLE_NODES; i++)
		totals.nodes += live->all[i].target != NULL;
	return totals;
}
