// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do calls of Erlang functions take that have a breakpoint of the VM (trace_pattern with call_time)?
 * The stack of calls that each process has is in function_stack.bpf.h.
 */
#include "functions.bpf.h"
#include "function_stack.bpf.h"

/* A call that is under way, with its arguments as they were. */
struct functions_call_key {
	u64 process;
	u32 depth;
	u32 number; /* of its frame: tail calls have the same depth */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTIONS_CALLS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct functions_call_key);
	__type(value, struct functions_record);
} functions_calls SEC(".maps");

/* The call of the frame is over. */
static __always_inline void show_end(const struct functions_hit *h, const struct functions_frame *frame, u32 number,
				     u64 end_ns)
{
	struct functions_call_key key = { .process = h->key, .depth = frame->depth, .number = number };
	struct functions_record *r = bpf_map_lookup_elem(&functions_calls, &key);

	if (!r)
		return;
	r->call.start_ns = frame->start_ns;
	r->call.end_ns = end_ns;
	r->call.end = h->end;
	r->call.class = h->class;
	if (h->end != FUNCTIONS_IS_GONE) {
		r->call.result = h->end == FUNCTIONS_RETURNED ? function_stack_result(h->thread) : h->reason;
		term_resume(&r->snapshot);
		term_add(&r->snapshot, r->call.result);
	}
	if (!end_ns || end_ns - r->call.start_ns >= measure.min_ns)
		send(r);
	bpf_map_delete_elem(&functions_calls, &key);
}

static __always_inline void took(const struct functions_hit *h, const struct functions_frame *frame, u64 end_ns)
{
	struct erl_hit hit = { .os_id = h->os_id, .probe = h->probe };
	struct measure_event c = {
		.start_ns = frame->start_ns,
		.end_ns = end_ns,
		.id = h->id,
		.what = frame->what,
		.os_id = h->os_id,
		.probe = h->probe,
		.thread = h->thread,
		.kind = h->end == FUNCTIONS_HAS_RAISED ? FUNCTIONS_EXCEPTION : FUNCTIONS_CALL,
	};

	if (!measure_counts(&c))
		return;
	if (h->end == FUNCTIONS_RETURNED)
		measure_add(&hit, c.id, functions_config.key ? frame->key : c.what, end_ns - c.start_ns, 1);
	measure_print(&c);
}

static __always_inline bool is_meant(const struct functions_hit *h, const struct functions_frame *frame)
{
	u32 tests = frame->tests;
	u64 *registers;

	if (!functions_when.count)
		return true;
	registers = h->end == FUNCTIONS_RETURNED ? bpf_map_lookup_elem(&functions_registers, &h->thread) : NULL;
	if (registers)
		tests |= functions_tests(*registers, 0, h->os_id, true);
	return functions_passes(tests);
}

static __always_inline void forget_call(const struct functions_hit *h, const struct functions_frame *frame, u32 number)
{
	struct functions_call_key key = { .process = h->key, .depth = frame->depth, .number = number };

	if (functions_config.show)
		bpf_map_delete_elem(&functions_calls, &key);
	account_add(FUNCTIONS_OTHERS, 1);
}

/* The reason as an atom: the reason itself, or the first element of a tuple; 0: other terms. */
static __always_inline u64 reason_key(u64 reason)
{
	u64 words[2] = {};

	if (TERM_IS_ATOM(reason))
		return erl_id_of(ERL_ID_ATOM, reason >> 6);
	if (TERM_TAG(reason) != TERM_TAG_BOXED)
		return 0;
	bpf_probe_read_user(words, sizeof(words), (const void *)TERM_ADDRESS(reason));
	if ((words[0] & 0x3f) || !(words[0] >> 6) || !TERM_IS_ATOM(words[1]))
		return 0;
	return erl_id_of(ERL_ID_ATOM, words[1] >> 6);
}

/* By function, class and reason. */
static __always_inline void count_raised(const struct functions_hit *h, const struct functions_frame *frame)
{
	struct counter_key key = {
		.id = frame->what,
		.other = reason_key(h->reason),
		.os_id = h->os_id,
		.kind = h->class >> 6, /* the number of the atom */
	};

	counter_add(&key, 0, 1);
}

static __always_inline void account_end(u32 end)
{
	if (end == FUNCTIONS_HAS_RAISED)
		account_add(FUNCTIONS_RAISED, 1);
	else if (end == FUNCTIONS_IS_GONE)
		account_add(FUNCTIONS_UNRETURNED, 1);
}

/* The newest frame is gone. */
__noinline int functions_end(struct functions_hit *h, struct functions_frame *frame, u32 number)
{
	u64 end_ns;

	if (!h || !frame)
		return 0;
	if (!is_meant(h, frame)) {
		forget_call(h, frame, number);
		return 0;
	}
	end_ns = h->end == FUNCTIONS_IS_GONE ? 0 : function_stack_end_of(frame, h->begin_ns, h->own_ns);
	if (functions_config.show)
		show_end(h, frame, number, end_ns);
	else if (h->end != FUNCTIONS_IS_GONE)
		took(h, frame, end_ns);
	if (!functions_config.show && h->end == FUNCTIONS_HAS_RAISED)
		count_raised(h, frame);
	account_end(h->end);
	return 0;
}

static __always_inline void pop(struct functions_stack *stack, struct functions_hit *h)
{
	struct functions_frame *frame = function_stack_top(stack);

	stack->count--;
	functions_end(h, frame, stack->count);
}

/* Calls that are not below the new one ended without a return. */
static __always_inline void pop_ended(struct functions_stack *stack, struct functions_hit *h)
{
	for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
		if (!function_stack_has_ended(stack, h->depth))
			return;
		h->end = FUNCTIONS_IS_GONE;
		pop(stack, h);
	}
}

static __always_inline void keep_call(const struct functions_hit *h, const struct functions_frame *frame, u32 number)
{
	struct functions_call_key key = { .process = h->key, .depth = frame->depth, .number = number };
	struct term_place *place = term_place_get();
	struct functions_record *r;

	if (!place) {
		measure_account(MEASURE_UNPRINTED);
		return;
	}
	r = (struct functions_record *)term_place_head(place, struct functions_call);
	fill(r, h, frame->what);
	if (bpf_map_update_elem(&functions_calls, &key, r, BPF_ANY))
		measure_account(MEASURE_UNPRINTED);
	term_place_put(place);
}

/* NULL: the call is part of another, or too deep. */
static __always_inline struct functions_frame *push(struct functions_stack *stack, const struct functions_hit *h,
						    u64 what)
{
	bool is_last_act = function_stack_is_tail(stack, h->depth) || h->is_in_other;
	u32 number = stack->count, why;
	struct functions_frame *frame = function_stack_push(stack, what, h->depth, h->is_in_other, &why);

	if (!frame) {
		account_add(why, 1);
		return NULL;
	}
	frame->key = functions_config.key ? key_of(h, is_last_act ? function_stack_frame_words() : 0) : 0;
	frame->tests = functions_when.count ? functions_tests(h->registers, h->arity, h->os_id, false) : 0;
	if (functions_config.show)
		keep_call(h, frame, number);
	return frame;
}

/* The last act of a hit by which calls ended. A process that is in no function any more takes no room. */
static __always_inline void leave(struct functions_stack *stack, const struct functions_hit *h)
{
	if (stack->count)
		function_stack_add_own(stack, h->begin_ns, true);
	else
		bpf_map_delete_elem(&functions_stacks, &h->key);
}

/* Conditions on the result and its output need them. */
static __always_inline bool needs_registers(void)
{
	return functions_config.show || functions_when.count;
}

SEC("usdt/vm:breakpoint-entry")
int breakpoint_entry(void *ctx)
{
	struct functions_wanted *wanted;
	struct functions_stack *stack;
	struct functions_frame *frame;
	struct functions_hit h;
	struct erl_hit hit;
	u64 begin_ns = bpf_ktime_get_ns(), what, id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	what = name_of_mfa_at(erl_arg(ctx, &hit, 1));
	wanted = functions_wanted_of(&hit, what);
	if (!wanted || is_watchdog(&hit, id))
		return 0;
	h = hit_of_entry(ctx, &hit, id, what);
	h.begin_ns = begin_ns;
	h.is_in_other = functions_wanted_of(&hit, erl_id_of(ERL_ID_CODE, name_word(h.stop))) != NULL;
	stack = function_stack_of(h.key);
	if (!stack ||
	    (needs_registers() && bpf_map_update_elem(&functions_registers, &h.thread, &h.registers, BPF_ANY))) {
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	account_add(FUNCTIONS_ENTERED, 1);
	functions_look(wanted);
	h.own_ns = stack->own_ns;
	pop_ended(stack, &h);
	frame = push(stack, &h, what);
	function_stack_add_own(stack, h.begin_ns, true);
	if (frame)
		function_stack_start(stack, frame);
	return 0;
}

SEC("usdt/vm:breakpoint-return")
int breakpoint_return(void *ctx)
{
	struct functions_stack *stack;
	struct functions_hit h;
	struct erl_hit hit;
	u64 begin_ns = bpf_ktime_get_ns(), id = measure_enter(ctx, &hit);
	u32 base;

	if (!id)
		return 0;
	h = hit_of(&hit, id, function_stack_depth(erl_arg(ctx, &hit, 1), erl_arg(ctx, &hit, 2), erl_arg(ctx, &hit, 3)));
	h.begin_ns = begin_ns;
	stack = bpf_map_lookup_elem(&functions_stacks, &h.key);
	if (!stack)
		return 0;
	h.own_ns = stack->own_ns;
	base = function_stack_base(h.depth);
	for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
		if (!stack->count || function_stack_top(stack)->base < base)
			break;
		h.end = function_stack_top(stack)->base == base ? FUNCTIONS_RETURNED : FUNCTIONS_IS_GONE;
		pop(stack, &h);
	}
	erl_count(&hit);
	leave(stack, &h);
	return 0;
}

/* As far as the stack is gone, so are the calls that were on it. */
SEC("usdt/vm:exception-caught")
int exception_caught(void *ctx)
{
	struct functions_stack *stack;
	struct functions_hit h;
	struct erl_hit hit;
	u64 begin_ns = bpf_ktime_get_ns(), id = measure_enter(ctx, &hit), registers;

	if (!id)
		return 0;
	erl_count(&hit);
	h = hit_of(&hit, id, function_stack_depth(erl_arg(ctx, &hit, 2), erl_arg(ctx, &hit, 3), erl_arg(ctx, &hit, 4)));
	h.begin_ns = begin_ns;
	stack = bpf_map_lookup_elem(&functions_stacks, &h.key);
	if (!stack)
		return 0;
	registers = erl_arg(ctx, &hit, 1);
	h.own_ns = stack->own_ns;
	h.end = FUNCTIONS_HAS_RAISED;
	h.reason = name_word(registers + 8);
	h.class = name_word(registers + 24);
	for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
		if (!stack->count || function_stack_top(stack)->base < h.depth)
			break;
		pop(stack, &h);
	}
	leave(stack, &h);
	return 0;
}

/* A process that ends within functions returns from none of them. */
SEC("usdt/erlang:process-exit")
int process_exit(void *ctx)
{
	struct functions_stack *stack;
	struct functions_hit h;
	struct erl_hit hit;
	u64 begin_ns = bpf_ktime_get_ns(), id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	h = hit_of(&hit, id, 0);
	h.begin_ns = begin_ns;
	h.end = FUNCTIONS_IS_GONE;
	stack = bpf_map_lookup_elem(&functions_stacks, &h.key);
	if (!stack)
		return 0;
	for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
		if (!stack->count)
			break;
		pop(stack, &h);
	}
	bpf_map_delete_elem(&functions_stacks, &h.key);
	return 0;
}
