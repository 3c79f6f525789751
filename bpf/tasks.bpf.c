// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do the tasks of ports wait: from being put into the port's queue to being executed? A scheduler
 * that picks a port executes its tasks one after the other, so a task begins when the scheduler picks the
 * port, or when the task before it is over. Its end is seen when its memory is freed.
 */
#include "measure.bpf.h"
#include "tasks.h"

#define TASK_STATE 0 /* of ErtsPortTask (erl_port_task.c), the same in 25.2.3, 27.3.4.1 and 29.1.1 */
#define TASK_TYPE 4
#define TASK_EXECUTING 2 /* ERTS_PT_STATE_EXECUTING */

/* --by: of the kinds of keys for what a case is about, the port unless it is this. */
const volatile __u32 by_kind = 0;

struct task_key {
	u64 task; /* its address */
	u64 os_id;
};

struct task {
	u64 scheduled_ns; /* or, of one that was over before it was known: when that was */
	u64 port;	  /* 0: it was */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TASKS_QUEUED);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct task_key);
	__type(value, struct task);
} queued SEC(".maps");

/* The port whose tasks a thread executes. */
struct port_run {
	u64 begin_ns; /* of the task that is executed now */
	u64 port;     /* 0: none */
	u64 owner;
	u64 name;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MEASURE_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct port_run);
} runs SEC(".maps");

static __always_inline struct port_run *run_now(const struct erl_hit *hit)
{
	u32 thread = erl_thread(hit);
	struct port_run *run = bpf_map_lookup_elem(&runs, &thread);

	return run && run->port ? run : NULL;
}

/*
 * Its end may be seen before its schedule has got here, which then must not wait for another task at that address. What
 * has been there for longer is of such a one.
 */
static __always_inline int queue(const struct task_key *key, const struct task *task)
{
	struct task *known;

	if (!bpf_map_update_elem(&queued, key, task, BPF_NOEXIST))
		return 0;
	known = bpf_map_lookup_elem(&queued, key);
	if (!known || known->port || known->scheduled_ns < task->scheduled_ns)
		return bpf_map_update_elem(&queued, key, task, BPF_ANY);
	bpf_map_delete_elem(&queued, key);
	return 0;
}

/* NULL: it is not known, which is kept in mind. */
static __always_inline struct task *take_task(const struct task_key *key)
{
	struct task *task = bpf_map_lookup_elem(&queued, key), over = {};

	if (task && task->port)
		return task;
	over.scheduled_ns = bpf_ktime_get_ns();
	if (!task && bpf_map_update_elem(&queued, key, &over, BPF_NOEXIST))
		task = bpf_map_lookup_elem(&queued, key);
	return task && task->port ? task : NULL;
}

SEC("usdt/vm:task-schedule")
int task_schedule(void *ctx)
{
	struct task_key key = {};
	struct task task = {};
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	key.task = erl_arg(ctx, &hit, 1);
	key.os_id = hit.os_id;
	task.port = erl_arg_id(ctx, &hit, 0);
	task.scheduled_ns = hit.saved ? hit.saved->start_ns : bpf_ktime_get_ns();
	if (!key.task) {
		erl_count(&hit);
		account_add(TASKS_QUICK, 1);
		return 0;
	}
	if (queue(&key, &task))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

SEC("usdt/vm:port-pick")
int port_pick(void *ctx)
{
	struct port_run run = {};
	struct erl_hit hit;
	u32 thread;

	if (!erl_enter(ctx, &hit))
		return 0;
	thread = erl_thread(&hit);
	run.port = erl_arg_id(ctx, &hit, 0);
	if (!run.port)
		return 0;
	run.owner = erl_arg_id(ctx, &hit, 2);
	if (measure.prints || measure.by == MEASURE_BY_NAME)
		run.name = name_of_user_text(erl_arg(ctx, &hit, 1));
	run.begin_ns = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&runs, &thread, &run, BPF_ANY))
		erl_count_lost(&hit);
	else
		erl_count(&hit);
	return 0;
}

#define KIND_TEXT(kind, word)                                                                                          \
	case kind: __builtin_memcpy(text.text, word, sizeof(word)); break

__noinline u64 name_of_kind(u32 kind)
{
	struct name_text text = {};

	switch (kind) {
		KIND_TEXT(TASKS_INPUT, "input");
		KIND_TEXT(TASKS_OUTPUT, "output");
		KIND_TEXT(TASKS_TIMEOUT, "timeout");
		KIND_TEXT(TASKS_DIST, "dist");
		KIND_TEXT(TASKS_SIGNAL, "signal");
	}
	return name_of_text(&text);
}

static __always_inline u64 key_of(const struct measure_event *c)
{
	switch (measure.by) {
	case MEASURE_BY_NAME: return c->name;
	case MEASURE_BY_WHAT: return by_kind ? name_of_kind(c->kind) : c->id;
	default: return measure_key(c->amounts[TASKS_OWNER], 0);
	}
}

static __always_inline void executed(const struct erl_hit *hit, const struct port_run *run, const struct task *task,
				     u32 kind)
{
	struct measure_event c = measure_case(hit, run->port);

	c.start_ns = task->scheduled_ns;
	/* It may have been scheduled while the one before it was executed. */
	c.end_ns = run->begin_ns > c.start_ns ? run->begin_ns : c.start_ns;
	c.kind = kind;
	c.name = run->name;
	c.amounts[TASKS_OWNER] = run->owner;
	if (!measure_counts(&c))
		return;
	hist_add(key_of(&c), measure.by ? hit->os_id : 0, c.end_ns - c.start_ns, 1);
	measure_print(&c);
}

SEC("usdt/vm:task-done")
int task_done(void *ctx)
{
	struct port_run *run;
	struct task_key key = {};
	struct task *task;
	struct erl_hit hit;
	u32 state, kind;

	if (!erl_enter(ctx, &hit))
		return 0;
	key.task = erl_arg(ctx, &hit, 0);
	key.os_id = hit.os_id;
	state = erl_load(key.task + TASK_STATE, 4, false);
	kind = erl_load(key.task + TASK_TYPE, 4, false);
	run = run_now(&hit);
	erl_count(&hit);
	task = take_task(&key);
	if (task && state != TASK_EXECUTING)
		account_add(TASKS_ABORTED, 1);
	else if (task && run && measure_wants(run->owner))
		executed(&hit, run, task, kind);
	else if (run && state == TASK_EXECUTING && measure_wants(run->owner))
		measure_account(MEASURE_UNSEEN);
	if (task)
		bpf_map_delete_elem(&queued, &key);
	if (run)
		run->begin_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("usdt/vm:port-run")
int port_run(void *ctx)
{
	struct port_run *run;
	struct erl_hit hit;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	run = run_now(&hit);
	if (run)
		run->port = 0;
	return 0;
}
