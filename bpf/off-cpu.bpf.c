// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Why do processes not run, and for how long? When a scheduler lets go of a process, its stack is taken; when one picks
 * it again, the time between belongs to this stack. Until somebody wakes it, a process waits for a message or a timer;
 * from then on it waits for a scheduler. One that is suspended waits for who suspended it. On a dirty I/O scheduler, it
 * waits for what the kernel does for it, and a large heap is collected on a dirty CPU scheduler: these times are told
 * apart, to the moment when it is let go.
 *
 * What is measured is the time within a window in which the probes are in place: of a wait that began before, the part
 * from then on, with the stack that the process still has when it is picked; of one that goes on, user space adds the
 * part up to the end of the window, and empties the map of processes. So long waits and short ones count alike.
 */
#include "kept.bpf.h"
#include "threads.bpf.h"

const volatile __u64 off_by_process = 0; /* stacks of different processes are different */
const volatile __u64 off_erl_pid = 0;	 /* only this one, an id; 0: all */
const volatile __u64 off_takes_gc = 0;	 /* collections on dirty schedulers count: nothing else does so */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OFF_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct off_key);
	__type(value, struct off_process);
} off_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OFF_TOTALS);
	__type(key, u32);
	__type(value, u64);
} off_totals SEC(".maps");

/* When the profile began: the first element. 0: not yet. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} off_begin SEC(".maps");

static __always_inline void add_to(u32 total)
{
	u64 *value = bpf_map_lookup_elem(&off_totals, &total);

	if (value)
		__sync_fetch_and_add(value, 1);
}

/* The key of the stack of the process at that address, which is about to stop; 0: there is no room. */
static __always_inline u64 keep_stack(const struct sample_node *node, u64 process)
{
	struct kept_place *place = kept_place_take();
	struct sample_stack *stack;
	u64 key;

	if (!place)
		return 0;
	stack = &place->stack.stack;
	sample_begin(stack, node);
	stack->ip = kept_code(node, process);
	stack->flags = SAMPLE_IN_PROCESS | SAMPLE_IN_MADE;
	if (off_by_process)
		stack->process = user_word(process);
	kept_walk(stack, node, process);
	key = kept_add(place);
	kept_place_leave(place);
	return key;
}

static __always_inline u64 enter(void *ctx, struct erl_hit *hit)
{
	u64 id = erl_enter(ctx, hit) ? erl_arg_id(ctx, hit, 0) : 0;

	return !off_erl_pid || id == off_erl_pid ? id : 0;
}

/* The hit is counted; the process becomes the key. False: nobody asked for it. */
static __always_inline bool enter_as(void *ctx, struct off_key *key)
{
	struct erl_hit hit;

	key->id = enter(ctx, &hit);
	if (!key->id)
		return false;
	erl_count(&hit);
	key->os_id = hit.os_id;
	return true;
}

/* Since when the probes are in place and the profile goes on; 0: it has not begun. */
static __always_inline u64 window_begin(void)
{
	const struct erl_window *window = erl_window();
	u32 zero = 0;
	const u64 *begin = bpf_map_lookup_elem(&off_begin, &zero);

	if (!begin || !*begin || !window)
		return 0;
	return *begin < window->opened_ns ? window->opened_ns : *begin;
}

static __always_inline u64 later(u64 a, u64 b)
{
	return a < b ? b : a;
}

/* Of a process that a dirty scheduler lets go. */
static __always_inline void add_held(const struct off_key *key, u64 now)
{
	const struct off_process *off = bpf_map_lookup_elem(&off_processes, key);
	struct kept_stack *stack = off && off->held_stack ? kept_find(off->held_stack) : NULL;
	u64 begin = window_begin(), since;

	if (!stack || !begin)
		return;
	since = later(off->since_ns, begin);
	if (since < now)
		__sync_fetch_and_add(&stack->weights[off->held_by == OFF_GC ? OFF_GC : OFF_DIRTY_IO], now - since);
}

SEC("usdt/erlang:process-unscheduled")
int process_unscheduled(void *ctx)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32, state;
	const struct sample_node *node = bpf_map_lookup_elem(&profile_nodes, &tgid);
	struct off_process off = {};
	struct off_key key = {};
	struct erl_hit hit;
	u64 process;

	key.id = enter(ctx, &hit);
	process = node && node->heap && key.id ? erl_process_of(key.id) : 0;
	if (!process)
		return 0;
	erl_count(&hit);
	key.os_id = hit.os_id;
	state = erl_state_of(key.id);
	off.since_ns = bpf_ktime_get_ns();
	if (state & ERL_STATE_DIRTY)
		add_held(&key, off.since_ns);
	off.is_suspended = !!(state & ERL_STATE_SUSPENDED);
	if (erl_state_goes_on(state) && !off.is_suspended)
		off.ready_ns = off.since_ns;
	off.stack = keep_stack(node, process);
	if (!off.stack)
		add_to(OFF_LOST_STACKS);
	else if (bpf_map_update_elem(&off_processes, &key, &off, BPF_ANY))
		add_to(OFF_LOST_PROCESSES);
	return 0;
}

/* Of a process whose stop was not seen. */
static __always_inline void note(const struct off_key *key, u64 since_ns, u64 ready_ns)
{
	struct off_process off = { .since_ns = since_ns, .ready_ns = ready_ns };

	if (bpf_map_update_elem(&off_processes, key, &off, BPF_NOEXIST))
		add_to(OFF_LOST_PROCESSES);
}

/*
 * The first one is who wakes it; unless it was woken for nothing but a signal, such as that somebody monitors it, and a
 * scheduler has handled that without a turn of the process (erts_schedule() of erl_process.c): then it has waited on.
 */
static __always_inline bool wakes(const struct off_process *off, u64 id)
{
	u32 state;

	if (!off->ready_ns)
		return off->stack;
	state = erl_state_of(id);
	return state && !(state & ERL_STATE_BUSY);
}

SEC("usdt/vm:process-wake")
int process_wake(void *ctx)
{
	struct off_process *off;
	struct off_key key = {};

	if (!enter_as(ctx, &key))
		return 0;
	off = bpf_map_lookup_elem(&off_processes, &key);
	if (!off)
		note(&key, 0, bpf_ktime_get_ns());
	else if (wakes(off, key.id))
		off->ready_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void add_time(const struct off_process *off, u64 stack_key, u64 now)
{
	struct kept_stack *stack = kept_find(stack_key);
	u64 begin = window_begin(), since = later(off->since_ns, begin), ready = later(off->ready_ns, since);

	if (!stack || !begin || since >= now)
		return;
	if (!off->ready_ns || ready > now)
		ready = now;
	__sync_fetch_and_add(&stack->weights[off->is_suspended ? OFF_SUSPENDED : OFF_WAITING], ready - since);
	__sync_fetch_and_add(&stack->weights[OFF_RUNNABLE], now - ready);
}

/* It was off before the window began. One that has never run has just been spawned. Returns the key of its stack. */
static __always_inline u64 add_unseen(const struct off_key *key, u64 ready_ns, u64 now)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32;
	const struct sample_node *node = bpf_map_lookup_elem(&profile_nodes, &tgid);
	struct off_process off = {};
	u64 process = node && node->heap ? erl_process_of(key->id) : 0, stack;

	if (!process || !node->reds || !user_word(process + node->reds))
		return 0;
	off.since_ns = node->since_ns;
	/* Nobody has woken it in the window: it was woken before. */
	off.ready_ns = ready_ns ?: off.since_ns;
	stack = keep_stack(node, process);
	if (stack)
		add_time(&off, stack, now);
	else
		add_to(OFF_LOST_STACKS);
	return stack;
}

static __always_inline bool is_collected(u64 id)
{
	u64 process = erl_config.heap.flags ? erl_process_of(id) : 0;

	return process && user_word(process + erl_config.heap.flags) & ERL_FLAGS_DIRTY_GC;
}

/* What the scheduler of this thread does with a process that counts as time off CPU; OFF_REASONS: nothing. */
static __always_inline enum off_reason holds(u64 id)
{
	const struct sample_thread *thread = thread_here();

	if (!thread)
		return OFF_REASONS;
	if (thread->kind == SAMPLE_DIRTY_CPU && off_takes_gc)
		return is_collected(id) ? OFF_GC : OFF_REASONS;
	return thread->kind == SAMPLE_DIRTY_IO ? OFF_DIRTY_IO : OFF_REASONS;
}

static __always_inline void hold(const struct off_key *key, u64 stack, enum off_reason reason, u64 now)
{
	struct off_process off = { .since_ns = now, .held_stack = stack, .held_by = reason };

	if (bpf_map_update_elem(&off_processes, key, &off, BPF_ANY))
		add_to(OFF_LOST_PROCESSES);
}

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	u64 stack, kept, now = bpf_ktime_get_ns();
	enum off_reason reason;
	struct off_process *off;
	struct off_key key = {};

	if (!enter_as(ctx, &key))
		return 0;
	off = bpf_map_lookup_elem(&off_processes, &key);
	stack = kept = off ? __sync_lock_test_and_set(&off->stack, 0) : 0;
	if (stack)
		add_time(off, stack, now);
	else if (!off || !off->since_ns)
		kept = add_unseen(&key, off ? off->ready_ns : 0, now);
	reason = kept ? holds(key.id) : OFF_REASONS;
	if (reason != OFF_REASONS)
		hold(&key, kept, reason, now);
	else if (!off)
		note(&key, now, 0);
	else if (!stack)
		off->since_ns = now;
	return 0;
}

/* Its entry makes room for others. */
SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct off_key key = {};

	if (!enter_as(ctx, &key))
		return 0;
	bpf_map_delete_elem(&off_processes, &key);
	return 0;
}
