/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* A system call, from the thread's registers as the kernel saved them. */
#ifndef ERLBPF_BPF_D_CALL_BPF_H
#define ERLBPF_BPF_D_CALL_BPF_H

#define D_CALL_ARGS 6

static __always_inline u64 d_word_at(const void *address, u64 offset)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, 8, address + offset);
	return word;
}

#ifdef __TARGET_ARCH_arm64
#define D_CALL_NUMBER (35 * 8) /* syscallno of struct pt_regs */

static __always_inline u64 d_call_arg(const struct pt_regs *regs, const int n)
{
	return d_word_at(regs, n * 8);
}
#else
#define D_CALL_NUMBER offsetof(struct pt_regs, orig_rax)

static __always_inline u64 d_call_arg(const struct pt_regs *regs, const int n)
{
	static const u64 places[D_CALL_ARGS] = {
		offsetof(struct pt_regs, rdi), offsetof(struct pt_regs, rsi), offsetof(struct pt_regs, rdx),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r8),  offsetof(struct pt_regs, r9),
	};

	return d_word_at(regs, places[n]);
}
#endif

static __always_inline u64 d_call_number(const struct pt_regs *regs)
{
	return d_word_at(regs, D_CALL_NUMBER);
}

#endif
