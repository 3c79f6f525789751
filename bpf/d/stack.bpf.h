/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks. These functions take the program's context, in front of the frame: d_ustack, d_stack, d_caller, d_ucaller,
 * d_stackdepth, d_ustackdepth, and for the beginning of a function d_ustack_entry, d_ucaller_entry.
 *
 * uregs[] is of the thread's own code also where the kernel was interrupted: not what the program's context holds, but
 * what the kernel has saved on the way in.
 */
#ifndef ERLBPF_BPF_D_STACK_BPF_H
#define ERLBPF_BPF_D_STACK_BPF_H

#include "d/frame.bpf.h"

_Static_assert(D_STACK_FRAMES * 8 <= D_WORK_TEXT, "no room for a stack");

/* Addresses from `at` on, innermost first, zeros behind them; how many. */
static __always_inline u64 d_stack_read(void *ctx, void *at, u64 frames, u64 flags)
{
	s64 size = bpf_get_stack(ctx, at, frames * 8, flags);

	return size > 0 ? (u64)size / 8 : 0;
}

/* A FIELD_STACK at that offset, with at most so many frames, a constant at the call. */
static __always_inline u64 d_stack_put(void *ctx, struct d_frame *f, u64 to, u64 frames, u64 flags, u64 os_pid)
{
	u64 *field = (u64 *)d_at(f, to);

	*field = os_pid << 32 | d_stack_read(ctx, field + 1, frames, flags);
	return 0;
}

D_FUNCTION d_ustack(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	return d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
}

/*
 * Where a function begins its caller is on top of the stack (x86-64) or in a register (arm64), and not yet where the
 * kernel looks for it: it would be left out. The kernel knows this of functions that begin with a frame pointer's push.
 */
static __always_inline u64 d_entry_caller(void *ctx)
{
#ifdef __TARGET_ARCH_arm64
	return erl_word(ctx, 30 * 8);
#else
	return erl_load(erl_word(ctx, ERL_SP_OFFSET), 8, false);
#endif
}

D_FUNCTION d_ustack_entry(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	u64 *field = (u64 *)d_at(f, to), count, caller = d_entry_caller(ctx);

	d_stack_put(ctx, f, to, frames, BPF_F_USER_STACK, bpf_get_current_pid_tgid() >> 32);
	count = (u32)field[0];
	if (frames < 2 || (count > 1 && field[2] == caller) || !caller)
		return 0;
	/* Once more, one place further on. */
	count = d_stack_read(ctx, field + 2, frames - 1, BPF_F_USER_STACK);
	if (count < 1)
		return 0;
	field[1] = field[2];
	field[2] = caller;
	field[0] = (u64)(u32)(bpf_get_current_pid_tgid() >> 32) << 32 | (count + 1);
	return 0;
}

D_FUNCTION d_ucaller_entry(void *ctx, struct d_frame *f)
{
	(void)f;
	return d_entry_caller(ctx);
}

D_FUNCTION d_stack(void *ctx, struct d_frame *f, u64 to, u64 frames)
{
	return d_stack_put(ctx, f, to, frames, 0, 0);
}

static __always_inline u64 d_stack_second(void *ctx, struct d_frame *f, u64 flags)
{
	volatile u64 *addresses = (volatile u64 *)d_work(f)->text;

	return d_stack_read(ctx, (void *)addresses, 2, flags) > 1 ? addresses[1] : 0;
}

D_FUNCTION d_caller(void *ctx, struct d_frame *f)
{
	return d_stack_second(ctx, f, 0);
}

D_FUNCTION d_ucaller(void *ctx, struct d_frame *f)
{
	return d_stack_second(ctx, f, BPF_F_USER_STACK);
}

D_FUNCTION d_stackdepth(void *ctx, struct d_frame *f)
{
	return d_stack_read(ctx, d_work(f)->text, D_STACK_FRAMES, 0);
}

D_FUNCTION d_ustackdepth(void *ctx, struct d_frame *f)
{
	return d_stack_read(ctx, d_work(f)->text, D_STACK_FRAMES, BPF_F_USER_STACK);
}

/* Words of struct pt_regs. */
#ifdef __TARGET_ARCH_arm64
#define D_REGISTERS 34
#else
#define D_REGISTERS 21
#endif

static __always_inline u64 d_user_register(u64 index)
{
	u64 registers = (u64)bpf_task_pt_regs(bpf_get_current_task_btf()), value = 0;

	bpf_probe_read_kernel(&value, 8, (const void *)(registers + index * 8));
	return value;
}

D_FUNCTION d_uregs(struct d_frame *f, u64 index)
{
	if (index >= D_REGISTERS)
		return d_fault(f, D_FAULT_BADINDEX, index);
	return d_user_register(index);
}

#endif
