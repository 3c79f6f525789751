// SPDX-License-Identifier: BSD-2-Clause
/* Every form that gcc and clang write into the notes of x86-64 programs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "operand_check.h"

/* Words of struct pt_regs (<asm/ptrace.h>), which the kernel never renumbers. */
enum { R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI, RIP = 16, RSP = 19 };

static const struct {
	const char *names[4];
	uint8_t word;
} registers[] = {
	{ { "rax", "eax", "ax", "al" }, RAX },	    { { "rbx", "ebx", "bx", "bl" }, RBX },
	{ { "rcx", "ecx", "cx", "cl" }, RCX },	    { { "rdx", "edx", "dx", "dl" }, RDX },
	{ { "rsi", "esi", "si", "sil" }, RSI },	    { { "rdi", "edi", "di", "dil" }, RDI },
	{ { "rbp", "ebp", "bp", "bpl" }, RBP },	    { { "rsp", "esp", "sp", "spl" }, RSP },
	{ { "r8", "r8d", "r8w", "r8b" }, R8 },	    { { "r9", "r9d", "r9w", "r9b" }, R9 },
	{ { "r10", "r10d", "r10w", "r10b" }, R10 }, { { "r11", "r11d", "r11w", "r11b" }, R11 },
	{ { "r12", "r12d", "r12w", "r12b" }, R12 }, { { "r13", "r13d", "r13w", "r13b" }, R13 },
	{ { "r14", "r14d", "r14w", "r14b" }, R14 }, { { "r15", "r15d", "r15w", "r15b" }, R15 },
};

static const struct {
	const char *name;
	uint8_t word;
} high_bytes[] = { { "ah", RAX }, { "bh", RBX }, { "ch", RCX }, { "dh", RDX } };

static void expect_x86(const char *text, const struct erl_operand *expected)
{
	expect_operand(ARCH_X86_64, false, text, expected);
}

Test(operand_x86, every_register_is_read_under_each_of_its_names)
{
	for (size_t i = 0; i < COUNT(registers); i++) {
		for (int j = 0; j < 4; j++) {
			struct erl_operand op = {
				.base = ERL_BASE_REG,
				.reg = registers[i].word,
				.size = (uint8_t)(8 >> j),
			};
			char text[32];

			snprintf(text, sizeof(text), "%d@%%%s", op.size, registers[i].names[j]);
			expect_x86(text, &op);
			op.is_signed = 1;
			snprintf(text, sizeof(text), "-%d@%%%s", op.size, registers[i].names[j]);
			expect_x86(text, &op);
		}
	}
}

Test(operand_x86, the_second_byte_of_a_register_is_read_under_its_name)
{
	for (size_t i = 0; i < COUNT(high_bytes); i++) {
		struct erl_operand op = {
			.base = ERL_BASE_REG,
			.reg = high_bytes[i].word,
			.value_shift = 8,
			.size = 1,
		};
		char text[32];

		snprintf(text, sizeof(text), "1@%%%s", high_bytes[i].name);
		expect_x86(text, &op);
	}
}

Test(operand_x86, every_64_bit_register_is_a_base)
{
	for (size_t i = 0; i < COUNT(registers); i++) {
		struct erl_operand op = {
			.base = ERL_BASE_REG,
			.reg = registers[i].word,
			.size = 8,
			.steps = 1,
		};
		char text[32];

		snprintf(text, sizeof(text), "8@(%%%s)", registers[i].names[0]);
		expect_x86(text, &op);
		op.disp[0] = -24;
		snprintf(text, sizeof(text), "8@-24(%%%s)", registers[i].names[0]);
		expect_x86(text, &op);
	}
}

Test(operand_x86, every_64_bit_register_but_the_stack_pointer_is_an_index)
{
	for (size_t i = 0; i < COUNT(registers); i++) {
		struct erl_operand op = {
			.base = ERL_BASE_REG,
			.reg = RBX,
			.size = 4,
			.steps = 1,
			.disp = { 16 },
			.has_index = 1,
			.index_reg = registers[i].word,
			.index_shift = 2,
		};
		char text[40];

		if (registers[i].word == RSP)
			continue;
		snprintf(text, sizeof(text), "4@16(%%rbx,%%%s,4)", registers[i].names[0]);
		expect_x86(text, &op);
	}
}

#define CONSTANT(bytes, sign, value)                                                                                   \
	{                                                                                                              \
		.base = ERL_BASE_CONST, .size = bytes, .is_signed = sign, .disp = { value }                            \
	}

static const struct operand_row constants[] = {
	{ "8@$0", CONSTANT(8, 0, 0) },
	{ "4@$42", CONSTANT(4, 0, 42) },
	{ "-4@$-1", CONSTANT(4, 1, -1) },
	{ "-8@$-9000000000", CONSTANT(8, 1, -9000000000) },
	{ "2@$0x10", CONSTANT(2, 0, 16) },
	{ "1@$0xff", CONSTANT(1, 0, 255) },
	{ "-8@$-0x20", CONSTANT(8, 1, -32) },
	{ "-8@$9223372036854775807", CONSTANT(8, 1, INT64_MAX) },
	{ "-8@$-9223372036854775808", CONSTANT(8, 1, INT64_MIN) },
	{ "8@$18446744073709551615", CONSTANT(8, 0, -1) },
	{ "8@$0xffffffffffffffff", CONSTANT(8, 0, -1) },
};

Test(operand_x86, constants_are_decimal_or_hexadecimal_of_either_sign)
{
	expect_operands(ARCH_X86_64, false, constants, COUNT(constants));
}

#define MEMORY(bytes, sign, word, offset)                                                                              \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = word, .size = bytes, .is_signed = sign, .steps = 1, .disp = { offset }    \
	}
#define INDEXED(bytes, word, offset, index, shift)                                                                     \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = word, .size = bytes, .steps = 1, .disp = { offset }, .has_index = 1,      \
		.index_reg = index, .index_shift = shift                                                               \
	}

static const struct operand_row memory[] = {
	{ "8@472(%rbx)", MEMORY(8, 0, RBX, 472) },
	{ "-4@-20(%rbp)", MEMORY(4, 1, RBP, -20) },
	{ "8@0x28(%rsp)", MEMORY(8, 0, RSP, 40) },
	{ "8@+8(%rsp)", MEMORY(8, 0, RSP, 8) },
	{ "2@-0x10(%r12)", MEMORY(2, 0, R12, -16) },
	{ "1@2147483647(%r8)", MEMORY(1, 0, R8, INT32_MAX) },
	{ "1@-2147483648(%r8)", MEMORY(1, 0, R8, INT32_MIN) },
	{ "8@16-8(%rbp)", MEMORY(8, 0, RBP, 8) },
	{ "8@16+8(%rbp)", MEMORY(8, 0, RBP, 24) },
	{ "8@-8(%rbp,%rax,8)", INDEXED(8, RBP, -8, RAX, 3) },
	{ "1@(%rdi,%rcx)", INDEXED(1, RDI, 0, RCX, 0) },
	{ "1@(%rdi,%rcx,1)", INDEXED(1, RDI, 0, RCX, 0) },
	{ "2@(%rdi,%rcx,2)", INDEXED(2, RDI, 0, RCX, 1) },
	{ "4@4(%rdi, %rcx, 4)", INDEXED(4, RDI, 4, RCX, 2) },
	{ "8@(%r13,%r15,8)", INDEXED(8, R13, 0, R15, 3) },
};

Test(operand_x86, memory_is_an_offset_a_base_and_a_scaled_index)
{
	expect_operands(ARCH_X86_64, false, memory, COUNT(memory));
}

#define RELATIVE(bytes, sign, address)                                                                                 \
	{                                                                                                              \
		.base = ERL_BASE_IP, .size = bytes, .is_signed = sign, .steps = 1, .disp = {(address)-CHECK_SITE }     \
	}

static const struct operand_row relative[] = {
	{ "8@sym(%rip)", RELATIVE(8, 0, CHECK_SYM) },		{ "-4@sym(%rip)", RELATIVE(4, 1, CHECK_SYM) },
	{ "8@sym+8(%rip)", RELATIVE(8, 0, CHECK_SYM + 8) },	{ "8@sym-8(%rip)", RELATIVE(8, 0, CHECK_SYM - 8) },
	{ "8@8+sym(%rip)", RELATIVE(8, 0, CHECK_SYM + 8) },	{ "8@-8+sym(%rip)", RELATIVE(8, 0, CHECK_SYM - 8) },
	{ "4@sym+0x10(%rip)", RELATIVE(4, 0, CHECK_SYM + 16) }, { "8@16+sym-8(%rip)", RELATIVE(8, 0, CHECK_SYM + 8) },
	{ "8@_under_score(%rip)", RELATIVE(8, 0, 0x404020) },	{ "8@dotted.name.0(%rip)", RELATIVE(8, 0, 0x404028) },
	{ "8@dollar$name(%rip)", RELATIVE(8, 0, 0x404030) },	{ "8@versioned@@V_1(%rip)", RELATIVE(8, 0, 0x404038) },
};

Test(operand_x86, a_symbol_is_at_a_fixed_distance_from_the_site)
{
	expect_operands(ARCH_X86_64, false, relative, COUNT(relative));
}

static const struct {
	const char *text;
	int count;
} lists[] = {
	{ "", 0 },
	{ "  \t ", 0 },
	{ "8@%rax", 1 },
	{ "  8@%rax  ", 1 },
	{ "8@%rsi 8@%r8 8@%r13 -8@%rcx -8@%rax -8@%rdx", 6 },
	{ "8@%rsi\t-4@-20(%rbp,%rax,8)   4@$1", 3 },
	{ "8@(%rdi, %rcx, 4) 4@$1", 2 },
	{ "1@$0 1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11", 12 },
};

Test(operand_x86, arguments_are_parted_by_blanks)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct erl_operand ops[ERL_MAX_ARGS];
		const char *why = NULL;

		cr_expect(eq(int, check_parse(ARCH_X86_64, false, lists[i].text, ops, &why), lists[i].count), "\"%s\"",
			  lists[i].text);
		expect_text(why, NULL, "\"%s\"", lists[i].text);
	}
}

Test(operand_x86, arguments_keep_their_order)
{
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why;

	cr_assert(eq(int, check_parse(ARCH_X86_64, false, "8@%rsi -4@%r8d 2@$7", ops, &why), 3));
	cr_expect(eq(u8, ops[0].reg, RSI));
	cr_expect(eq(u8, ops[1].reg, R8));
	cr_expect(eq(u8, ops[1].size, 4));
	cr_expect(eq(i64, ops[2].disp[0], 7));
	cr_expect(eq(u8, ops[2].is_signed, 0));
}

Test(operand_x86, parsing_one_argument_moves_to_the_next)
{
	struct operand_context context = { .arch = ARCH_X86_64 };
	const char *text = " 8@%rax 4@%ebx", *why = "not set";
	struct erl_operand op;

	cr_expect(eq(int, operand_parse(&context, &text, &op, &why), 0));
	expect_text(text, "4@%ebx");
	expect_text(why, NULL);
	cr_expect(eq(int, operand_parse(&context, &text, &op, &why), 0));
	expect_text(text, "");
	cr_expect(eq(int, operand_parse(&context, &text, &op, &why), -EINVAL));
	expect_text(why, "a number is missing");
}
