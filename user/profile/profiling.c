// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profiling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "dtrace/symbols/symbols.h"
#include "profile/events.h"
#include "profile/new_nodes.h"
#include "profile/off_cpu.h"
#include "profile/probing.h"
#include "profile/sampler.h"
#include "budget/pace.h"
#include "trace/stop.h"
#include "target/reader/procfs.h"

#define TAKE_NS (250 * NS_PER_MS) /* interval of reading stacks, while their nodes can be read for names */
#define SCAN_NS (250 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS) /* with -c, the node is about to start */

/* A starting node gets more code memory and threads: it is read again repeatedly. */
#define YOUNG_S 30
#define LEAST_PAUSE_NS (40 * NS_PER_MS)
#define MOST_PAUSE_NS (8 * NS_PER_S)

struct profiled {
	struct target *target;
	bool is_own; /* found while the profile runs: the profile owns the target */
	bool is_over;
	bool is_young;
	struct names *names;
	uint64_t used_from_ns, used_ns; /* CPU time before the profile, and at the last reading */
	uint64_t look_ns, pause_ns;	/* of a starting node: time of the next reading, and the interval after it */
};

struct profiling {
	const struct profiling_request *request;
	struct sampler *sampler; /* NULL: not sampling CPU time */
	struct off_cpu *off;	 /* NULL: not measuring time off CPU */
	struct events *events;	 /* NULL: not counting events */
	struct probing *probing; /* of off_cpu or events; NULL: neither */
	struct event_loop *waiting;
	struct symbols *kernel;
	struct profiled *nodes; /* by the sampler's number */
	size_t node_count;
	struct new_nodes *new_nodes; /* NULL: nodes that start later are not profiled */
	uint64_t nodes_beyond;	     /* nodes beyond the limit */
	uint64_t start_ns;
	size_t learned; /* stacks whose process names were read */
	struct profile *profile;
	struct stack_merge_counts counts; /* of what is in it */
	int err;
};

/* Nodes. */

static int tell_programs(const struct profiling *p, const struct target *target, uint16_t number)
{
	int err = p->sampler ? sampler_add(p->sampler, target, number) : 0;

	return !err && p->probing ? probing_add(p->probing, target, number) : err;
}

static int add_node(struct profiling *p, struct target *target)
{
	struct profiled *node = &p->nodes[p->node_count];
	struct names *names = names_new(target, p->request->style);
	int err;

	if (!names)
		return -errno;
	*node = (struct profiled){
		.target = target,
		.is_young = target_age_s(target) < YOUNG_S,
		.names = names,
		.used_from_ns = procfs_cpu_ns(target->pid),
		.look_ns = duration_now() + LEAST_PAUSE_NS,
		.pause_ns = LEAST_PAUSE_NS,
	};
	node->used_ns = node->used_from_ns;
	err = tell_programs(p, target, (uint16_t)p->node_count);
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

	p->nodes = calloc(SAMPLE_NODES, sizeof(*p->nodes));
	if (!p->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < targets->count && p->node_count < SAMPLE_NODES; i++) {
		int err = add_node(p, targets->targets[i]);

		if (!err)
			continue;
		last = err;
		new_nodes_refused(targets->targets[i]->pid, err);
	}
	return p->node_count || p->request->child ? 0 : last;
}

static bool is_ours(const struct profiling *p, const struct target *target)
{
	for (size_t i = 0; i < p->node_count; i++) {
		const struct target *ours = p->nodes[i].target;

		if (ours->pid == target->pid && ours->start_time == target->start_time)
			return true;
	}
	return false;
}

/* The probing prints its own message. */
static void announce_newcomer(const struct profiling *p, const struct target *target)
{
	bool is_first = p->node_count == 1;

	if (!p->probing && (!is_first || p->request->child))
		pr_info("%s (process %d) has started and is sampled%s", target->node[0] ? target->node : "a node",
			(int)target->pid, is_first ? "" : " too");
}

static int adopt(void *data, struct target *target)
{
	struct profiling *p = data;
	int err = 0;

	if (is_ours(p, target)) {
		target_free(target);
		return 0;
	}
	p->nodes_beyond += p->node_count == SAMPLE_NODES;
	err = p->node_count == SAMPLE_NODES ? -ESRCH : add_node(p, target);
	if (err) {
		target_free(target);
		return err;
	}
	p->nodes[p->node_count - 1].is_own = true;
	announce_newcomer(p, target);
	return 0;
}

/* It may have got a node name, and tables that programs need. */
static void look_again(const struct profiling *p, size_t number)
{
	struct profiled *node = &p->nodes[number];

	target_settle_node(node->target);
	if (!node->is_young || duration_now() < node->look_ns)
		return;
	tell_programs(p, node->target, (uint16_t)number);
	node->look_ns = duration_now() + node->pause_ns;
	if (node->pause_ns < MOST_PAUSE_NS)
		node->pause_ns *= 2;
}

/* The pid may be reused soon. */
static void let_go(const struct profiling *p, size_t number)
{
	struct profiled *node = &p->nodes[number];

	node->is_over = true;
	names_end(node->names);
	if (p->sampler)
		sampler_remove(p->sampler, node->target, (uint16_t)number);
}

/* The number of nodes that have not ended. */
static size_t look_at_nodes(const struct profiling *p)
{
	size_t alive = 0;

	for (size_t i = 0; i < p->node_count; i++) {
		struct profiled *node = &p->nodes[i];
		uint64_t used;

		if (node->is_over)
			continue;
		used = procfs_cpu_ns(node->target->pid);
		if (!target_is_alive(node->target)) {
			let_go(p, i);
			continue;
		}
		node->used_ns = used;
		look_again(p, i);
		alive++;
	}
	return alive;
}

/* CPU time that the nodes have used, up to the last reading. */
static uint64_t used_ns(const struct profiling *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->node_count; i++)
		sum += p->nodes[i].used_ns - p->nodes[i].used_from_ns;
	return sum;
}

static int follow_nodes(struct profiling *p)
{
	const struct profiling_request *request = p->request;

	if (!request->follows)
		return 0;
	p->new_nodes = new_nodes_new(request->kernel, request->nodes,
				     p->sampler ? sampler_loader(p->sampler) : probing_loader(p->probing));
	if (!p->new_nodes)
		return -errno;
	if (!request->child)
		return 0;
	new_nodes_only_tree(p->new_nodes, child_pid(request->child));
	if (p->probing)
		probing_only_tree(p->probing, child_pid(request->child));
	return 0;
}

/* Names. */

static void learn_now(const struct profiling *p)
{
	for (size_t i = 0; i < p->node_count; i++)
		names_learn_now(p->nodes[i].names);
}

/* The lock that a stack waits for; "": none. */
static const char *name_of_lock(const struct profiling *p, const struct sample_stack *stack)
{
	if (!p->events || stack->node >= p->node_count)
		return "";
	return events_lock(p->events, p->nodes[stack->node].target->os_id, stack);
}

/* Stacks are named in batches, because names of processes are read together. */
#define WAITING_STACKS 256

struct waiting_stack {
	struct sample_stack stack;
	uint64_t weight;
	bool has_state;
	char state[STACK_MERGE_LOCK_SIZE];
};

/* What is named with what. */
struct naming_all {
	struct profiling *p;
	struct stack_merge join;
	struct waiting_stack *waiting; /* NULL: out of memory, each is named at once */
	size_t waiting_count;
};

static void name_one(const struct naming_all *n, const struct sample_stack *stack, uint64_t weight, const char *state)
{
	struct stack_merge_node node;

	node.names = n->p->nodes[stack->node].names;
	node.name = n->p->nodes[stack->node].target->node;
	stack_merge_add(&n->join, &node, stack, weight, state);
}

static void name_waiting(struct naming_all *n)
{
	learn_now(n->p);
	for (size_t i = 0; i < n->waiting_count; i++) {
		const struct waiting_stack *w = &n->waiting[i];

		name_one(n, &w->stack, w->weight, w->has_state ? w->state : NULL);
	}
	n->waiting_count = 0;
}

static void add(struct naming_all *n, const struct sample_stack *stack, uint64_t weight, const char *state)
{
	struct waiting_stack *w;

	if (stack->node >= n->p->node_count)
		return;
	if (!n->waiting)
		n->waiting = malloc(WAITING_STACKS * sizeof(*n->waiting));
	if (!n->waiting || !stack->process) {
		name_one(n, stack, weight, state);
		return;
	}
	names_learn(n->p->nodes[stack->node].names, stack->process);
	w = &n->waiting[n->waiting_count++];
	w->stack = *stack;
	w->weight = weight;
	w->has_state = state;
	snprintf(w->state, sizeof(w->state), "%s", state ? state : "");
	if (n->waiting_count == WAITING_STACKS)
		name_waiting(n);
}

static struct naming_all naming_all(struct profiling *p)
{
	return (struct naming_all){ p, { p->profile, &p->request->join, p->kernel, &p->counts }, NULL, 0 };
}

/* Counts all time on dirty I/O schedulers as off CPU, including the little CPU time of it. */
static bool is_time_off(const struct profiling *p, const struct sample_stack *stack)
{
	return p->request->mode == PROFILING_WALL && stack->kind == SAMPLE_DIRTY_IO && stack->flags & SAMPLE_IN_PROCESS;
}

/* Adds the samples of CPU time to the profile. */
static void name_samples(struct profiling *p)
{
	struct naming_all n = naming_all(p);

	for (size_t i = 0; i < sampler_count(p->sampler); i++) {
		const struct sample_stack *stack = sampler_stack(p->sampler, i);

		if (!is_time_off(p, stack))
			add(&n, stack, NS_PER_S / p->request->frequency, NULL);
	}
	name_waiting(&n);
	free(n.waiting);
	sampler_forget(p->sampler);
	p->learned = 0;
}

/*
 * After a module was loaded in the place of an older one, addresses have new names. Samples since the last call belong
 * to the new module, because purged code does not run.
 */
static void look_at_code(struct profiling *p)
{
	for (size_t i = 0; p->sampler && i < p->node_count; i++) {
		struct names *names = p->nodes[i].names;

		if (p->nodes[i].is_over || !names_have_changed(names))
			continue;
		name_samples(p);
		names_turn(names);
	}
}

/* Running. */

static void on_stop(void *data, uint64_t times)
{
	(void)times;
	event_loop_stop(((struct profiling *)data)->waiting);
}

/* Reads names of processes and code soon after they were sampled, before they are gone. */
static void meet(void *data, const struct sample_stack *stack)
{
	const struct profiling *p = data;
	const struct profiled *node = stack->node < p->node_count ? &p->nodes[stack->node] : NULL;

	if (!node || node->is_over || !target_is_alive(node->target))
		return;
	join_meet(node->names, stack);
	name_of_lock(p, stack);
	if (stack->process)
		names_learn(node->names, stack->process);
}

static void learn(struct profiling *p)
{
	for (; p->sampler && p->learned < sampler_count(p->sampler); p->learned++)
		meet(p, sampler_stack(p->sampler, p->learned));
	if (p->probing)
		probing_each_new(p->probing, meet, p);
	for (size_t i = 0; i < p->node_count; i++) {
		if (!p->nodes[i].is_over)
			names_keep_up(p->nodes[i].names);
	}
	learn_now(p);
}

static bool is_by_process(const struct profiling *p)
{
	enum stack_merge_by by = p->request->join.by;

	return by == STACK_MERGE_PID || by == STACK_MERGE_NAME || by == STACK_MERGE_MFA;
}

static void on_take(void *data, uint64_t times)
{
	struct profiling *p = data;

	(void)times;
	look_at_code(p);
	p->err = p->sampler ? sampler_take(p->sampler, true) : 0;
	learn(p);
	if (p->probing)
		probing_scan(p->probing);
	if (p->err || (!look_at_nodes(p) && !p->new_nodes))
		event_loop_stop(p->waiting);
}

/* Ended nodes first: their pids may be reused by new ones. */
static void on_scan(void *data, uint64_t times)
{
	struct profiling *p = data;

	(void)times;
	look_at_nodes(p);
	new_nodes_scan(p->new_nodes, adopt, p);
	if (p->probing)
		probing_scan(p->probing);
}

static void on_pace(void *data, uint64_t times)
{
	(void)times;
	probing_tick(((struct profiling *)data)->probing);
}

static int add_signals(struct profiling *p)
{
	int stop = stop_open(NULL);

	return stop < 0 ? stop : event_loop_add(p->waiting, stop, on_stop, p);
}

static int add_end(struct profiling *p, uint64_t now)
{
	const struct profiling_request *request = p->request;
	int err = request->stop ? event_loop_add(p->waiting, request->stop, on_stop, p) : 0;

	if (!err && request->child)
		err = event_loop_add(p->waiting, child_fd(request->child), on_stop, p);
	if (!err && request->duration_ns)
		err = event_loop_add_timer(p->waiting, now + request->duration_ns, 0, on_stop, p);
	return err;
}

static int wait_for_end(struct profiling *p)
{
	uint64_t now = duration_now(), scan_ns = p->request->child ? SCAN_CHILD_NS : SCAN_NS;
	int err = add_end(p, now);

	if (!err)
		err = event_loop_add_timer(p->waiting, now + TAKE_NS, TAKE_NS, on_take, p);
	if (!err && p->new_nodes)
		err = event_loop_add_timer(p->waiting, now + scan_ns, scan_ns, on_scan, p);
	if (!err && p->probing)
		err = event_loop_add_timer(p->waiting, now + PACE_TICK_NS, PACE_TICK_NS, on_pace, p);
	while (!err && !event_loop_is_stopped(p->waiting)) {
		int turn = event_loop_turn(p->waiting, -1);

		if (turn < 0 && turn != -EINTR)
			err = turn;
	}
	return err ? err : p->err;
}

/* Ending. */

static void add_off(void *data, const struct sample_stack *stack, enum off_reason reason, uint64_t ns)
{
	static const char *const states[] = {
		[OFF_WAITING] = "waiting for a message",
		[OFF_RUNNABLE] = "waiting for a scheduler",
		[OFF_SUSPENDED] = "suspended",
		[OFF_DIRTY_IO] = "in dirty I/O",
		[OFF_GC] = "in GC",
	};

	add(data, stack, ns, states[reason]);
}

static void add_event(void *data, const struct sample_stack *stack, uint64_t weight)
{
	struct naming_all *n = data;
	char text[STACK_MERGE_LOCK_SIZE];

	add(n, stack, weight, join_lock(stack, name_of_lock(n->p, stack), text));
}

static const char *title(enum profiling_mode mode)
{
	static const char *const titles[] = {
		[PROFILING_CPU] = "processor time",
		[PROFILING_OFF] = "time off CPU",
		[PROFILING_WALL] = "time on and off CPU",
	};

	return titles[mode];
}

static struct profile *new_profile(const struct profiling_request *request)
{
	if (request->mode == PROFILING_EVENTS)
		return profile_new(request->events.title, request->events.unit);
	return profile_new(title(request->mode), "ns");
}

/* Names the remaining samples by the current code, or code known from before. */
static int name_all(struct profiling *p, const struct profiling_summary *summary)
{
	uint64_t period_ns = NS_PER_S / p->request->frequency;
	struct naming_all n = naming_all(p);
	int err = 0;

	for (size_t i = 0; i < p->node_count; i++)
		names_refresh(p->nodes[i].names);
	if (p->sampler)
		name_samples(p);
	if (p->off)
		err = off_cpu_read(p->off, add_off, &n);
	if (!err && p->events)
		err = events_read(p->events, add_event, &n);
	if (!err)
		name_waiting(&n);
	free(n.waiting);
	profile_lost(p->profile, summary->lost * period_ns);
	profile_lost_cases(p->profile, summary->off_lost + summary->events_lost);
	profile_times(p->profile, p->start_ns + duration_wall_offset(), summary->duration_ns,
		      p->sampler ? period_ns : 0);
	return err;
}

static void summarize_probes(const struct profiling *p, struct profiling_summary *summary)
{
	const struct pace_seen *seen = p->probing ? probing_watched(p->probing) : NULL;

	summary->probed_part = seen && seen->is_part ? seen->watched_s / seen->of_s : 1;
	if (p->off)
		summary->off_lost = off_cpu_total(p->off, OFF_LOST_STACKS) + off_cpu_total(p->off, OFF_LOST_PROCESSES);
	if (!p->events)
		return;
	summary->events = events_total(p->events, EVENT_HIT_TOTAL);
	summary->events_lost = events_total(p->events, EVENT_LOST_STACKS) + events_total(p->events, EVENT_LOST_OTHERS);
	summary->unknown_base = events_total(p->events, EVENT_UNKNOWN_BASE);
}

static void summarize(const struct profiling *p, struct profiling_summary *summary)
{
	summarize_probes(p, summary);
	summary->nodes = p->node_count;
	summary->nodes_beyond = p->nodes_beyond;
	if (!p->sampler)
		return;
	summary->samples = sampler_total(p->sampler, SAMPLE_SAMPLES);
	summary->lost = sampler_total(p->sampler, SAMPLE_LOST);
	summary->idle = sampler_total(p->sampler, SAMPLE_IDLE);
	summary->others = sampler_total(p->sampler, SAMPLE_OTHERS);
	summary->filtered = sampler_total(p->sampler, SAMPLE_FILTERED);
}

/* Attach first: sampling would only show the attaching. */
static int start(struct profiling *p)
{
	int err = p->probing ? probing_start(p->probing, p->request->child) : 0;

	p->start_ns = duration_now();
	if (!err && p->off)
		off_cpu_begin(p->off);
	if (!err && p->sampler)
		err = sampler_start(p->sampler);
	for (size_t i = 0; i < p->node_count; i++)
		p->nodes[i].used_from_ns = p->nodes[i].used_ns = procfs_cpu_ns(p->nodes[i].target->pid);
	if (!err && p->request->gives_up)
		err = unprivileged_begin(p->request->gives_up);
	return err;
}

/* Some of the sampled nodes may lack the probes. */
static void announce(const struct profiling *p)
{
	_cleanup_free_ char *others = p->probing ? probing_refused(p->probing) : NULL;
	size_t traced = p->probing ? probing_count(p->probing) : 0;

	if (!p->probing)
		pr_info("Sampling %zu node%s. Ctrl-C ends it.", p->node_count, p->node_count == 1 ? "" : "s");
	else if (!p->sampler || traced < p->node_count)
		pr_info("%s%zu node%s%s. Ctrl-C ends it.",
			p->sampler ? "Sampling all nodes, tracing on " : "Tracing on ", traced, traced == 1 ? "" : "s",
			others ? others : "");
	else
		pr_info("Tracing and sampling %zu node%s. Ctrl-C ends it.", traced, traced == 1 ? "" : "s");
}

static const char *doing(const struct profiling *p)
{
	return !p->probing ? "Sampling" : p->sampler ? "Tracing and sampling" : "Tracing";
}

/* Ready: prints the message and starts the command. */
static int begin(const struct profiling *p)
{
	int err;

	if (!p->request->child) {
		announce(p);
		return 0;
	}
	pr_info("%s: waiting for the command's node. Ctrl-C ends it.", doing(p));
	err = child_release(p->request->child);
	if (err)
		pr_err("cannot run %s: %s", p->request->nodes->command[0], strerror(-err));
	return err;
}

static void stop(const struct profiling *p)
{
	if (p->sampler)
		sampler_stop(p->sampler);
	if (p->probing)
		probing_stop(p->probing);
}

/* Signals first: one that arrives during the start ends the profile, and does not kill erlbpf. */
static int sample(struct profiling *p, struct profiling_summary *summary)
{
	int err = add_signals(p);

	if (!err)
		err = start(p);
	if (!err)
		err = begin(p);
	if (!err)
		err = wait_for_end(p);
	summary->duration_ns = (p->probing ? probing_close(p->probing) : duration_now()) - p->start_ns;
	look_at_nodes(p);
	summary->used_ns = used_ns(p);
	stop(p);
	return err;
}

static int sample_and_name(struct profiling *p, struct profiling_summary *summary)
{
	int err = sample(p, summary);

	look_at_code(p);
	/* Stacks of the last generation and the one before. */
	for (int i = 0; !err && p->sampler && i < 2; i++)
		err = sampler_take(p->sampler, true);
	learn(p);
	summarize(p, summary);
	if (!err)
		err = name_all(p, summary);
	summary->counts = p->counts;
	return err;
}

static void end(struct profiling *p)
{
	for (size_t i = 0; i < p->node_count; i++) {
		names_free(p->nodes[i].names);
		if (p->nodes[i].is_own)
			target_free(p->nodes[i].target);
	}
	free(p->nodes);
	new_nodes_free(p->new_nodes);
	symbols_free(p->kernel);
	event_loop_free(p->waiting);
	off_cpu_free(p->off);
	events_free(p->events);
	sampler_free(p->sampler);
}

static int load_sampler(struct profiling *p)
{
	const struct profiling_request *request = p->request;
	const struct sampler_request how = {
		.kernel = request->kernel,
		.frequency = request->frequency,
		.by_process = is_by_process(p),
		.process = request->process,
		.stacks = request->stacks,
	};

	p->sampler = sampler_new(&how);
	return p->sampler ? 0 : -errno;
}

static int load_off(struct profiling *p)
{
	const struct profiling_request *request = p->request;
	const struct off_cpu_request how = {
		.kernel = request->kernel,
		.nodes = request->nodes,
		.by_process = is_by_process(p),
		.process = request->process,
		.share = request->share,
		.takes_gc = request->mode == PROFILING_OFF,
	};

	p->off = off_cpu_new(&how);
	if (!p->off)
		return -errno;
	p->probing = off_cpu_probing(p->off);
	return 0;
}

static int load_events(struct profiling *p)
{
	const struct profiling_request *request = p->request;
	const struct events_request how = {
		.kernel = request->kernel,
		.nodes = request->nodes,
		.weight = request->events.weight,
		.probe = request->events.probe,
		.functions = request->events.functions,
		.argument = request->events.argument,
		.option = request->events.option,
		.by_process = is_by_process(p),
		.process = request->process,
		.share = request->share,
	};

	p->events = events_new(&how);
	if (!p->events)
		return -errno;
	p->probing = events_probing(p->events);
	return 0;
}

static int load(struct profiling *p)
{
	int err = p->waiting && p->kernel && p->profile ? 0 : -ENOMEM;

	if (err)
		return err;
	switch (p->request->mode) {
	case PROFILING_CPU: return load_sampler(p);
	case PROFILING_OFF: return load_off(p);
	case PROFILING_EVENTS: return load_events(p);
	case PROFILING_WALL: break;
	}
	err = load_sampler(p);
	return err ? err : load_off(p);
}

const char *profiling_refusal(const struct kernel *kernel)
{
	const char *refusal = kernel_refusal(kernel);

	if (!refusal && !kernel_is_at_least(kernel, 5, 17))
		refusal = "this kernel is too old: profiles need Linux 5.17 or later";
	return refusal;
}

struct profile *profiling_run(const struct profiling_request *request, struct profiling_summary *summary)
{
	struct profiling p = {
		.request = request,
		.waiting = event_loop_new(),
		.kernel = symbols_new(),
		.profile = new_profile(request),
	};
	int err = load(&p);

	*summary = (struct profiling_summary){};
	if (!err)
		err = follow_nodes(&p);
	if (!err)
		err = add_nodes(&p);
	/* The follower also knows the present nodes: later finds are new. */
	if (!err && p.new_nodes)
		new_nodes_scan(p.new_nodes, adopt, &p);
	if (!err)
		err = sample_and_name(&p, summary);
	end(&p);
	if (!err)
		return p.profile;
	profile_free(p.profile);
	errno = -err;
	return NULL;
}
