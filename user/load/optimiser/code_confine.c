// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads that are kept out of a program, whatever it computes: a helper that would read at an address of the kernel is
 * replaced by the one for the memory of the process, and where that is not to be read either, by a failure.
 *
 * bpf_probe_read_kernel() stays: by that the library moves its own memory, at places that it has checked. What reads at
 * an address that a D program made, calls bpf_probe_read().
 */
#include "load/optimiser/code_confine.h"

#include <errno.h>
#include <stdbool.h>

/* What it gives instead of a call of a helper. */
#define FAILS ((struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -EPERM })

static bool is_helper(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == 0;
}

/* Helper, what it becomes where the process may be read; 0: it fails. */
static const struct {
	int helper, for_user;
} readers[] = {
	{ BPF_FUNC_probe_read, BPF_FUNC_probe_read_user },
	{ BPF_FUNC_probe_read_str, BPF_FUNC_probe_read_user_str },
	{ BPF_FUNC_probe_read_user, BPF_FUNC_probe_read_user },
	{ BPF_FUNC_probe_read_user_str, BPF_FUNC_probe_read_user_str },
	{ BPF_FUNC_copy_from_user, BPF_FUNC_copy_from_user },
	{ BPF_FUNC_get_stack, BPF_FUNC_get_stack },
	{ BPF_FUNC_get_stackid, BPF_FUNC_get_stackid },
	{ BPF_FUNC_probe_write_user, 0 },
	{ BPF_FUNC_send_signal, 0 },
	{ BPF_FUNC_send_signal_thread, 0 },
	{ BPF_FUNC_d_path, 0 },
	{ BPF_FUNC_get_task_stack, 0 },
};

static void confine(struct bpf_insn *insn, enum code_reads reads)
{
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		if (insn->imm != readers[i].helper)
			continue;
		if (reads == CODE_READS_PROCESS && readers[i].for_user)
			insn->imm = readers[i].for_user;
		else
			*insn = FAILS;
		return;
	}
}

void code_confine(struct bpf_insn *insns, size_t count, enum code_reads reads)
{
	for (size_t i = 0; reads != CODE_READS_ALL && i < count; i++) {
		if (is_helper(&insns[i]))
			confine(&insns[i], reads);
	}
}
