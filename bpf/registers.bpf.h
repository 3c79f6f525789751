/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The registers of the thread's own code, also where the kernel was interrupted: not what the program's context holds,
 * but what the kernel has saved on the way in.
 */
#ifndef ERLBPF_BPF_REGISTERS_BPF_H
#define ERLBPF_BPF_REGISTERS_BPF_H

#include "erl.bpf.h"

/* Words of struct pt_regs. */
#ifdef __TARGET_ARCH_arm64
#define USER_REGISTERS 34
/* For want of better ones: no emulator says where it has it. */
#define USER_I 19
#define USER_I_AND_COPIES 19, 20, 21
#define USER_FP 29
#define USER_SP 31
#define USER_IP 32
#else
#define USER_REGISTERS 21
#define USER_C_P 2 /* r13: the process, in code of the JIT (beam_asm.hpp) */
#define USER_FP 4  /* rbp */
#define USER_I 5   /* rbx: the next instruction, in process_main() of a VM without JIT (REG_I of beam_emu.c) */
#define USER_I_AND_COPIES 5, 4, 10, 0, 1, 11, 12, 13, 14, 9, 8, 7, 6 /* rbx, rbp, rax and the others */
#define USER_IP 16
#define USER_SP 19
#endif

static __always_inline u64 user_register(u64 index)
{
	u64 registers = (u64)bpf_task_pt_regs(bpf_get_current_task_btf()), value = 0;

	bpf_probe_read_kernel(&value, 8, (const void *)(registers + index * 8));
	return value;
}

#endif
