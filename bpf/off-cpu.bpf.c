// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Why do processes not run, and for how long? When a scheduler lets go of a process, its stack is taken; when one picks
 * it again, the time between belongs to this stack. Until somebody wakes it, a process waits for a message or a timer;
 * from then on it waits for a scheduler. One that is suspended waits for who suspended it.
 */
#include "stacks.bpf.h"

const volatile __u64 off_by_process = 0; /* stacks of different processes are different */
const volatile __u64 off_erl_pid = 0;	 /* only this one, an id; 0: all */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OFF_STACKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct off_stack);
} off_stacks SEC(".maps");

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

/* Uprobe programs are preemptible from Linux 6.12 on: another may come to this CPU while one is at work. */
struct place {
	u64 is_taken;
	struct off_stack stack;
};

#define PLACES 4

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PLACES);
	__type(key, u32);
	__type(value, struct place);
} off_places SEC(".maps");

static __always_inline void add_to(u32 total)
{
	u64 *value = bpf_map_lookup_elem(&off_totals, &total);

	if (value)
		__sync_fetch_and_add(value, 1);
}

static __always_inline struct place *take_place(void)
{
	for (u32 i = 0; i < PLACES; i++) {
		u32 number = i;
		struct place *place = bpf_map_lookup_elem(&off_places, &number);

		if (place && !__sync_lock_test_and_set(&place->is_taken, 1))
			return place;
	}
	return NULL;
}

/* Of the process at that address, which is about to stop. */
static __always_inline void take_stack(struct sample_stack *stack, const struct sample_node *node, u64 process)
{
	struct walking w = { .stack = stack, .node = node };

	stack->ip = user_word(process + node->code);
	stack->flags = SAMPLE_IN_PROCESS | SAMPLE_IN_MADE;
	if (off_by_process)
		stack->process = user_word(process);
	walk_block(&w, process);
	walk(&w, user_word(process + node->stop));
}

/* The key of the stack, which is kept from now on; 0: there is no room. */
static __always_inline u64 keep_stack(const struct sample_node *node, u64 process)
{
	struct place *place = take_place();
	u64 key = 0;

	if (!place)
		return 0;
	sample_begin(&place->stack.stack, node);
	take_stack(&place->stack.stack, node, process);
	key = digest(&place->stack.stack);
	if (!bpf_map_lookup_elem(&off_stacks, &key)) {
		bpf_map_update_elem(&off_stacks, &key, &place->stack, BPF_NOEXIST);
		if (!bpf_map_lookup_elem(&off_stacks, &key))
			key = 0;
	}
	__sync_lock_test_and_set(&place->is_taken, 0);
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
	/* No more begin while the window closes. */
	if (!erl_measures_from(off.since_ns))
		return 0;
	off.is_suspended = !!(state & ERL_STATE_SUSPENDED);
	if (state & ERL_STATE_ACTIVE && !off.is_suspended)
		off.ready_ns = off.since_ns;
	off.stack = keep_stack(node, process);
	if (!off.stack)
		add_to(OFF_LOST_STACKS);
	else if (bpf_map_update_elem(&off_processes, &key, &off, BPF_ANY))
		add_to(OFF_LOST_PROCESSES);
	return 0;
}

SEC("usdt/vm:process-wake")
int process_wake(void *ctx)
{
	struct off_process *off;
	struct off_key key = {};

	if (!enter_as(ctx, &key))
		return 0;
	off = bpf_map_lookup_elem(&off_processes, &key);
	/* The first one is who wakes it. */
	if (off && off->stack)
		__sync_val_compare_and_swap(&off->ready_ns, 0, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void add_time(const struct off_process *off, u64 stack_key, u64 now)
{
	struct off_stack *stack = bpf_map_lookup_elem(&off_stacks, &stack_key);
	u64 ready = off->ready_ns && off->ready_ns < now ? off->ready_ns : now;

	if (!stack)
		return;
	__sync_fetch_and_add(&stack->ns[off->is_suspended ? OFF_SUSPENDED : OFF_WAITING], ready - off->since_ns);
	__sync_fetch_and_add(&stack->ns[OFF_RUNNABLE], now - ready);
}

SEC("usdt/erlang:process-scheduled")
int process_scheduled(void *ctx)
{
	struct off_process *off;
	struct off_key key = {};
	u64 stack;

	if (!enter_as(ctx, &key))
		return 0;
	off = bpf_map_lookup_elem(&off_processes, &key);
	stack = off ? __sync_lock_test_and_set(&off->stack, 0) : 0;
	/* What began before the probes were last put in place may have ended unseen. */
	if (stack && erl_measures_from(off->since_ns))
		add_time(off, stack, bpf_ktime_get_ns());
	else
		add_to(OFF_UNSEEN);
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
