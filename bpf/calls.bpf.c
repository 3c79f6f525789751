// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do calls take, of BIFs, NIFs and functions? BIFs and NIFs begin and end on one thread, which is
 * within one NIF at most at a time. Functions, which only emulators without JIT tell of, call each other
 * and move from thread to thread with their process, so each process has a stack of those that it is in.
 *
 * Not every function tells of its return. One that calls another as its last act has none, the other
 * returns to its caller; an exception ends some; and deallocate_return, the instruction with which many
 * return, has no probe (emu/instrs.tab). Such a one stays on the stack until a function returns that it was
 * called from, and is counted then.
 */
#include "calls.h"
#include "measure.bpf.h"
#include "pattern.bpf.h"

const volatile struct calls_pattern calls_pattern = {};

struct calls_key {
	u64 id;
	u32 os_id;
	u32 pad;
};

struct calls_frame {
	u64 what;
	u64 start_ns;
};

/* The last CALLS_DEPTH of the functions that a process is in; `top` is where the next goes. */
struct calls_stack {
	u32 top;
	u32 used;
	struct calls_frame frames[CALLS_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CALLS_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct calls_key);
	__type(value, struct calls_stack);
} calls_stacks SEC(".maps");

/* An empty stack, which is too large for that of a program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct calls_stack);
} calls_empty SEC(".maps");

static __always_inline bool mfa_matches(u64 id)
{
	u64 value = erl_id_value(id), mask = (1ULL << ERL_ID_ATOM_BITS) - 1;

	if (calls_pattern.arity >= 0 && (value & 0xff) != (u64)calls_pattern.arity)
		return false;
	return pattern_matches_atom(&calls_pattern.module, value >> (ERL_ID_ATOM_BITS + 8)) &&
	       pattern_matches_atom(&calls_pattern.function, value >> 8 & mask);
}

/* The function that argument 1 names, if it is one that is wanted. */
static __always_inline bool called(const void *ctx, const struct erl_hit *hit, u64 *what)
{
	u64 address = erl_arg(ctx, hit, 1);
	struct name_text text = {};

	if (erl_config.args[1].form == ERL_FORM_MFA) {
		*what = name_of_mfa_at(address);
		return calls_pattern.is_any || (*what && mfa_matches(*what));
	}
	if (bpf_probe_read_user_str(text.text, sizeof(text.text), (const void *)address) <= 1)
		return calls_pattern.is_any;
	if (!calls_pattern.is_any && !pattern_matches(&calls_pattern.text, text.text))
		return false;
	*what = name_of_text(&text);
	return true;
}

SEC("usdt/vm:bif-call")
int bif_call(void *ctx)
{
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	c = measure_case(&hit, id);
	c.kind = CALLS_BIF;
	c.what = erl_id_of(ERL_ID_FUNCTION, hit.function);
	measure_took(&hit, &c);
	return 0;
}

/* "erts_dcpus_1", "erts_dios_1", as against "erts_sched_1" (erl_process.c). */
static __always_inline bool is_dirty_scheduler(void)
{
	char name[16] = {};

	bpf_get_current_comm(name, sizeof(name));
	return name[5] == 'd';
}

SEC("usdt/erlang:nif-entry")
int nif_entry(void *ctx)
{
	u64 id, what = 0;
	struct measure_event c;
	struct erl_hit hit;

	id = measure_enter(ctx, &hit);
	if (!id || !called(ctx, &hit, &what))
		return 0;
	c = measure_case(&hit, id);
	c.kind = is_dirty_scheduler() ? CALLS_DIRTY_NIF : CALLS_NIF;
	c.what = what;
	measure_begin(&hit, &c);
	return 0;
}

/* The function's name is no help at its return: that of a dirty NIF has been replaced by what runs next. */
static __always_inline bool is_within_nif(const struct erl_hit *hit, u64 id)
{
	u32 thread = erl_thread(hit);
	struct measure_event *c = bpf_map_lookup_elem(&measure_within, &thread);

	return c && c->id == id && !c->end_ns;
}

SEC("usdt/erlang:nif-return")
int nif_return(void *ctx)
{
	struct measure_event *c;
	struct erl_hit hit;
	u64 id;

	id = measure_enter(ctx, &hit);
	if (!id || (!calls_pattern.is_any && !is_within_nif(&hit, id)))
		return 0;
	c = measure_end(&hit, id);
	if (!c)
		return 0;
	if (c->kind == CALLS_NIF && erl_state_of(id) & ERL_STATE_TO_DIRTY)
		account_add(CALLS_HANDED_OVER, 1);
	else
		measure_took(&hit, c);
	return 0;
}

static __always_inline struct calls_stack *stack_of(const struct calls_key *key)
{
	struct calls_stack *stack = bpf_map_lookup_elem(&calls_stacks, key), *empty;
	u32 zero = 0;

	if (stack)
		return stack;
	empty = bpf_map_lookup_elem(&calls_empty, &zero);
	if (empty)
		bpf_map_update_elem(&calls_stacks, key, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&calls_stacks, key);
}

static __always_inline int function_entry(void *ctx)
{
	struct calls_key key = {};
	struct calls_stack *stack;
	struct calls_frame *frame;
	struct erl_hit hit;
	u64 what = 0;

	key.id = measure_enter(ctx, &hit);
	if (!key.id || !called(ctx, &hit, &what))
		return 0;
	key.os_id = hit.os_id;
	stack = stack_of(&key);
	if (!stack) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	frame = &stack->frames[stack->top++ & (CALLS_DEPTH - 1)];
	frame->what = what;
	frame->start_ns = bpf_ktime_get_ns();
	if (stack->used < CALLS_DEPTH)
		stack->used++;
	else
		account_add(CALLS_DEEP, 1);
	return 0;
}

SEC("usdt/erlang:local-function-entry")
int local_function_entry(void *ctx)
{
	return function_entry(ctx);
}

SEC("usdt/erlang:global-function-entry")
int global_function_entry(void *ctx)
{
	return function_entry(ctx);
}

/* How many functions were entered after the one that returns, and are left with it; -1: it is not there. */
static __always_inline int find_frame(const struct calls_stack *stack, u64 what, u64 *start_ns)
{
	for (u32 i = 0; i < CALLS_DEPTH; i++) {
		const struct calls_frame *frame = &stack->frames[(stack->top - 1 - i) & (CALLS_DEPTH - 1)];

		if (i >= stack->used)
			break;
		if (frame->what == what) {
			*start_ns = frame->start_ns;
			return i;
		}
	}
	return -1;
}

SEC("usdt/erlang:function-return")
int function_return(void *ctx)
{
	struct calls_key key = {};
	struct calls_stack *stack;
	struct measure_event c;
	struct erl_hit hit;
	u64 what = 0;
	int above = -1;

	key.id = measure_enter(ctx, &hit);
	if (!key.id || !called(ctx, &hit, &what))
		return 0;
	erl_count(&hit);
	c = measure_case(&hit, key.id);
	key.os_id = hit.os_id;
	stack = bpf_map_lookup_elem(&calls_stacks, &key);
	if (stack)
		above = find_frame(stack, what, &c.start_ns);
	if (!stack || above < 0) {
		measure_account(MEASURE_UNSEEN);
		return 0;
	}
	stack->top -= above + 1;
	stack->used -= above + 1;
	account_add(CALLS_UNENDED, above);
	c.kind = CALLS_FUNCTION;
	c.what = what;
	measure_took(&hit, &c);
	return 0;
}

SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct calls_key key = {};
	struct erl_hit hit;

	key.id = measure_enter(ctx, &hit);
	if (!key.id)
		return 0;
	key.os_id = hit.os_id;
	erl_count(&hit);
	bpf_map_delete_elem(&calls_stacks, &key);
	return 0;
}
