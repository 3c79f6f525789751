// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which registers are still read, from the end to the beginning, as often as it takes for loops. An instruction that
 * does nothing but write a register is needed where that is read later, and only then are the registers that it reads.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "load/optimiser/code.h"
#include "load/optimiser/insn.h"

#define REGISTER(n) ((uint16_t)(1 << (n)))
#define ALL_REGISTERS ((uint16_t)((1 << 11) - 1))
#define ARGUMENTS ((uint16_t)(REGISTER(1) | REGISTER(2) | REGISTER(3) | REGISTER(4) | REGISTER(5)))

static uint16_t reads_of_arithmetic(const struct bpf_insn *insn)
{
	bool is_move = BPF_OP(insn->code) == BPF_MOV;

	return (is_move ? 0 : REGISTER(insn->dst_reg)) | (BPF_SRC(insn->code) == BPF_X ? REGISTER(insn->src_reg) : 0);
}

/* A register too many is no mistake. */
static uint16_t reads_of(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD: return insn_is_wide(insn) ? 0 : ALL_REGISTERS;
	case BPF_LDX: return REGISTER(insn->src_reg);
	case BPF_ST: return REGISTER(insn->dst_reg);
	case BPF_STX:
		return REGISTER(insn->dst_reg) | REGISTER(insn->src_reg) |
		       (BPF_MODE(insn->code) == BPF_ATOMIC ? REGISTER(0) : 0);
	case BPF_ALU:
	case BPF_ALU64: return reads_of_arithmetic(insn);
	default: break;
	}
	if (insn_is_exit(insn))
		return REGISTER(0);
	if (!insn_is_branch(insn))
		return ARGUMENTS;
	return insn_is_goto(insn) ? 0 : REGISTER(insn->dst_reg) | REGISTER(insn->src_reg);
}

static uint16_t writes_of(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
	case BPF_LDX:
	case BPF_ALU:
	case BPF_ALU64: return REGISTER(insn->dst_reg);
	case BPF_JMP: return BPF_OP(insn->code) == BPF_CALL ? REGISTER(0) | ARGUMENTS : 0;
	default: return 0;
	}
}

/* The address of a function is what it is reached by, so that the two go together or not at all. */
static bool only_writes_register(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD: return insn_is_wide(insn) && !insn_is_function_address(insn);
	case BPF_LDX:
	case BPF_ALU:
	case BPF_ALU64: return true;
	default: return false;
	}
}

struct use {
	uint16_t before; /* registers that are read from here on, before they are written */
	bool is_second;	 /* half of a wide instruction */
};

static uint16_t read_after(const struct code *code, const struct use *uses, size_t i)
{
	const struct bpf_insn *insn = &code->insns[i];
	int64_t target = insn_is_branch(insn) ? insn_target(insn, i) : -1;
	uint16_t after = 0;

	if (insn_is_exit(insn))
		return 0;
	if (!insn_is_goto(insn))
		after = uses[insn_next(insn, i)].before;
	return target >= 0 ? after | uses[target].before : after;
}

/* Whether more is read than was known. */
static bool look(const struct code *code, struct use *uses, bool *is_kept)
{
	bool is_more = false;

	for (size_t i = code->count; i-- > 0;) {
		const struct bpf_insn *insn = &code->insns[i];
		uint16_t before;

		if (uses[i].is_second)
			continue;
		before = read_after(code, uses, i);
		is_kept[i] = !only_writes_register(insn) || before & writes_of(insn);
		if (is_kept[i])
			before = (before & (uint16_t)~writes_of(insn)) | reads_of(insn);
		is_more |= before != uses[i].before;
		uses[i].before = before;
	}
	return is_more;
}

static void find_halves(const struct code *code, struct use *uses)
{
	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i)) {
		if (insn_is_wide(&code->insns[i]))
			uses[i + 1].is_second = true;
	}
}

int code_drop_unused(struct code *code)
{
	size_t before;
	int err;

	if (!code_is_sound(code))
		return -EINVAL;
	/* A branch that leads over nothing now has nothing to decide, and what it decided by may go. */
	do {
		_cleanup_free_ struct use *uses = calloc(code->count + 1, sizeof(*uses));
		_cleanup_free_ bool *is_kept = calloc(code->count + 1, sizeof(*is_kept));

		if (!uses || !is_kept)
			return -ENOMEM;
		find_halves(code, uses);
		while (look(code, uses, is_kept))
			;
		before = code->count;
		err = code_keep(code, is_kept);
	} while (!err && code->count < before);
	return err;
}
