/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The calls that a process is within, of Erlang functions that have a breakpoint of the VM.
 *
 * Each call of such a function passes erts_generic_breakpoint(). The VM puts a frame of its own on the stack there,
 * by which it hears of the return, unless the newest frame is such a one: then the function is called as the last act
 * of another that is traced, and returns together with it (beam_bp.c). So a process has a stack of calls, and where
 * each is, is known by how deep the Erlang stack is, in words from its end: garbage collection moves it, but keeps
 * that. When a process goes on after an exception, what is not below the place where it does so has ended by it. A call
 * at the depth of its predecessor, or above, says the same of one that was not seen.
 *
 * Those whose program has few of them may define FUNCTION_STACKS and FUNCTION_THREADS before: how many processes and
 * threads, as the maps are declared.
 */
#ifndef ERLBPF_BPF_FUNCTION_STACK_BPF_H
#define ERLBPF_BPF_FUNCTION_STACK_BPF_H

#include "function_depth.bpf.h"
#include "functions.h"
#include "measure.h"

#ifndef FUNCTION_STACKS
#define FUNCTION_STACKS FUNCTIONS_PROCESSES
#define FUNCTION_THREADS MEASURE_THREADS
#endif

struct functions_frame {
	u64 what;
	u64 key; /* whatever else its program keeps of the call */
	u64 start_ns;
	u64 own_ns; /* of its process, when it began */
	u32 depth;  /* of the Erlang stack when it was called */
	u32 base;   /* of the call that returns together with it: its own, if it is no tail call */
	u32 tests;  /* of --when, a bit for each step: what holds of the arguments */
	u32 pad;
};

struct functions_stack {
	u64 own_ns; /* that the process needed longer, since it is in any of these, for being measured */
	u32 count;
	u32 pad;
	struct functions_frame frames[FUNCTIONS_DEPTH];
};

/* By erl_process_key(). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTION_STACKS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct functions_stack);
} functions_stacks SEC(".maps");

/* An empty stack, which is too large for that of a program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct functions_stack);
} functions_empty SEC(".maps");

/* Where a scheduler's thread has the x registers: results are in the first. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FUNCTION_THREADS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u64);
} functions_registers SEC(".maps");

/* The cost of a hit for its process: the trap, unless another program's hit caused it, and the program so far. */
static __always_inline void function_stack_add_own(struct functions_stack *stack, u64 begin_ns, bool has_trapped)
{
	const struct erl_window *window = erl_window();

	stack->own_ns += bpf_ktime_get_ns() - begin_ns + (window && has_trapped ? window->pair_ns : 0);
}

/* The last act of the hit at which a call begins. */
static __always_inline void function_stack_start(const struct functions_stack *stack, struct functions_frame *frame)
{
	frame->own_ns = stack->own_ns;
	frame->start_ns = bpf_ktime_get_ns();
}

/*
 * When the call would have been over if nothing in it had been measured; the hit that ends it begins now, and its
 * process has needed own_ns longer. What the VM's own breakpoints take, 0.3 to 0.9 us for each call within it, is not
 * known.
 */
static __always_inline u64 function_stack_end_of(const struct functions_frame *frame, u64 now, u64 own_ns)
{
	const struct erl_window *window = erl_window();

	return erl_end_of(frame->start_ns, now, own_ns - frame->own_ns + (window ? window->pair_ns : 0));
}

/* The base of those that return when the stack is so deep. */
static __always_inline u32 function_stack_base(u32 depth)
{
	return depth - (function_stack_frame_words() - 1);
}

/* The stack of a process, by its key; created if missing. NULL: no room. */
static __always_inline struct functions_stack *function_stack_of(u64 key)
{
	struct functions_stack *stack = bpf_map_lookup_elem(&functions_stacks, &key), *empty;
	u32 zero = 0;

	if (stack)
		return stack;
	empty = bpf_map_lookup_elem(&functions_empty, &zero);
	if (empty)
		bpf_map_update_elem(&functions_stacks, &key, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&functions_stacks, &key);
}

static __always_inline struct functions_frame *function_stack_top(struct functions_stack *stack)
{
	return &stack->frames[(stack->count - 1) & (FUNCTIONS_DEPTH - 1)];
}

/* Is a call that begins at this depth the last act of the newest one? */
static __always_inline bool function_stack_is_tail(struct functions_stack *stack, u32 depth)
{
	return stack->count && function_stack_top(stack)->base + function_stack_frame_words() == depth;
}

/* Has the newest call ended unseen, if another begins at this depth? */
static __always_inline bool function_stack_has_ended(struct functions_stack *stack, u32 depth)
{
	return stack->count && function_stack_top(stack)->depth >= depth && !function_stack_is_tail(stack, depth);
}

/* Is the function, that is called as the last act of another, one of those that return together with this? */
static __always_inline bool function_stack_is_within(const struct functions_stack *stack, u64 what, u32 base)
{
	for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
		if (i < stack->count && stack->frames[i].base == base && stack->frames[i].what == what)
			return true;
	}
	return false;
}

/*
 * A call begins. NULL: it has no frame of its own, because it goes on in a function that is under way (FUNCTIONS_TAIL),
 * or is within too many others (FUNCTIONS_DEEP), which `why` says. The caller sets key, tests, and at last the time.
 * `is_in_other`: the newest frame is the VM's; so it is the last act of a call that returns together with it, also if
 * that one began before us.
 */
static __always_inline struct functions_frame *function_stack_push(struct functions_stack *stack, u64 what, u32 depth,
								   bool is_in_other, u32 *why)
{
	bool is_tail = function_stack_is_tail(stack, depth);
	u32 number = stack->count, base = depth;
	struct functions_frame *frame;

	if (is_tail)
		base = function_stack_top(stack)->base;
	else if (is_in_other)
		base = depth - function_stack_frame_words();
	*why = is_tail && function_stack_is_within(stack, what, base) ? FUNCTIONS_TAIL : FUNCTIONS_DEEP;
	if (*why == FUNCTIONS_TAIL || number >= FUNCTIONS_DEPTH)
		return NULL;
	frame = &stack->frames[number & (FUNCTIONS_DEPTH - 1)];
	frame->what = what;
	frame->depth = depth;
	frame->base = base;
	stack->count = number + 1;
	return frame;
}

/* The result of a function that returns, a term; 0: it is not known where this thread has it. */
static __always_inline u64 function_stack_result(u32 thread)
{
	u64 *registers = bpf_map_lookup_elem(&functions_registers, &thread);

	return registers ? erl_load(*registers, 8, false) : 0;
}

#endif
