/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * How tracepoints become probes of proc, sched and io: enum d_shape of d.h. Each function handles one shape. The shape
 * is a constant at load time, so a program contains only the code for its own tracepoint.
 */
#ifndef ERLBPF_BPF_D_SHAPE_BPF_H
#define ERLBPF_BPF_D_SHAPE_BPF_H

#include "d/call.bpf.h"
#include "d/process.bpf.h"

#ifdef __TARGET_ARCH_arm64
#define D_NR_CLONE 220
#define D_NR_FORK 220
#define D_NR_VFORK 220
#define D_NR_EXECVE 221
#define D_NR_EXECVEAT 281
#define D_NR_SCHED_YIELD 124
#define D_NR_RT_SIGTIMEDWAIT 137
#else
#define D_NR_CLONE 56
#define D_NR_FORK 57
#define D_NR_VFORK 58
#define D_NR_EXECVE 59
#define D_NR_EXECVEAT 322
#define D_NR_SCHED_YIELD 24
#define D_NR_RT_SIGTIMEDWAIT 128
#endif
#define D_NR_CLONE3 435

#define D_SIGNAL_DELIVERED 0 /* TRACE_SIGNAL_... */
#define D_SIGNAL_IGNORED 1
#define D_SIGNAL_LOSE_INFO 4

#define D_CLD_EXITED 1
#define D_CLD_KILLED 2
#define D_CLD_DUMPED 3

#define D_ON_RQ_MIGRATING 2 /* TASK_ON_RQ_MIGRATING */

/* Library functions, which use the member offsets of the running kernel. */

D_FUNCTION d_is_leader(struct d_frame *f, u64 address)
{
	const struct task_struct *task = (const void *)address;

	return d_kernel_word(f, &task->pid) == d_kernel_word(f, &task->tgid);
}

/* The last thread ends the process. CLD_...; 0: other threads remain. */
D_FUNCTION d_end_of_process(struct d_frame *f)
{
	const struct signal_struct *signal = (const void *)d_kernel_word(f, &d_task()->signal);
	u64 code;

	if (d_kernel_word(f, &signal->live.counter))
		return 0;
	code = d_kernel_word(f, &d_task()->exit_code);
	return !(code & 0x7f) ? D_CLD_EXITED : code & 0x80 ? D_CLD_DUMPED : D_CLD_KILLED;
}

/* True if the thread leaves the run queue. A preempted thread can be about to sleep, but is still in the queue. */
D_FUNCTION d_is_going_to_sleep(struct d_frame *f, u64 address, u64 is_preempted)
{
	const struct task_struct *task = (const void *)address;

	return !(u8)is_preempted && (u32)d_kernel_word(f, &task->__state);
}

/* A thread that is woken before it slept never left the queue. */
D_FUNCTION d_is_running(struct d_frame *f, u64 address)
{
	const struct task_struct *task = (const void *)address;

	return (u32)d_kernel_word(f, &task->on_cpu) != 0;
}

/* A thread outside a queue only gets another CPU for its next wake-up. */
D_FUNCTION d_is_migrating(struct d_frame *f, u64 address)
{
	const struct task_struct *task = (const void *)address;

	return (u32)d_kernel_word(f, &task->on_rq) == D_ON_RQ_MIGRATING;
}

D_FUNCTION d_cpu_of(struct d_frame *f, u64 address)
{
	const struct task_struct *task = (const void *)address;

	return (u32)d_kernel_word(f, &task->wake_cpu);
}

static __always_inline bool d_set_args(struct d_frame *f, u64 first, u64 second, u64 third)
{
	f->args[0] = first;
	f->args[1] = second;
	f->args[2] = third;
	return true;
}

static __always_inline bool d_is_clone(u64 number)
{
	return number == D_NR_CLONE || number == D_NR_CLONE3 || number == D_NR_FORK || number == D_NR_VFORK;
}

static __always_inline bool d_is_exec(u64 number)
{
	return number == D_NR_EXECVE || number == D_NR_EXECVEAT;
}

static __always_inline bool d_is_first_thread(void)
{
	u64 ids = bpf_get_current_pid_tgid();

	return ids >> 32 == (u32)ids;
}

/* sys_enter(regs, number) */
static __always_inline bool d_shape_entry(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	const struct pt_regs *regs = (const void *)ctx->args[0];
	u64 number = ctx->args[1];

	if (shape == D_SHAPE_YIELD)
		return number == D_NR_SCHED_YIELD && d_set_args(f, (u64)d_task(), (u64)d_task(), 0);
	return d_is_exec(number) &&
	       d_set_args(f, number == D_NR_EXECVE ? d_call_arg(regs, 0) : d_call_arg(regs, 1), 0, 0);
}

/* sys_exit(regs, result). A new thread returns 0 from its parent's call. */
static __always_inline bool d_shape_exit(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	u64 number = d_call_number((const void *)ctx->args[0]);
	s64 result = ctx->args[1];

	if (shape == D_SHAPE_EXEC_FAILED)
		return d_is_exec(number) && result < 0 && d_set_args(f, -result, 0, 0);
	if (shape == D_SHAPE_SIGNAL_WAITED)
		return number == D_NR_RT_SIGTIMEDWAIT && result > 0 && d_set_args(f, result, 0, 0);
	return d_is_clone(number) && !result && (shape == D_SHAPE_THREAD_STARTS || d_is_first_thread());
}

/* signal_generate(signal, info, task, group, result) */
static __always_inline bool d_shape_signal(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	u64 task = ctx->args[2], result = (u32)ctx->args[4];
	bool is_sent = result == D_SIGNAL_DELIVERED || result == D_SIGNAL_LOSE_INFO;

	return (shape == D_SHAPE_SENT ? is_sent : result == D_SIGNAL_IGNORED) &&
	       d_set_args(f, task, task, (u32)ctx->args[0]);
}

/* sched_process_fork(parent, task) */
static __always_inline bool d_shape_fork(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	u64 task = ctx->args[1];

	return d_is_leader(f, task) == (shape == D_SHAPE_NEW_PROCESS) && d_set_args(f, task, task, 0);
}

static __always_inline bool d_shape_end(struct d_frame *f)
{
	u64 reason = d_end_of_process(f);

	return reason && d_set_args(f, reason, 0, 0);
}

/* sched_switch(preempt, task, next) */
static __always_inline bool d_shape_stop(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	u64 task = ctx->args[1];

	if (!d_is_going_to_sleep(f, task, ctx->args[0]))
		return false;
	return shape == D_SHAPE_SLEEPS || d_set_args(f, task, task, bpf_get_smp_processor_id());
}

/* sched_wakeup(task) */
static __always_inline bool d_shape_enqueued(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f)
{
	u64 task = ctx->args[0];

	return !d_is_running(f, task) && d_set_args(f, task, task, d_cpu_of(f, task));
}

/* sched_migrate_task(task, cpu) */
static __always_inline bool d_shape_moved(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	u64 task = ctx->args[0];

	return d_is_migrating(f, task) &&
	       d_set_args(f, task, task, shape == D_SHAPE_COMES ? (u32)ctx->args[1] : d_cpu_of(f, task));
}

/* True if the firing belongs to the probe; sets its arguments. */
static __always_inline bool d_shape(struct bpf_raw_tracepoint_args *ctx, struct d_frame *f, const u64 shape)
{
	switch (shape) {
	case D_SHAPE_TASK: return d_set_args(f, ctx->args[0], ctx->args[0], 0);
	case D_SHAPE_REQUEST: return d_set_args(f, ctx->args[0], ctx->args[0], ctx->args[0]);
	case D_SHAPE_NEXT: return d_set_args(f, ctx->args[2], ctx->args[2], 0);
	case D_SHAPE_SENT:
	case D_SHAPE_DISCARDED: return d_shape_signal(ctx, f, shape);
	case D_SHAPE_HANDLED:
		return d_set_args(f, (u32)ctx->args[0], ctx->args[1], d_word_at((const void *)ctx->args[2], 0));
	case D_SHAPE_EXEC:
	case D_SHAPE_YIELD: return d_shape_entry(ctx, f, shape);
	case D_SHAPE_EXEC_FAILED:
	case D_SHAPE_SIGNAL_WAITED:
	case D_SHAPE_THREAD_STARTS:
	case D_SHAPE_PROCESS_STARTS: return d_shape_exit(ctx, f, shape);
	case D_SHAPE_NEW_PROCESS:
	case D_SHAPE_NEW_THREAD: return d_shape_fork(ctx, f, shape);
	case D_SHAPE_PROCESS_ENDS: return d_shape_end(f);
	case D_SHAPE_RUNS: return (u8)ctx->args[0];
	case D_SHAPE_STAYS: return !(u8)ctx->args[0];
	case D_SHAPE_SLEEPS:
	case D_SHAPE_DEQUEUED: return d_shape_stop(ctx, f, shape);
	case D_SHAPE_ENQUEUED: return d_shape_enqueued(ctx, f);
	case D_SHAPE_LEAVES:
	case D_SHAPE_COMES: return d_shape_moved(ctx, f, shape);
	default: return true;
	}
}

#endif
