// SPDX-License-Identifier: BSD-2-Clause
/* The words of our own that translators use, and operands as text again. */
#include <stdio.h>
#include <string.h>

#include "operand_check.h"

/* Words of struct pt_regs for the first six arguments and the value (System V, AAPCS64). */
static const uint8_t arguments[2][6] = {
	[ARCH_X86_64] = { 14, 13, 12, 11, 9, 8 },
	[ARCH_AARCH64] = { 0, 1, 2, 3, 4, 5 },
};
static const uint8_t value[2] = { [ARCH_X86_64] = 10, [ARCH_AARCH64] = 0 };

Test(operand_translator, arguments_and_the_value_are_in_the_registers_of_the_architecture)
{
	for (enum arch arch = ARCH_X86_64; arch <= ARCH_AARCH64; arch++) {
		struct erl_operand ret = { .base = ERL_BASE_REG, .reg = value[arch], .size = 8 };

		expect_operand(arch, true, "8@%ret", &ret);
		for (int n = 0; n < 6; n++) {
			struct erl_operand op = {
				.base = ERL_BASE_REG,
				.reg = arguments[arch][n],
				.size = 8,
			};
			char text[16];

			snprintf(text, sizeof(text), "8@%%a%d", n);
			expect_operand(arch, true, text, &op);
		}
	}
}

Test(operand_translator, saved_arguments_are_numbered_on_every_architecture)
{
	for (enum arch arch = ARCH_X86_64; arch <= ARCH_AARCH64; arch++) {
		for (uint8_t n = 0; n < ERL_SAVED_ARGS; n++) {
			struct erl_operand op = {
				.base = ERL_BASE_SAVED,
				.reg = n,
				.size = 4,
				.is_signed = 1,
			};
			char text[16];

			snprintf(text, sizeof(text), "-4@%%s%u", n);
			expect_operand(arch, true, text, &op);
		}
	}
}

#define LOADS(bytes, first_base, number, ...)                                                                          \
	{                                                                                                              \
		.base = first_base, .reg = number, .size = bytes, __VA_ARGS__                                          \
	}

static const struct operand_row rows[] = {
	{ "8@process.id(%a0)", LOADS(8, ERL_BASE_REG, 14, .steps = 1) },
	{ "4@process.flags(%a1)", LOADS(4, ERL_BASE_REG, 13, .steps = 1, .disp = { 288 }) },
	{ "8@process.id(%ret)", LOADS(8, ERL_BASE_REG, 10, .steps = 1) },
	{ "2@process.flags(%s3)", LOADS(2, ERL_BASE_SAVED, 3, .steps = 1, .disp = { 288 }) },
	{ "8@16(%a2)", LOADS(8, ERL_BASE_REG, 12, .steps = 1, .disp = { 16 }) },
	{ "8@-16(%a2)", LOADS(8, ERL_BASE_REG, 12, .steps = 1, .disp = { -16 }) },
	{ "8@process.id(nif_env.proc(%a0))", LOADS(8, ERL_BASE_REG, 14, .steps = 2, .disp = { 8, 0 }) },
	{ "4@process.flags(nif_env.proc(%a0))", LOADS(4, ERL_BASE_REG, 14, .steps = 2, .disp = { 8, 288 }) },
	{ "4@process.flags(nif_env.proc(outer(%s1)))",
	  LOADS(4, ERL_BASE_SAVED, 1, .steps = 3, .disp = { 24, 8, 288 }) },
	{ "8@&process.flags(%a0)", LOADS(8, ERL_BASE_REG, 14, .steps = 1, .address_of = 1, .disp = { 288 }) },
	{ "8@&process.flags(nif_env.proc(%a3))",
	  LOADS(8, ERL_BASE_REG, 11, .steps = 2, .address_of = 1, .disp = { 8, 288 }) },
	{ "8@small(process.flags(%a0))", LOADS(8, ERL_BASE_REG, 14, .steps = 1, .value_shift = 4, .disp = { 288 }) },
	{ "8@$3", LOADS(8, ERL_BASE_CONST, 0, .disp = { 3 }) },
	{ "8@$0x10", LOADS(8, ERL_BASE_CONST, 0, .disp = { 16 }) },
	{ "-4@$-1", LOADS(4, ERL_BASE_CONST, 0, .is_signed = 1, .disp = { -1 }) },
};

Test(operand_translator, fields_are_loads_from_the_inside_out)
{
	expect_operands(ARCH_X86_64, true, rows, COUNT(rows));
}

static const struct refused_row refused[] = {
	{ "8@%a6", "a register is unknown" },
	{ "8@%s4", "a register is unknown" },
	{ "8@%a", "a register is unknown" },
	{ "8@%s", "a register is unknown" },
	{ "8@%a00", "a register is unknown" },
	{ "8@%a-1", "a register is unknown" },
	{ "8@%return", "a register is unknown" },
	{ "8@%rax", "a register is unknown" },
	{ "8@%x0", "a register is unknown" },
	{ "8@", "a name is missing" },
	{ "8@%", "a name is missing" },
	{ "8@process.id", "a field is used without a register" },
	{ "8@process.id%a0", "a field is used without a register" },
	{ "8@process.id(process.id)", "a field is used without a register" },
	{ "8@16", "a field is used without a register" },
	{ "8@process.id()", "a name is missing" },
	{ "8@process.id(%a0", "a closing bracket is missing" },
	{ "8@process.id(nif_env.proc(%a0)", "a closing bracket is missing" },
	{ "8@process.id(%a0))", "there is text after an operand" },
	{ "8@process.id(%a0),1", "there is text after an operand" },
	{ "8@process.nothing(%a0)", "a symbol is not in the file" },
	{ "8@process.id(outer(outer(outer(%a0))))", "an operand takes too many loads" },
	{ "8@&%a0", "'&' needs a field" },
	{ "8@&%ret", "'&' needs a field" },
	{ "8@&$3", "a symbol is not in the file" },
	{ "8@&&process.id(%a0)", "a name is missing" },
	{ "8@small(%a0)", "'small' needs a field" },
	{ "8@small(process.flags(%a0)", "a closing bracket is missing" },
	{ "8@$", "a number is missing" },
	{ "8@8(%rax,%rcx,8)", "a register is unknown" },
};

Test(operand_translator, mistakes_are_refused_with_their_reason)
{
	expect_refused(ARCH_X86_64, true, refused, COUNT(refused));
	expect_refused(ARCH_AARCH64, true, refused, COUNT(refused));
}

static const struct {
	enum arch arch;
	bool is_translator;
	const char *text;
	const char *shown;
} shown[] = {
	{ ARCH_X86_64, false, "8@%rdi", "rdi" },
	{ ARCH_X86_64, false, "4@%r8d", "r8" },
	{ ARCH_X86_64, false, "-4@$-1", "-1" },
	{ ARCH_X86_64, false, "8@-8(%rbp)", "[rbp-8]" },
	{ ARCH_X86_64, false, "8@(%rbp,%rax,8)", "[rbp+rax*8+0]" },
	{ ARCH_X86_64, false, "8@sym(%rip)", "[site+12312]" },
	{ ARCH_X86_64, true, "8@process.flags(%a0)", "[rdi+288]" },
	{ ARCH_X86_64, true, "8@process.id(nif_env.proc(%a0))", "[[rdi+8]+0]" },
	{ ARCH_X86_64, true, "8@&process.flags(%a0)", "&rdi+288" },
	{ ARCH_X86_64, true, "8@small(process.flags(%a0))", "[rdi+288]>>4" },
	{ ARCH_X86_64, true, "8@&process.flags(outer(%s0))", "&[entry arg0+24]+288" },
	{ ARCH_X86_64, true, "8@%s2", "entry arg2" },
	{ ARCH_AARCH64, false, "8@x19", "x19" },
	{ ARCH_AARCH64, false, "8@[sp, 16]", "[sp+16]" },
	{ ARCH_AARCH64, true, "8@%ret", "x0" },
};

Test(operand_translator, operands_are_shown_as_text)
{
	for (size_t i = 0; i < COUNT(shown); i++) {
		struct erl_operand ops[ERL_MAX_ARGS] = {};
		const char *why;
		char buf[64];

		check_parse(shown[i].arch, shown[i].is_translator, shown[i].text, ops, &why);
		expect_text(operand_format(&ops[0], shown[i].arch, buf), shown[i].shown, "%s", shown[i].text);
	}
}

Test(operand_translator, an_absent_operand_is_shown_as_a_dash)
{
	struct erl_operand none = {};
	char buf[64];

	expect_text(operand_format(&none, ARCH_X86_64, buf), "-");
}

Test(operand_translator, the_longest_operand_fits_into_its_buffer)
{
	struct erl_operand op = {
		.base = ERL_BASE_REG,
		.reg = 19,
		.has_index = 1,
		.index_reg = 3,
		.index_shift = 3,
		.size = 8,
		.steps = 3,
		.disp = { INT64_MIN, INT64_MIN, INT64_MIN },
	};
	char buf[64 + 8];

	memset(buf, '!', sizeof(buf));
	operand_format(&op, ARCH_X86_64, buf);
	cr_expect(lt(sz, strnlen(buf, 64), 64));
	cr_expect(eq(chr, buf[64], '!'));
}
