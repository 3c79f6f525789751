// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The common parts of every compiled D program: maps, functions that the generated code calls, and one template for
 * each way to start a program. A template finds a frame for the firing, stores the arguments in it and calls
 * d_clauses(), which the compiler replaces by the clauses (user/d/object/object.c). Nothing here is loaded as it is.
 */
#include "erl.bpf.h"
#include "ring.bpf.h"
#include <bpf/bpf_tracing.h>
#include "d.h"
#define FUNCTION_STACKS 1 /* sized by the session if the program needs returns of Erlang functions */
#define FUNCTION_THREADS 1
#include "function_stack.bpf.h"
#include "d/library.bpf.h"
#include "d/state.bpf.h"
#include "d/system.bpf.h"
#include "d/aggregate.bpf.h"
#include "d/call.bpf.h"
#include "d/shape.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} d_globals SEC(".maps");

/* The program sets the key and value sizes, and which of these maps exist: see struct unit_map. */
#define D_ARRAY(n)                                                                                                     \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_HASH);                                                                       \
		__uint(max_entries, 65536);                                                                            \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                                                  \
		__type(key, u64);                                                                                      \
		__type(value, u64);                                                                                    \
	} d_array_##n SEC(".maps");
#define D_AGG(n)                                                                                                       \
	struct {                                                                                                       \
		__uint(type, BPF_MAP_TYPE_HASH);                                                                       \
		__uint(max_entries, 65536);                                                                            \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                                                  \
		__type(key, u64);                                                                                      \
		__type(value, u64);                                                                                    \
	} d_agg_##n SEC(".maps");
#define D_TEN(what, n)                                                                                                 \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define D_ALL(what)                                                                                                    \
	what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) D_TEN(what, 1) D_TEN(what, 2)  \
		D_TEN(what, 3) D_TEN(what, 4) D_TEN(what, 5) what(60) what(61) what(62) what(63)

D_ALL(D_ARRAY)
D_ALL(D_AGG)

/* The clauses of a program. The empty body must look opaque, or the compiler would drop the arguments. */
static __noinline u64 d_clauses(void *ctx, struct d_frame *f, void *globals)
{
	asm volatile("" : : "r"(ctx), "r"(f), "r"(globals));
	return 0;
}

/* A frame of its own for each firing, because another firing can interrupt this one on the same CPU. */
static __always_inline struct d_frame *d_take(void)
{
	u32 first = bpf_get_smp_processor_id() * D_FRAMES_PER_CPU;

#pragma unroll
	for (u32 i = 0; i < D_FRAMES_PER_CPU; i++) {
		u32 index = first + i;
		struct d_frame *f = bpf_map_lookup_elem(&d_frames, &index);

		if (f && !__sync_lock_test_and_set(&f->busy, 1))
			return f;
	}
	return NULL;
}

static __always_inline void d_release(struct d_frame *f)
{
	__sync_lock_test_and_set(&f->busy, 0);
}

static __always_inline struct d_frame *d_begin(u32 probe, u32 function, u32 os_id)
{
	struct d_frame *f = d_take();

	if (!f) {
		D_DROP(frames);
		return NULL;
	}
	f->time_ns = bpf_ktime_get_ns();
	f->pid_tgid = bpf_get_current_pid_tgid();
	f->probe = probe;
	f->function = function;
	f->os_id = os_id;
	f->has_exited = 0;
	f->error = 0;
	f->functions = ~0ULL;
	f->firings++;
	return f;
}

static __always_inline void d_run_clauses(void *ctx, struct d_frame *f)
{
	u32 zero = 0;
	void *globals = bpf_map_lookup_elem(&d_globals, &zero);

	if (globals)
		d_clauses(ctx, f, globals);
	d_release(f);
}

/* Frames are reused: reset everything from `first` on. */
static __always_inline void d_no_args(struct d_frame *f, const int first)
{
#pragma unroll
	for (int n = first; n < D_ARGS; n++)
		f->args[n] = 0;
}

/*
 * BEGIN, END, and ticks that their clock missed, run by BPF_PROG_TEST_RUN. The context holds the number of the probe.
 * These probes have no arguments: arg0 is 0.
 */
SEC("d/run")
int d_run(struct bpf_raw_tracepoint_args *ctx)
{
	struct d_frame *f = d_begin(ctx->args[0], 0, 0);

	if (!f)
		return 0;
	d_no_args(f, 0);
	d_run_clauses(ctx, f);
	return 0;
}

static __always_inline bool d_is_live(void)
{
	struct d_state *state = d_state_of();

	return state && state->is_live && !state->is_over;
}

#define D_PATCH_ARGS 0x5a5a0000 /* patched: the arguments that the clauses read, one bit each */

static __always_inline u64 d_wanted_args(void)
{
	u64 wanted;

	asm volatile("%0 = %1" : "=r"(wanted) : "i"(D_PATCH_ARGS));
	return wanted;
}

/* DTrace documents this argument as the address of a text; here it can be a term or another value that becomes text. */
static __always_inline u64 d_arg_of_site(void *ctx, const struct erl_hit *hit, struct d_frame *f, const int n)
{
	u64 v = erl_arg(ctx, hit, n), form = erl_config.args[n].form;

	f->raw[n] = v;
	if (erl_config.words[n])
		return D_TEXT_TAG + n;
	if (form == ERL_FORM_OWN_NODE)
		return erl_config.names.own_node ? d_user_word_at(f, erl_config.names.own_node) : 0;
	if (form == ERL_FORM_TERM || form == ERL_FORM_MFA)
		return v ? D_TEXT_TAG + n : 0;
	if (form == ERL_FORM_IODATA)
		return TERM_TAG(v) == TERM_TAG_LIST || TERM_TAG(v) == TERM_TAG_BOXED ? D_TEXT_TAG + n : 0;
	if (n == D_SPAWNED_ARG && d_has_spawned())
		return D_TEXT_TAG + n;
	return v;
}

/* Operations in the queue, per process. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, s64);
} d_waiting SEC(".maps");

/* Operations queued before tracing began are not in the count. */
static __always_inline u64 d_count_waiting(u64 os_id, const s64 change)
{
	s64 *waiting, none = 0, before;

	bpf_map_update_elem(&d_waiting, &os_id, &none, BPF_NOEXIST);
	waiting = bpf_map_lookup_elem(&d_waiting, &os_id);
	if (!waiting)
		return 0;
	before = __sync_fetch_and_add(waiting, change);
	if (before + change >= 0)
		return before + change;
	__sync_fetch_and_add(waiting, -change);
	return 0;
}

#define D_WAITING_ARG 1 /* argument of aio_pool-add and aio_pool-get */

static __always_inline void d_take_waiting(const struct erl_hit *hit, struct d_frame *f)
{
	if (erl_config.flags & ERL_CONFIG_COUNTS_UP)
		f->args[D_WAITING_ARG] = d_count_waiting(hit->os_id, 1);
	else if (erl_config.flags & ERL_CONFIG_COUNTS_DOWN)
		f->args[D_WAITING_ARG] = d_count_waiting(hit->os_id, -1);
}

/* process-spawn: a VM without notes has the spawned function in pieces. */
static __always_inline void d_take_spawned(void *ctx, const struct erl_hit *hit, struct d_frame *f)
{
	if (!d_has_spawned())
		return;
	f->spawned[0] = erl_arg(ctx, hit, ERL_ARG_MODULE);
	f->spawned[1] = erl_arg(ctx, hit, ERL_ARG_FUNCTION);
	f->spawned[2] = erl_arg(ctx, hit, ERL_ARG_TERM);
}

/* Sized by the session if there are descriptions of Erlang functions. The watchdog of the breakpoints has no bits. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct functions_key);
	__type(value, u64);
} d_functions SEC(".maps");

const volatile struct d_beam_matches d_beam_matches = {};

struct d_called {
	u64 functions; /* descriptions that match it, one bit each; 0: none */
	u64 arity;
	u64 what;
};

/* Descriptions whose calls must be tracked until they end. */
#define D_BEAM_ENDS (d_beam_matches.returns | d_beam_matches.exceptions)

#define D_CALLER_ARG D_BEAM_ARGS
#define D_MFA_ARG (D_BEAM_ARGS + 1)

static __always_inline u64 d_meant_of(u32 os_id, u64 what)
{
	struct functions_key key = { .id = what, .os_id = os_id };
	u64 *meant = bpf_map_lookup_elem(&d_functions, &key);

	return meant ? *meant : 0;
}

/* The function that the process `caller` calls. */
static __always_inline struct d_called d_called_of(const struct erl_hit *hit, u64 mfa_at, u64 caller)
{
	struct functions_key key = { .os_id = hit->os_id };
	struct d_called called = {};
	u64 mfa[3] = {}, *meant;

	bpf_probe_read_user(mfa, sizeof(mfa), (const void *)mfa_at);
	key.id = erl_id_of_mfa(mfa[0], mfa[1], mfa[2]);
	meant = key.id ? bpf_map_lookup_elem(&d_functions, &key) : NULL;
	if (!meant)
		return called;
	called.functions = *meant;
	called.arity = mfa[2];
	called.what = key.id;
	/* Calls by the watchdog are not calls of the node. */
	key.id = caller;
	if (bpf_map_lookup_elem(&d_functions, &key))
		called.functions = 0;
	return called;
}

/* At breakpoint-entry, the call is on the stack of its process until it ends. NULL: it has no frame there. */
static __always_inline struct functions_frame *d_push_call(void *ctx, const struct erl_hit *hit)
{
	u64 id = erl_arg_id(ctx, hit, 0), mfa_at = erl_arg(ctx, hit, 1), registers = erl_arg(ctx, hit, 2);
	u32 depth = function_stack_depth(erl_arg(ctx, hit, 3), erl_arg(ctx, hit, 4), erl_arg(ctx, hit, 5));
	struct d_called called = d_called_of(hit, mfa_at, id);
	u32 thread = erl_thread(hit), why = FUNCTIONS_DEEP;
	struct functions_key key = { .os_id = hit->os_id };
	struct functions_frame *frame = NULL;
	struct functions_stack *stack;

	if (!(called.functions & D_BEAM_ENDS))
		return NULL;
	stack = function_stack_of(erl_process_key(hit, id));
	if (stack && !bpf_map_update_elem(&functions_registers, &thread, &registers, BPF_ANY)) {
		for (u32 i = 0; i < FUNCTIONS_DEPTH; i++) {
			if (!function_stack_has_ended(stack, depth))
				break;
			stack->count--;
		}
		key.id = erl_id_of(ERL_ID_CODE, erl_load(erl_arg(ctx, hit, 3), 8, false));
		frame = function_stack_push(stack, called.what, depth, bpf_map_lookup_elem(&d_functions, &key), &why);
	}
	if (frame) {
		frame->key = mfa_at;
		function_stack_start(stack, frame);
	} else if (why == FUNCTIONS_DEEP) {
		D_DROP(calls);
	}
	return frame;
}

/*
 * The last step of a hit at a breakpoint: drop the calls of the process that this hit ends, and begin the new call, if
 * any. The trap belongs to the program at breakpoint-entry, which is loaded if ends are wanted.
 */
static __always_inline void d_leave_call(void *ctx, const struct erl_hit *hit, struct functions_frame *frame,
					 u64 begin_ns)
{
	bool has_trapped = erl_config.flags & ERL_CONFIG_CALLED;
	u64 id = has_trapped ? erl_arg_id(ctx, hit, 0) : erl_arg_id(ctx, hit, D_CALLER_ARG);
	u64 key = erl_process_key(hit, id);
	struct functions_stack *stack = bpf_map_lookup_elem(&functions_stacks, &key);

	if (!stack)
		return;
	function_stack_add_own(stack, begin_ns, has_trapped);
	if (frame)
		function_stack_start(stack, frame);
}

static __always_inline void d_forget_calls(void *ctx, const struct erl_hit *hit)
{
	u64 key = erl_process_key(hit, erl_arg_id(ctx, hit, 0));

	bpf_map_delete_elem(&functions_stacks, &key);
}

/* The caller's own arguments come first, then those of pending calls. */
static __always_inline void d_cut_args(struct d_frame *f, u64 arity)
{
#pragma unroll
	for (int n = 0; n < D_BEAM_ARGS; n++) {
		u64 mask = -d_is_less(n, arity);

		f->args[n] &= mask;
		f->raw[n] &= mask;
	}
}

static __always_inline void d_set_old_args(void *ctx, const struct erl_hit *hit, struct d_frame *f)
{
	u32 depth = function_stack_depth(erl_arg(ctx, hit, D_BEAM_STOP), erl_arg(ctx, hit, D_BEAM_HEAP),
					 erl_arg(ctx, hit, D_BEAM_HEAP_SIZE));

#pragma unroll
	for (int n = 0; n < D_BEAM_ARGS; n++)
		f->raw[n] = f->args[n] = n == D_BEAM_DEPTH ? depth : 0;
}

/* A call begins. */
#define D_IS_ENTRY (erl_config.flags & (ERL_CONFIG_BREAKPOINT | ERL_CONFIG_OLD_ENTRY))

/* For clauses that read at most the first `args` arguments. `calls`: some clauses are for Erlang functions. */
static __always_inline int d_run_site(void *ctx, const int args, const bool calls)
{
	u64 wanted = d_wanted_args(), begin_ns = calls ? bpf_ktime_get_ns() : 0;
	struct functions_frame *frame = NULL;
	struct d_called called = {};
	struct d_frame *f;
	struct erl_hit hit;

	if (!d_is_live() || !erl_enter(ctx, &hit))
		return 0;
	if (calls && D_IS_ENTRY) {
		called = d_called_of(&hit, erl_arg(ctx, &hit, D_MFA_ARG), erl_arg_id(ctx, &hit, D_CALLER_ARG));
		called.functions &= d_beam_matches.entries;
		if (!called.functions)
			return 0;
	}
	if (calls && erl_config.flags & ERL_CONFIG_CALLED)
		frame = d_push_call(ctx, &hit);
	if (calls && erl_config.flags & ERL_CONFIG_GONE)
		d_forget_calls(ctx, &hit);
	f = d_begin(hit.probe, hit.function, hit.os_id);
	if (!f) {
		erl_count_lost(&hit);
		return 0;
	}
#pragma unroll
	for (int n = 0; n < args; n++) {
		if (wanted & 1 << n)
			f->args[n] = d_arg_of_site(ctx, &hit, f, n);
	}
	if (wanted & 1 << D_SPAWNED_ARG)
		d_take_spawned(ctx, &hit, f);
	if (erl_config.flags & ERL_CONFIG_AT_NODE && wanted & 1 << 2)
		f->raw[1] = erl_arg(ctx, &hit, 1);
	d_take_waiting(&hit, f);
	if (wanted & 1 << D_TERM_ARG)
		f->raw[D_TERM_ARG] = erl_arg(ctx, &hit, ERL_ARG_TERM);
	if (calls && D_IS_ENTRY)
		f->functions = called.functions;
	if (calls && erl_config.flags & ERL_CONFIG_OLD_ENTRY)
		d_set_old_args(ctx, &hit, f);
	else if (calls && D_IS_ENTRY)
		d_cut_args(f, called.arity);
	erl_count(&hit);
	d_run_clauses(ctx, f);
	if (calls && D_BEAM_ENDS && (D_IS_ENTRY || erl_config.flags & ERL_CONFIG_CALLED))
		d_leave_call(ctx, &hit, frame, begin_ns);
	return 0;
}

SEC("d/erlang")
int d_erlang(void *ctx)
{
	return d_run_site(ctx, D_ARGS, false);
}

/* Programs with clauses for Erlang functions, which also track calls. */
SEC("d/beam")
int d_beam(void *ctx)
{
	return d_run_site(ctx, D_ARGS, true);
}

/*
 * Ends of Erlang functions. One return ends all functions that tail-called each other; one exception ends all functions
 * that do not catch it. The clauses run once for each, newest call first.
 */
struct d_ends {
	void *ctx;
	struct d_frame *f;
	void *globals;
	struct functions_stack *stack;
	u64 now;
	u64 own_ns; /* own time of the process so far */
	u64 meant;  /* descriptions that match this probe */
	u32 base;   /* calls from this index on end */
	u32 most;   /* calls above this index ended without an event */
};

static __always_inline void d_set_term(struct d_frame *f, const int n, u64 term)
{
	f->raw[n] = term;
	f->args[n] = term ? D_TEXT_TAG + n : 0;
}

/* The address of the function's name in the VM; 0: its code was unloaded. */
static __always_inline u64 d_mfa_of(const struct functions_frame *frame)
{
	u64 mfa[3] = {};

	bpf_probe_read_user(mfa, sizeof(mfa), (const void *)frame->key);
	return erl_id_of_mfa(mfa[0], mfa[1], mfa[2]) == frame->what ? frame->key : 0;
}

/*
 * One call ends. Returns 1 for the last one. The compiler copies this function for each program
 * (user/d/object/object.c).
 */
static __noinline long d_end_step(u32 i, struct d_ends *e)
{
	struct functions_stack *stack = e->stack;
	struct functions_frame frame;
	struct d_frame *f = e->f;

	(void)i;
	if (!stack->count || function_stack_top(stack)->base < e->base)
		return 1;
	frame = *function_stack_top(stack);
	stack->count--;
	f->functions = frame.base <= e->most ? d_meant_of(f->os_id, frame.what) & e->meant : 0;
	if (!f->functions || !d_is_live())
		return 0;
	f->raw[D_BEAM_DEPTH] = f->args[D_BEAM_DEPTH] = frame.depth;
	f->raw[D_BEAM_TOOK] = f->args[D_BEAM_TOOK] = function_stack_end_of(&frame, e->now, e->own_ns) - frame.start_ns;
	d_set_term(f, D_MFA_ARG, d_mfa_of(&frame));
	d_clauses(e->ctx, f, e->globals);
	return 0;
}

static __always_inline void d_set_end_args(void *ctx, const struct erl_hit *hit, struct d_frame *f, u64 class,
					   u64 result)
{
#pragma unroll
	for (int n = D_BEAM_DEPTH + 1; n < D_BEAM_ARGS; n++)
		f->raw[n] = f->args[n] = 0;
	d_set_term(f, D_BEAM_CLASS, class);
	d_set_term(f, D_BEAM_RESULT, result);
	f->args[D_CALLER_ARG] = d_arg_of_site(ctx, hit, f, D_CALLER_ARG);
}

SEC("d/beam_end")
int d_beam_end(void *ctx)
{
	bool is_raised = erl_config.flags & ERL_CONFIG_RAISED;
	u64 now = bpf_ktime_get_ns(), key, registers;
	struct d_ends e = {};
	struct erl_hit hit;
	u32 zero = 0, depth;

	if (!d_is_live() || !erl_enter(ctx, &hit))
		return 0;
	key = erl_process_key(&hit, erl_arg_id(ctx, &hit, D_CALLER_ARG));
	e.stack = bpf_map_lookup_elem(&functions_stacks, &key);
	e.globals = bpf_map_lookup_elem(&d_globals, &zero);
	if (!e.stack || !e.globals)
		return 0;
	depth = function_stack_depth(erl_arg(ctx, &hit, D_BEAM_STOP), erl_arg(ctx, &hit, D_BEAM_HEAP),
				     erl_arg(ctx, &hit, D_BEAM_HEAP_SIZE));
	e.base = is_raised ? depth : function_stack_base(depth);
	e.most = is_raised ? ~0u : e.base;
	if (!e.stack->count || function_stack_top(e.stack)->base < e.base) {
		function_stack_add_own(e.stack, now, true);
		return 0;
	}
	e.f = d_begin(hit.probe, hit.function, hit.os_id);
	if (!e.f) {
		erl_count_lost(&hit);
		return 0;
	}
	e.ctx = ctx;
	e.now = now;
	e.own_ns = e.stack->own_ns;
	e.meant = is_raised ? d_beam_matches.exceptions : d_beam_matches.returns;
	registers = is_raised ? erl_arg(ctx, &hit, D_BEAM_REGISTERS) : 0;
	if (is_raised)
		d_set_end_args(ctx, &hit, e.f, erl_load(registers + 24, 8, false), erl_load(registers + 8, 8, false));
	else
		d_set_end_args(ctx, &hit, e.f, 0, function_stack_result(erl_thread(&hit)));
	if (d_has_loop)
		bpf_loop(FUNCTIONS_DEPTH, d_end_step, &e, 0);
	erl_count(&hit);
	d_release(e.f);
	if (e.stack->count)
		function_stack_add_own(e.stack, now, true);
	else
		bpf_map_delete_elem(&functions_stacks, &key);
	return 0;
}

/* The verifier removes what a class does not need, but it must examine the code once for each class. */
SEC("d/erlang_few")
int d_erlang_few(void *ctx)
{
	return d_run_site(ctx, D_ARGS_FEW, false);
}

/* The site of an SDT note in any process: its arguments are numbers. */
SEC("d/usdt")
int d_usdt(void *ctx)
{
	u64 wanted = d_wanted_args();
	struct d_frame *f;
	struct erl_hit hit;

	f = d_is_live() && erl_enter(ctx, &hit) ? d_begin(hit.probe, hit.function, hit.os_id) : NULL;
	if (!f)
		return 0;
#pragma unroll
	for (int n = 0; n < D_ARGS; n++) {
		if (wanted & 1 << n)
			f->args[n] = erl_arg(ctx, &hit, n);
	}
	d_run_clauses(ctx, f);
	return 0;
}

static __always_inline struct d_frame *d_begin_of_cookie(void *ctx)
{
	struct erl_hit hit;

	if (!d_is_live())
		return NULL;
	erl_hit_of_cookie(bpf_get_attach_cookie(ctx), &hit);
	return d_begin(hit.probe, hit.function, bpf_get_current_pid_tgid() >> 32);
}

/* The number of arguments that C passes in registers, and the offset of the others from the stack pointer. */
#ifdef __TARGET_ARCH_arm64
#define D_IN_REGISTERS 8
#define D_BEFORE_ARGS 0
#else
#define D_IN_REGISTERS 6
#define D_BEFORE_ARGS 8 /* the return address */
#endif

/* pid:::entry: the arguments that C passes. */
SEC("d/pid_entry")
int d_pid_entry(struct pt_regs *ctx)
{
	u64 wanted = d_wanted_args();
	struct d_frame *f = d_begin_of_cookie(ctx);

	if (!f)
		return 0;
	f->args[0] = PT_REGS_PARM1(ctx);
	f->args[1] = PT_REGS_PARM2(ctx);
	f->args[2] = PT_REGS_PARM3(ctx);
	f->args[3] = PT_REGS_PARM4(ctx);
	f->args[4] = PT_REGS_PARM5(ctx);
#ifdef __TARGET_ARCH_arm64
	f->args[5] = ((const struct user_pt_regs *)ctx)->regs[5];
	f->args[6] = ((const struct user_pt_regs *)ctx)->regs[6];
	f->args[7] = ((const struct user_pt_regs *)ctx)->regs[7];
#else
	f->args[5] = ctx->r9;
#endif
	d_no_args(f, D_IN_REGISTERS);
	if (wanted >> D_IN_REGISTERS)
		bpf_probe_read_user(&f->args[D_IN_REGISTERS], (D_ARGS - D_IN_REGISTERS) * sizeof(f->args[0]),
				    (const void *)(PT_REGS_SP(ctx) + D_BEFORE_ARGS));
	d_run_clauses(ctx, f);
	return 0;
}

/* arg0: the offset of the return instruction, unknown here; arg1: the return value. */
SEC("d/pid_return")
int d_pid_return(struct pt_regs *ctx)
{
	struct d_frame *f = d_begin_of_cookie(ctx);

	if (!f)
		return 0;
	d_no_args(f, 0);
	f->args[1] = PT_REGS_RC(ctx);
	d_run_clauses(ctx, f);
	return 0;
}

SEC("d/pid_offset")
int d_pid_offset(struct pt_regs *ctx)
{
	struct d_frame *f = d_begin_of_cookie(ctx);

	if (!f)
		return 0;
	d_no_args(f, 0);
	d_run_clauses(ctx, f);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct d_tick);
} d_ticks SEC(".maps");

/* True if the due tick has not fired yet. Only the clock fires profile-N. */
static __always_inline bool d_take_tick(u32 probe)
{
	u32 index = probe - D_PROBE_FIRST;
	struct d_tick *tick = bpf_map_lookup_elem(&d_ticks, &index);
	u64 fired;

	if (!tick || !tick->period_ns)
		return true;
	fired = *(volatile u64 *)&tick->fired;
	return fired < (bpf_ktime_get_ns() - tick->start_ns) / tick->period_ns &&
	       __sync_val_compare_and_swap(&tick->fired, fired, fired + 1) == fired;
}

/* profile-N and tick-N: arg0 is the kernel's program counter, arg1 the user's. */
SEC("d/profile")
int d_profile(struct pt_regs *ctx)
{
	/* struct bpf_perf_event_data begins with the registers. */
	u64 pc = PT_REGS_IP(ctx);
	bool is_kernel = (s64)pc < 0;
	struct erl_hit hit;
	struct d_frame *f;

	erl_hit_of_cookie(bpf_get_attach_cookie(ctx), &hit);
	if (!d_is_live() || !d_take_tick(hit.probe))
		return 0;
	f = d_begin(hit.probe, 0, bpf_get_current_pid_tgid() >> 32);
	if (!f)
		return 0;
	d_no_args(f, 2);
	f->args[0] = is_kernel ? pc : 0;
	f->args[1] = is_kernel ? 0 : pc;
	d_run_clauses(ctx, f);
	return 0;
}

/*
 * sys_enter(regs, number) and sys_exit(regs, result): one program for all system calls. The registers hold the number
 * of the call, and d_syscalls its probes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 512);
	__type(key, u32);
	__type(value, u32); /* bit 0: entry is wanted, bit 1: return; the number of the probe is above */
} d_syscalls SEC(".maps");

static __always_inline struct d_frame *d_begin_of_syscall(u32 number, u32 way)
{
	u32 *wanted = bpf_map_lookup_elem(&d_syscalls, &number);
	struct d_frame *f;

	if (!wanted || !(*wanted & way) || !d_is_live())
		return NULL;
	f = d_begin((*wanted >> 2) + (way == 2), 0, bpf_get_current_pid_tgid() >> 32);
	return f;
}

SEC("d/syscall_entry")
int d_syscall_entry(struct bpf_raw_tracepoint_args *ctx)
{
	const struct pt_regs *regs = (const void *)ctx->args[0];
	struct d_frame *f = d_begin_of_syscall(ctx->args[1], 1);

	if (!f)
		return 0;
#pragma unroll
	for (int n = 0; n < D_CALL_ARGS; n++)
		f->args[n] = d_call_arg(regs, n);
	d_no_args(f, D_CALL_ARGS);
	d_run_clauses(ctx, f);
	return 0;
}

SEC("d/syscall_return")
int d_syscall_return(struct bpf_raw_tracepoint_args *ctx)
{
	const struct pt_regs *regs = (const void *)ctx->args[0];
	s64 result = ctx->args[1];
	struct d_frame *f = d_begin_of_syscall(d_call_number(regs), 2);

	if (!f)
		return 0;
	d_no_args(f, 2);
	f->args[0] = result;
	f->args[1] = result;
	f->error = result < 0 && result > -4096 ? -result : 0;
	d_run_clauses(ctx, f);
	return 0;
}

/* Any other raw tracepoint, with its own arguments. */
SEC("d/tracepoint")
int d_tracepoint(struct bpf_raw_tracepoint_args *ctx)
{
	u64 wanted = d_wanted_args();
	struct erl_hit hit;
	struct d_frame *f;

	erl_hit_of_cookie(d_tracepoint_own.probe, &hit);
	f = d_is_live() ? d_begin(hit.probe, hit.function, bpf_get_current_pid_tgid() >> 32) : NULL;
	if (!f)
		return 0;
	d_no_args(f, 0);
	/*
	 * The kernel refuses a program that reads more arguments than the tracepoint has. The verifier knows all these
	 * values.
	 */
#pragma unroll
	for (int n = 0; n < D_ARGS; n++) {
		if (wanted & 1 << n && (u64)n < d_tracepoint_own.args)
			f->args[n] = ctx->args[n];
	}
	d_run_clauses(ctx, f);
	return 0;
}

/* A probe of proc or sched. */
SEC("d/shaped")
int d_shaped(struct bpf_raw_tracepoint_args *ctx)
{
	u64 which = d_tracepoint_own.probe;
	struct d_frame *f = d_is_live() ? d_begin((u32)which, 0, bpf_get_current_pid_tgid() >> 32) : NULL;

	if (!f)
		return 0;
	d_no_args(f, 0);
	if (d_shape(ctx, f, which >> D_SHAPE_SHIFT))
		d_run_clauses(ctx, f);
	else
		d_release(f);
	return 0;
}
