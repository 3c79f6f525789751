// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>

#include "load/optimiser/code.h"

#define FD 7
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	uint32_t flags;
	uint16_t half;
	int8_t byte;
	uint8_t none;
	uint64_t most;
} data = { .flags = 0x12, .half = 0xfffe, .byte = -1, .most = 0x1122334455667788 };
static const struct code_constants constants[] = { { FD, (const unsigned char *)&data, sizeof(data) } };

#define MAP(dst, fd)                                                                                                   \
	{ BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_VALUE, 0, fd },                                               \
	{                                                                                                              \
		0, 0, 0, 0, 0                                                                                          \
	}
#define LOAD(size, dst, src, at)                                                                                       \
	{                                                                                                              \
		BPF_LDX | BPF_MEM | (size), dst, src, at, 0                                                            \
	}
#define MOV(dst, value)                                                                                                \
	{                                                                                                              \
		BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value                                                          \
	}
#define AND(dst, value)                                                                                                \
	{                                                                                                              \
		BPF_ALU64 | BPF_AND | BPF_K, dst, 0, 0, value                                                          \
	}
#define IF(op, dst, value, over)                                                                                       \
	{                                                                                                              \
		BPF_JMP | (op) | BPF_K, dst, 0, over, value                                                            \
	}
#define GOTO(over)                                                                                                     \
	{                                                                                                              \
		BPF_JMP | BPF_JA, 0, 0, over, 0                                                                        \
	}
#define CALL(helper)                                                                                                   \
	{                                                                                                              \
		BPF_JMP | BPF_CALL, 0, 0, 0, helper                                                                    \
	}
#define CALL_OWN(over)                                                                                                 \
	{                                                                                                              \
		BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, over                                                        \
	}
#define EXIT                                                                                                           \
	{                                                                                                              \
		BPF_JMP | BPF_EXIT, 0, 0, 0, 0                                                                         \
	}

static void expect_code(const struct code *code, const struct bpf_insn *wanted, size_t count)
{
	cr_assert_eq(code->count, count, "%zu", code->count);
	for (size_t i = 0; i < count; i++)
		cr_assert(!memcmp(&code->insns[i], &wanted[i], sizeof(*wanted)), "instruction %zu", i);
}

static void check(struct bpf_insn *given, size_t count, const struct bpf_insn *wanted, size_t wanted_count)
{
	struct code code = { .insns = given, .count = count };

	cr_assert_eq(code_fold(&code, constants, COUNT(constants)), 0);
	expect_code(&code, wanted, wanted_count);
}

static void check_unused(struct bpf_insn *given, size_t count, const struct bpf_insn *wanted, size_t wanted_count)
{
	struct code code = { .insns = given, .count = count };

	cr_assert_eq(code_drop_unused(&code), 0);
	expect_code(&code, wanted, wanted_count);
}

/* Nothing of it is changed. */
static void check_same(void (*pass)(struct bpf_insn *, size_t, const struct bpf_insn *, size_t), struct bpf_insn *given,
		       size_t count)
{
	struct bpf_insn wanted[32];

	cr_assert_leq(count, COUNT(wanted));
	memcpy(wanted, given, count * sizeof(*given));
	pass(given, count, wanted, count);
}

#define CHECK(given, wanted) check(given, COUNT(given), wanted, COUNT(wanted))
#define CHECK_UNUSED(given, wanted) check_unused(given, COUNT(given), wanted, COUNT(wanted))
#define CHECK_KEPT(given) check_same(check, given, COUNT(given))
#define CHECK_USED(given) check_same(check_unused, given, COUNT(given))

Test(code, what_a_constant_rules_out_is_left_out)
{
	struct bpf_insn given[] = {
		MAP(1, FD), LOAD(BPF_W, 2, 1, 0), AND(2, 2), IF(BPF_JEQ, 2, 0, 2), MOV(0, 5), EXIT, MOV(0, 6), EXIT,
	};
	const struct bpf_insn wanted[] = { MAP(1, FD), MOV(2, 0x12), MOV(2, 2), MOV(0, 5), EXIT };

	CHECK(given, wanted);
}

Test(code, what_a_constant_asks_for_is_all_that_is_left)
{
	struct bpf_insn given[] = {
		MAP(1, FD), LOAD(BPF_W, 2, 1, 0), AND(2, 4), IF(BPF_JEQ, 2, 0, 2), MOV(0, 5), EXIT, MOV(0, 6), EXIT,
	};
	const struct bpf_insn wanted[] = { MAP(1, FD), MOV(2, 0x12), MOV(2, 0), MOV(0, 6), EXIT };

	CHECK(given, wanted);
}

Test(code, what_is_not_known_stays)
{
	struct bpf_insn given[] = {
		MAP(1, FD + 1),
		LOAD(BPF_W, 2, 1, 0),
		IF(BPF_JEQ, 2, 0, 1),
		EXIT,
		MAP(1, FD),
		CALL(5),
		LOAD(BPF_W, 2, 1, 0),
		IF(BPF_JEQ, 2, 0, 1),
		EXIT,
		MAP(1, FD),
		LOAD(BPF_W, 2, 1, 30000),
		IF(BPF_JEQ, 2, 0, 1),
		EXIT,
		MAP(1, FD),
		LOAD(BPF_W, 2, 1, -1),
		IF(BPF_JEQ, 2, 0, 1),
		EXIT,
		EXIT,
	};

	CHECK_KEPT(given);
}

Test(code, nothing_is_known_where_two_ways_meet)
{
	struct bpf_insn given[] = { MOV(2, 1), IF(BPF_JEQ, 3, 0, 1), MOV(2, 0), IF(BPF_JEQ, 2, 0, 1), EXIT, EXIT };

	CHECK_KEPT(given);
}

Test(code, a_way_that_is_left_out_meets_nobody)
{
	struct bpf_insn given[] = {
		MOV(2, 1), MOV(3, 1), IF(BPF_JEQ, 3, 0, 2), MOV(0, 4), GOTO(1), MOV(2, 0), IF(BPF_JEQ, 2, 0, 1),
		EXIT,	   EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(2, 1), MOV(3, 1), MOV(0, 4), EXIT };

	CHECK(given, wanted);
}

Test(code, numbers_have_the_width_that_they_are_read_with)
{
	struct bpf_insn given[] = {
		MAP(1, FD),
		LOAD(BPF_H, 2, 1, 4),
		IF(BPF_JEQ, 2, 0xfffe, 1),
		EXIT,
		LOAD(BPF_B, 2, 1, 6),
		IF(BPF_JEQ, 2, 0xff, 1),
		EXIT,
		LOAD(BPF_DW, 2, 1, 8),
		{ BPF_ALU64 | BPF_RSH | BPF_K, 2, 0, 0, 32 },
		IF(BPF_JEQ, 2, 0x11223344, 1),
		EXIT,
		MOV(0, 1),
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		MAP(1, FD), MOV(2, 0xfffe), MOV(2, 0xff), LOAD(BPF_DW, 2, 1, 8), MOV(2, 0x11223344), MOV(0, 1), EXIT,
	};

	CHECK(given, wanted);
}

Test(code, a_short_number_is_a_long_one_without_its_sign)
{
	struct bpf_insn given[] = {
		MOV(2, -1),
		IF(BPF_JEQ, 2, -1, 1),
		EXIT,
		{ BPF_ALU | BPF_MOV | BPF_K, 2, 0, 0, -1 },
		IF(BPF_JEQ, 2, -1, 2),
		MOV(0, 1),
		EXIT,
		EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(2, -1), { BPF_ALU | BPF_MOV | BPF_K, 2, 0, 0, -1 }, MOV(0, 1), EXIT };

	CHECK(given, wanted);
}

Test(code, what_an_atomic_operation_reads_is_not_known)
{
	struct bpf_insn given[] = {
		MOV(2, 1),
		{ BPF_STX | BPF_ATOMIC | BPF_DW, 10, 2, -8, BPF_ADD | BPF_FETCH },
		IF(BPF_JEQ, 2, 0, 1),
		EXIT,
		EXIT,
	};

	CHECK_KEPT(given);
}

Test(code, loops_stay)
{
	struct bpf_insn given[] = {
		MOV(2, 0),
		MOV(3, 0),
		IF(BPF_JNE, 3, 0, 2),
		{ BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, 1 },
		IF(BPF_JLT, 2, 9, -2),
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		MOV(2, 0), MOV(3, 0), { BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, 1 }, IF(BPF_JLT, 2, 9, -2), EXIT,
	};

	CHECK(given, wanted);
}

Test(code, what_all_ways_know_is_known_where_they_meet)
{
	struct bpf_insn given[] = {
		MOV(2, 1), IF(BPF_JEQ, 3, 0, 1), MOV(4, 0), IF(BPF_JEQ, 2, 0, 1), EXIT, MOV(0, 2), EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(2, 1), IF(BPF_JEQ, 3, 0, 1), MOV(4, 0), EXIT };

	CHECK(given, wanted);
}

Test(code, numbers_with_signs_are_compared_with_them)
{
	struct bpf_insn given[] = {
		MOV(2, -1),
		IF(BPF_JSGT, 2, 0, 5),
		IF(BPF_JSGE, 2, 0, 4),
		IF(BPF_JSLT, 2, 0, 1),
		EXIT,
		IF(BPF_JSLE, 2, -1, 1),
		EXIT,
		MOV(0, 1),
		{ BPF_ALU | BPF_MOV | BPF_K, 2, 0, 0, -1 },
		{ BPF_JMP32 | BPF_JSLT | BPF_K, 2, 0, 1, 0 },
		EXIT,
		{ BPF_JMP32 | BPF_JGT | BPF_K, 2, 0, 1, 1 },
		EXIT,
		MOV(0, 2),
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		MOV(2, -1), MOV(0, 1), { BPF_ALU | BPF_MOV | BPF_K, 2, 0, 0, -1 }, MOV(0, 2), EXIT,
	};

	CHECK(given, wanted);
}

#define KEEP(src, at)                                                                                                  \
	{                                                                                                              \
		BPF_STX | BPF_MEM | BPF_DW, 10, src, at, 0                                                             \
	}
#define STACK(dst, at)                                                                                                 \
	{ BPF_ALU64 | BPF_MOV | BPF_X, dst, 10, 0, 0 },                                                                \
	{                                                                                                              \
		BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, at                                                             \
	}

Test(code, registers_that_are_kept_on_the_stack_are_known)
{
	struct bpf_insn given[] = {
		MOV(2, 1), KEEP(2, -24), STACK(1, -16), CALL(5), LOAD(BPF_DW, 3, 10, -24), IF(BPF_JEQ, 3, 1, 1),
		EXIT,	   MOV(0, 2),	 EXIT,
	};
	const struct bpf_insn wanted[] = {
		MOV(2, 1), KEEP(2, -24), STACK(1, -16), CALL(5), MOV(3, 1), MOV(0, 2), EXIT,
	};

	CHECK(given, wanted);
}

Test(code, what_others_may_write_is_not_known)
{
	struct bpf_insn given[] = {
		MOV(2, 1),
		/* Above an address that is given away. */
		KEEP(2, -16),
		LOAD(BPF_DW, 3, 10, -16),
		IF(BPF_JEQ, 3, 1, 1),
		EXIT,
		/* In part. */
		KEEP(2, -32),
		{ BPF_ST | BPF_MEM | BPF_B, 10, 0, -30, 1 },
		LOAD(BPF_DW, 3, 10, -32),
		IF(BPF_JEQ, 3, 1, 1),
		EXIT,
		/* Across two. */
		KEEP(2, -40),
		KEEP(2, -48),
		{ BPF_ST | BPF_MEM | BPF_DW, 10, 0, -44, 1 },
		LOAD(BPF_DW, 3, 10, -48),
		IF(BPF_JEQ, 3, 1, 1),
		EXIT,
		LOAD(BPF_DW, 3, 10, -40),
		IF(BPF_JEQ, 3, 1, 1),
		EXIT,
		/* Atomically. */
		KEEP(2, -56),
		{ BPF_STX | BPF_ATOMIC | BPF_DW, 10, 4, -56, BPF_ADD },
		LOAD(BPF_DW, 3, 10, -56),
		IF(BPF_JEQ, 3, 1, 1),
		EXIT,
		STACK(1, -24),
		CALL(5),
		EXIT,
	};

	CHECK_KEPT(given);
}

Test(code, an_address_that_nobody_can_follow_may_be_any)
{
	struct bpf_insn kept[] = {
		MOV(2, 1), KEEP(2, -64), { BPF_STX | BPF_MEM | BPF_DW, 10, 10, -8, 0 }, CALL(5),
		LOAD(BPF_DW, 3, 10, -64), IF(BPF_JEQ, 3, 1, 1), EXIT, EXIT,
	}, added[] = {
		MOV(2, 1), KEEP(2, -64), { BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0 }, { BPF_ALU64 | BPF_ADD | BPF_X, 1, 6, 0, 0 },
		CALL(5), LOAD(BPF_DW, 3, 10, -64), IF(BPF_JEQ, 3, 1, 1), EXIT, EXIT,
	};
	struct bpf_insn kept_wanted[COUNT(kept)], added_wanted[COUNT(added)];

	memcpy(kept_wanted, kept, sizeof(kept));
	memcpy(added_wanted, added, sizeof(added));
	CHECK(kept, kept_wanted);
	CHECK(added, added_wanted);
}

/* The verifier may look at it by itself, and wants its checks. */
Test(code, a_function_knows_nothing_of_its_arguments)
{
	struct bpf_insn given[] = {
		MOV(1, 1), MOV(6, 1), CALL_OWN(1), EXIT, IF(BPF_JEQ, 1, 1, 1), EXIT, IF(BPF_JEQ, 6, 1, 1), EXIT, EXIT,
	};

	CHECK_KEPT(given);
}

Test(code, a_call_leaves_what_is_the_callers)
{
	struct bpf_insn given[] = {
		MOV(6, 1),
		KEEP(6, -8),
		CALL_OWN(5),
		IF(BPF_JEQ, 6, 1, 1),
		EXIT,
		LOAD(BPF_DW, 7, 10, -8),
		IF(BPF_JNE, 7, 1, 1),
		EXIT,
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		MOV(6, 1), KEEP(6, -8), CALL_OWN(2), MOV(7, 1), EXIT, EXIT,
	};

	CHECK(given, wanted);
}

Test(code, a_branch_over_nothing_but_branches_that_go_is_gone)
{
	struct bpf_insn given[] = {
		MOV(2, 1), IF(BPF_JEQ, 3, 0, 1), GOTO(1), IF(BPF_JEQ, 2, 0, 1), MOV(0, 1), EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(2, 1), MOV(0, 1), EXIT };

	CHECK(given, wanted);
}

Test(code, functions_that_nobody_calls_go_with_what_is_said_of_them)
{
	struct bpf_insn given[] = {
		MOV(2, 1), IF(BPF_JEQ, 2, 1, 1), CALL_OWN(2), CALL_OWN(3), EXIT, MOV(0, 1), EXIT, MOV(0, 2), EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(2, 1), CALL_OWN(1), EXIT, MOV(0, 2), EXIT };
	struct bpf_func_info infos[] = { { 0, 11 }, { 5, 12 }, { 7, 13 } };
	struct code program = {
		.insns = given,
		.count = COUNT(given),
		.functions = (unsigned char *)infos,
		.function_count = 3,
		.function_size = sizeof(*infos),
	};

	cr_assert_eq(code_fold(&program, NULL, 0), 0);
	cr_assert_eq(program.count, COUNT(wanted));
	cr_assert(!memcmp(given, wanted, sizeof(wanted)));
	cr_assert_eq(program.function_count, 2u);
	cr_assert(infos[0].insn_off == 0 && infos[0].type_id == 11);
	cr_assert(infos[1].insn_off == 3 && infos[1].type_id == 13);
}

Test(code, a_function_whose_address_is_taken_is_reached)
{
	struct bpf_insn given[] = {
		{ BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_FUNC, 0, 4 },
		{ 0, 0, 0, 0, 0 },
		MOV(3, 0),
		IF(BPF_JNE, 3, 0, 0),
		EXIT,
		MOV(0, 2),
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		{ BPF_LD | BPF_DW | BPF_IMM, 2, BPF_PSEUDO_FUNC, 0, 3 },
		{ 0, 0, 0, 0, 0 },
		MOV(3, 0),
		EXIT,
		MOV(0, 2),
		EXIT,
	};

	CHECK(given, wanted);
}

Test(code, what_is_no_program_is_left_alone)
{
	struct bpf_insn beyond[] = { IF(BPF_JEQ, 2, 0, 9), EXIT }, before[] = { GOTO(-2), EXIT },
			endless[] = { MOV(0, 1) }, half[] = { MOV(0, 1), { BPF_LD | BPF_DW | BPF_IMM, 1, 0, 0, 1 } };
	struct code programs[] = { { .insns = beyond, .count = 2 },
				   { .insns = endless, .count = 1 },
				   { .insns = before, .count = 2 },
				   { .insns = half, .count = 2 },
				   { .insns = half, .count = 0 } };

	for (size_t i = 0; i < COUNT(programs); i++) {
		cr_assert(i == 1 || code_drop_unused(&programs[i]) < 0, "%zu", i);
		cr_assert_lt(code_fold(&programs[i], constants, COUNT(constants)), 0, "%zu", i);
	}
}

#define ADD(dst, value)                                                                                                \
	{                                                                                                              \
		BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value                                                          \
	}

Test(code, what_a_call_may_read_is_needed)
{
	struct bpf_insn given[] = {
		MAP(1, FD), LOAD(BPF_W, 2, 1, 0), AND(2, 2), MOV(3, 1), CALL_OWN(2), MOV(0, 0), EXIT, MOV(0, 4), EXIT,
	};

	CHECK_USED(given);
}

Test(code, a_value_is_read_until_it_is_written_anew)
{
	struct bpf_insn given[] = {
		MAP(6, FD),
		LOAD(BPF_W, 7, 6, 0),
		AND(7, 2),
		MOV(7, 1),
		MOV(8, 2),
		ADD(8, 1),
		{ BPF_ALU64 | BPF_MOV | BPF_X, 0, 7, 0, 0 },
		EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(7, 1), { BPF_ALU64 | BPF_MOV | BPF_X, 0, 7, 0, 0 }, EXIT };

	CHECK_UNUSED(given, wanted);
}

Test(code, what_is_read_in_the_next_round_of_a_loop_is_needed)
{
	struct bpf_insn given[] = {
		MOV(6, 0),
		MOV(7, 0),
		MOV(8, 0),
		{ BPF_ALU64 | BPF_ADD | BPF_X, 6, 7, 0, 0 },
		ADD(7, 1),
		ADD(8, 1),
		IF(BPF_JLT, 7, 9, -4),
		{ BPF_ALU64 | BPF_MOV | BPF_X, 0, 6, 0, 0 },
		EXIT,
	};
	const struct bpf_insn wanted[] = {
		MOV(6, 0),
		MOV(7, 0),
		{ BPF_ALU64 | BPF_ADD | BPF_X, 6, 7, 0, 0 },
		ADD(7, 1),
		IF(BPF_JLT, 7, 9, -3),
		{ BPF_ALU64 | BPF_MOV | BPF_X, 0, 6, 0, 0 },
		EXIT,
	};

	CHECK_UNUSED(given, wanted);
}

Test(code, a_branch_over_nothing_goes_with_what_it_asks)
{
	struct bpf_insn given[] = {
		MAP(6, FD), LOAD(BPF_W, 7, 6, 0), IF(BPF_JEQ, 7, 0, 1), MOV(8, 1), MOV(0, 1), EXIT,
	};
	const struct bpf_insn wanted[] = { MOV(0, 1), EXIT };

	CHECK_UNUSED(given, wanted);
}

Test(code, what_has_effects_stays_with_what_it_reads)
{
	struct bpf_insn given[] = {
		MOV(2, 1),
		MOV(3, 2),
		MOV(0, 7),
		KEEP(2, -8),
		{ BPF_STX | BPF_ATOMIC | BPF_DW, 10, 3, -8, BPF_CMPXCHG },
		{ BPF_ST | BPF_MEM | BPF_W, 10, 0, -16, 1 },
		MOV(6, 3),
		{ BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 0 },
		EXIT,
	};

	CHECK_USED(given);
}

/* It is reached by nothing else, and a function that nothing reaches is no program for the kernel. */
Test(code, the_address_of_a_function_stays)
{
	struct bpf_insn given[] = {
		{ BPF_LD | BPF_DW | BPF_IMM, 6, BPF_PSEUDO_FUNC, 0, 3 },
		{ 0, 0, 0, 0, 0 },
		MOV(0, 1),
		EXIT,
		MOV(0, 2),
		EXIT,
	};

	CHECK_USED(given);
}

Test(code, a_function_whose_first_instruction_goes_begins_with_the_next)
{
	struct bpf_insn given[] = { CALL_OWN(1), EXIT, MOV(7, 1), MOV(0, 2), EXIT };
	const struct bpf_insn wanted[] = { CALL_OWN(1), EXIT, MOV(0, 2), EXIT };
	struct bpf_func_info infos[] = { { 0, 11 }, { 2, 12 } };
	struct code code = {
		.insns = given,
		.count = COUNT(given),
		.functions = (unsigned char *)infos,
		.function_count = 2,
		.function_size = sizeof(*infos),
	};

	cr_assert_eq(code_drop_unused(&code), 0);
	expect_code(&code, wanted, COUNT(wanted));
	cr_assert_eq(code.function_count, 2u);
	cr_assert(infos[1].insn_off == 2 && infos[1].type_id == 12);
}

/* The second half of a wide instruction is half of a number, here one that looks like a jump to nowhere. */
Test(code, a_way_into_the_middle_of_an_instruction_is_no_way)
{
	struct bpf_insn given[] = {
		{ BPF_LD | BPF_DW | BPF_IMM, 2, 0, 0, 1 },
		GOTO(30000),
		IF(BPF_JEQ, 3, 0, -2),
		EXIT,
	};
	struct code code = { .insns = given, .count = COUNT(given) };

	cr_assert(!code_is_sound(&code));
	cr_assert_eq(code_fold(&code, constants, COUNT(constants)), -EINVAL);
	cr_assert_eq(code_drop_unused(&code), -EINVAL);
}

#define LOOP_BACK_BY_WHAT_FOLLOWS                                                                                      \
	CALL(BPF_FUNC_ktime_get_ns), GOTO(1), CALL(BPF_FUNC_ktime_get_ns), IF(BPF_JEQ, 0, 0, -2), EXIT

/* Linux 6.1: "back-edge from insn 2 to 3". */
Test(code, a_loop_is_closed_by_a_branch)
{
	struct bpf_insn given[6] = { LOOP_BACK_BY_WHAT_FOLLOWS };
	const struct bpf_insn wanted[] = {
		CALL(BPF_FUNC_ktime_get_ns), GOTO(2), CALL(BPF_FUNC_ktime_get_ns), GOTO(0), IF(BPF_JEQ, 0, 0, -3), EXIT,
	};
	struct code code = { .insns = given, .count = 5 };

	cr_assert_eq(code_close_loops(&code, COUNT(given)), 0);
	expect_code(&code, wanted, COUNT(wanted));
	cr_assert_eq(code_close_loops(&code, COUNT(given)), 0);
	expect_code(&code, wanted, COUNT(wanted));
}

Test(code, a_loop_of_a_function_is_closed_and_the_call_of_what_is_behind_it_follows)
{
	struct bpf_insn given[11] = { CALL_OWN(2), CALL_OWN(6), EXIT, LOOP_BACK_BY_WHAT_FOLLOWS, MOV(0, 1), EXIT };
	const struct bpf_insn wanted[] = {
		CALL_OWN(2), CALL_OWN(7),
		EXIT,	     CALL(BPF_FUNC_ktime_get_ns),
		GOTO(2),     CALL(BPF_FUNC_ktime_get_ns),
		GOTO(0),     IF(BPF_JEQ, 0, 0, -3),
		EXIT,	     MOV(0, 1),
		EXIT,
	};
	struct bpf_func_info functions[] = { { .insn_off = 0 }, { .insn_off = 3 }, { .insn_off = 8 } };
	struct code code = {
		.insns = given,
		.count = 10,
		.functions = (unsigned char *)functions,
		.function_count = COUNT(functions),
		.function_size = sizeof(*functions),
	};

	cr_assert_eq(code_close_loops(&code, COUNT(given)), 0);
	expect_code(&code, wanted, COUNT(wanted));
	cr_assert_eq(functions[1].insn_off, 3);
	cr_assert_eq(functions[2].insn_off, 9);
}

Test(code, a_loop_stays_as_it_is_without_room)
{
	struct bpf_insn given[] = { LOOP_BACK_BY_WHAT_FOLLOWS };
	const struct bpf_insn wanted[] = { LOOP_BACK_BY_WHAT_FOLLOWS };
	struct code code = { .insns = given, .count = COUNT(given) };

	cr_assert_eq(code_close_loops(&code, COUNT(given)), -ENOSPC);
	expect_code(&code, wanted, COUNT(wanted));
}
