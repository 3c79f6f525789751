// SPDX-License-Identifier: BSD-2-Clause
/* Programs first look at the clock until SLOW_NS have passed: a trap takes that much longer on slow machines. */
#include "load/kernel/slow.h"

#define SLOW_NS 5000
#define MOST_LOOKS 1000 /* the verifier wants an end */

#define MOVE(to, from)                                                                                                 \
	{                                                                                                              \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from)                                \
	}
#define SET(to, value)                                                                                                 \
	{                                                                                                              \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value)                                   \
	}
#define CLOCK                                                                                                          \
	{                                                                                                              \
		.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns                                               \
	}

size_t slow_begin(struct bpf_insn to[SLOW_MOST])
{
	const struct bpf_insn code[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		CLOCK,
		MOVE(BPF_REG_7, BPF_REG_0),
		SET(BPF_REG_8, 0),
		CLOCK,
		{ .code = BPF_ALU64 | BPF_SUB | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_7 },
		{ .code = BPF_JMP | BPF_JGE | BPF_K, .dst_reg = BPF_REG_0, .imm = SLOW_NS, .off = 2 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_8, .imm = 1 },
		{ .code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = BPF_REG_8, .imm = MOST_LOOKS, .off = -5 },
		/* All ways here are the same to the verifier. */
		SET(BPF_REG_0, 0),
		SET(BPF_REG_7, 0),
		SET(BPF_REG_8, 0),
		MOVE(BPF_REG_1, BPF_REG_6),
	};
	size_t count = sizeof(code) / sizeof(*code);

	for (size_t i = 0; i < count; i++)
		to[i] = code[i];
	return count;
}

uint64_t slow_ns(void)
{
	return SLOW_NS;
}
