// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profiling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/waiting.h"
#include "profile/sampler.h"
#include "run/stop.h"
#include "target/procfs.h"

#define TAKE_NS (250 * NS_PER_MS) /* how often it is looked whether stacks have to be taken over */

struct profiled {
	const struct target *target;
	struct names *names;
};

struct profiling {
	const struct profiling_request *request;
	struct sampler *sampler;
	struct waiting *waiting;
	struct symbols *kernel;
	struct profiled *nodes; /* by the number that the sampler gives them */
	size_t node_count, left;
	uint64_t start_ns;
	size_t learned; /* stacks whose processes were asked for their names */
	int err;
};

/* Starting. */

static int add_node(struct profiling *p, const struct target *target)
{
	struct profiled *node = &p->nodes[p->node_count];
	int err;

	node->target = target;
	node->names = names_new(target, p->request->style);
	if (!node->names)
		return -errno;
	err = sampler_add(p->sampler, target, (uint16_t)p->node_count);
	if (!err) {
		p->node_count++;
		return 0;
	}
	names_free(node->names);
	node->names = NULL;
	return err;
}

static int add_nodes(struct profiling *p)
{
	const struct target_list *targets = p->request->targets;
	int last = -ENOENT;

	p->nodes = calloc(targets->count + 1, sizeof(*p->nodes));
	if (!p->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < targets->count && p->node_count < SAMPLE_NODES; i++) {
		int err = add_node(p, targets->targets[i]);

		if (!err)
			continue;
		last = err;
		/* A node that ended meanwhile, or that has no such process, is no matter if there are others. */
		if (err != -ESRCH && err != -ENOENT)
			pr_warn("cannot profile process %d: %s", (int)targets->targets[i]->pid, strerror(-err));
	}
	p->left = p->node_count;
	return p->node_count ? 0 : last;
}

/* Running. */

static void on_stop(void *data, uint64_t times)
{
	(void)times;
	waiting_stop(((struct profiling *)data)->waiting);
}

/* Processes are asked for their names soon after they were sampled, since they may end. */
static void learn(struct profiling *p)
{
	for (; p->learned < sampler_count(p->sampler); p->learned++) {
		const struct sample_stack *stack = sampler_stack(p->sampler, p->learned);

		if (stack->process && stack->node < p->node_count)
			names_learn(p->nodes[stack->node].names, stack->process);
	}
}

static bool is_by_process(const struct profiling *p)
{
	enum join_by by = p->request->join.by;

	return by == JOIN_PID || by == JOIN_NAME || by == JOIN_MFA;
}

static void on_take(void *data, uint64_t times)
{
	struct profiling *p = data;
	size_t alive = 0;

	(void)times;
	p->err = sampler_take(p->sampler, is_by_process(p));
	learn(p);
	for (size_t i = 0; i < p->node_count; i++)
		alive += target_is_alive(p->nodes[i].target);
	if (p->err || !alive)
		waiting_stop(p->waiting);
}

static int wait_for_end(struct profiling *p)
{
	uint64_t now = duration_now(), end = p->request->duration_ns;
	int stop = stop_open(NULL), err;

	err = stop < 0 ? stop : waiting_add(p->waiting, stop, on_stop, p);
	if (!err && end)
		err = waiting_add_timer(p->waiting, now + end, 0, on_stop, p);
	if (!err)
		err = waiting_add_timer(p->waiting, now + TAKE_NS, TAKE_NS, on_take, p);
	while (!err && !waiting_is_stopped(p->waiting)) {
		int turn = waiting_turn(p->waiting, -1);

		if (turn < 0 && turn != -EINTR)
			err = turn;
	}
	return err ? err : p->err;
}

/* Ending. */

static struct profile *name_all(struct profiling *p, struct profiling_summary *summary)
{
	uint64_t period_ns = NS_PER_S / p->request->frequency;
	struct profile *profile = profile_new("processor time", "ns");

	for (size_t i = 0; profile && i < p->node_count; i++)
		names_refresh(p->nodes[i].names);
	for (size_t i = 0; profile && i < sampler_count(p->sampler); i++) {
		const struct sample_stack *stack = sampler_stack(p->sampler, i);
		struct join_node node;

		if (stack->node >= p->node_count)
			continue;
		node.names = p->nodes[stack->node].names;
		node.name = p->nodes[stack->node].target->node;
		join_add(profile, &p->request->join, &node, p->kernel, stack, period_ns, &summary->counts);
	}
	if (!profile)
		return NULL;
	profile_lost(profile, summary->lost * period_ns);
	profile_times(profile, p->start_ns + duration_wall_offset(), summary->duration_ns, period_ns);
	return profile;
}

static void summarize(const struct profiling *p, struct profiling_summary *summary)
{
	summary->samples = sampler_total(p->sampler, SAMPLE_SAMPLES);
	summary->lost = sampler_total(p->sampler, SAMPLE_LOST);
	summary->idle = sampler_total(p->sampler, SAMPLE_IDLE);
	summary->others = sampler_total(p->sampler, SAMPLE_OTHERS);
	summary->filtered = sampler_total(p->sampler, SAMPLE_FILTERED);
}

/* Processor time that the nodes have used so far. One that has ended says 0. */
static uint64_t used_ns(const struct profiling *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->node_count; i++)
		sum += procfs_cpu_ns(p->nodes[i].target->pid);
	return sum;
}

static int sample(struct profiling *p, struct profiling_summary *summary)
{
	int err = sampler_start(p->sampler);
	uint64_t used = used_ns(p), now;

	p->start_ns = duration_now();
	if (!err)
		err = wait_for_end(p);
	summary->duration_ns = duration_now() - p->start_ns;
	now = used_ns(p);
	summary->used_ns = now > used ? now - used : 0;
	sampler_stop(p->sampler);
	return err;
}

static struct profile *sample_and_name(struct profiling *p, struct profiling_summary *summary)
{
	int err = sample(p, summary);

	/* Those of the generation that was counted in last, and of the one before. */
	for (int i = 0; !err && i < 2; i++)
		err = sampler_take(p->sampler, true);
	learn(p);
	summarize(p, summary);
	if (!err)
		return name_all(p, summary);
	errno = -err;
	return NULL;
}

static void end(struct profiling *p)
{
	for (size_t i = 0; i < p->node_count; i++)
		names_free(p->nodes[i].names);
	free(p->nodes);
	symbols_free(p->kernel);
	waiting_free(p->waiting);
	sampler_free(p->sampler);
}

struct profile *profiling_run(const struct profiling_request *request, struct profiling_summary *summary)
{
	struct sampler_request how = {
		.kernel = request->kernel,
		.frequency = request->frequency,
		.process = request->process,
	};
	struct profiling p = { .request = request, .waiting = waiting_new(), .kernel = symbols_new() };
	struct profile *profile = NULL;
	int err = -ENOMEM;

	*summary = (struct profiling_summary){};
	how.by_process = is_by_process(&p);
	if (p.waiting && p.kernel) {
		p.sampler = sampler_new(&how);
		err = p.sampler ? add_nodes(&p) : -errno;
	}
	if (!err) {
		profile = sample_and_name(&p, summary);
		err = profile ? 0 : -errno;
	}
	end(&p);
	errno = -err;
	return profile;
}
