/* SPDX-License-Identifier: BSD-2-Clause */
/* What BPF instructions are, for those who change programs. */
#ifndef ERLBPF_LOAD_OPTIMISER_INSN_H
#define ERLBPF_LOAD_OPTIMISER_INSN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool insn_is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

static inline size_t insn_next(const struct bpf_insn *insn, size_t i)
{
	return i + (insn_is_wide(insn) ? 2 : 1);
}

static inline bool insn_is_call_of_own(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static inline bool insn_is_function_address(const struct bpf_insn *insn)
{
	return insn_is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}

static inline bool insn_is_branch(const struct bpf_insn *insn)
{
	unsigned char class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

/* A branch that is always taken. */
static inline bool insn_is_goto(const struct bpf_insn *insn)
{
	return insn_is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

static inline bool insn_is_exit(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT);
}

/* Where a branch, a call of an own function or the address of one leads; -1 for others. */
static inline int64_t insn_target(const struct bpf_insn *insn, size_t i)
{
	if (insn_is_branch(insn))
		return (int64_t)i + 1 + insn->off;
	if (insn_is_call_of_own(insn) || insn_is_function_address(insn))
		return (int64_t)i + 1 + insn->imm;
	return -1;
}

/* The same where instructions moved: places[i] is the new place of what was the i-th. */
static inline void insn_redirect(struct bpf_insn *insn, size_t i, const uint32_t *places)
{
	int64_t target = insn_target(insn, i);
	int32_t distance;

	if (target < 0)
		return;
	distance = (int32_t)(places[target] - places[i]) - 1;
	if (insn_is_branch(insn))
		insn->off = (int16_t)distance;
	else
		insn->imm = distance;
}

#endif
