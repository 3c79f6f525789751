// SPDX-License-Identifier: BSD-2-Clause
/* Every form that gcc and clang write into the notes of aarch64 programs. */
#include <stdio.h>

#include "operand_check.h"

#define SP 31

Test(operand_arm, every_register_is_read_under_both_of_its_names)
{
	for (uint8_t n = 0; n <= 30; n++) {
		struct erl_operand op = { .base = ERL_BASE_REG, .reg = n, .size = 8 };
		char text[16];

		snprintf(text, sizeof(text), "8@x%u", n);
		expect_operand(ARCH_AARCH64, false, text, &op);
		op.size = 4;
		op.is_signed = 1;
		snprintf(text, sizeof(text), "-4@w%u", n);
		expect_operand(ARCH_AARCH64, false, text, &op);
	}
}

Test(operand_arm, every_64_bit_register_is_a_base)
{
	for (uint8_t n = 0; n <= 30; n++) {
		struct erl_operand op = { .base = ERL_BASE_REG, .reg = n, .size = 8, .steps = 1 };
		char text[24];

		snprintf(text, sizeof(text), "8@[x%u]", n);
		expect_operand(ARCH_AARCH64, false, text, &op);
		op.disp[0] = 4088;
		snprintf(text, sizeof(text), "8@[x%u, 4088]", n);
		expect_operand(ARCH_AARCH64, false, text, &op);
	}
}

#define MEMORY(bytes, sign, number, offset)                                                                            \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = number, .size = bytes, .is_signed = sign, .steps = 1, .disp = { offset }  \
	}
#define CONSTANT(bytes, sign, value)                                                                                   \
	{                                                                                                              \
		.base = ERL_BASE_CONST, .size = bytes, .is_signed = sign, .disp = { value }                            \
	}

static const struct operand_row rows[] = {
	{ "8@sp", { .base = ERL_BASE_REG, .reg = SP, .size = 8 } },
	{ "4@wsp", { .base = ERL_BASE_REG, .reg = SP, .size = 4 } },
	{ "1@w3", { .base = ERL_BASE_REG, .reg = 3, .size = 1 } },
	{ "-2@w3", { .base = ERL_BASE_REG, .reg = 3, .size = 2, .is_signed = 1 } },
	{ "8@[sp]", MEMORY(8, 0, SP, 0) },
	{ "8@[sp, 16]", MEMORY(8, 0, SP, 16) },
	{ "8@[sp, #16]", MEMORY(8, 0, SP, 16) },
	{ "8@[x0,16]", MEMORY(8, 0, 0, 16) },
	{ "-4@[x29, -20]", MEMORY(4, 1, 29, -20) },
	{ "-4@[x29, #-20]", MEMORY(4, 1, 29, -20) },
	{ "8@[x1, 0x10]", MEMORY(8, 0, 1, 16) },
	{ "8@[x0, #:lo12:sym]", MEMORY(8, 0, 0, CHECK_SYM & 0xfff) },
	{ "8@[x0, :lo12:sym]", MEMORY(8, 0, 0, CHECK_SYM & 0xfff) },
	{ "4@[x19,#:lo12:dotted.name.0]", MEMORY(4, 0, 19, 0x28) },
	{ "8@0", CONSTANT(8, 0, 0) },
	{ "-4@-1", CONSTANT(4, 1, -1) },
	{ "4@42", CONSTANT(4, 0, 42) },
	{ "4@#42", CONSTANT(4, 0, 42) },
	{ "8@0xff", CONSTANT(8, 0, 255) },
	{ "-8@-9223372036854775808", CONSTANT(8, 1, INT64_MIN) },
};

Test(operand_arm, registers_memory_and_constants_are_read)
{
	expect_operands(ARCH_AARCH64, false, rows, COUNT(rows));
}

Test(operand_arm, blanks_inside_of_brackets_do_not_part_arguments)
{
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why;
	int count;

	count = check_parse(ARCH_AARCH64, false, "8@[sp, 16] -4@w1 8@[x2, #:lo12:sym]", ops, &why);
	cr_assert(eq(int, count, 3));
	cr_expect(eq(i64, ops[0].disp[0], 16));
	cr_expect(eq(u8, ops[1].reg, 1));
	cr_expect(eq(u8, ops[2].reg, 2));
}
