// SPDX-License-Identifier: BSD-2-Clause
/* What no compiler writes, or what we cannot read: each is refused with its reason. */
#include <errno.h>
#include <string.h>

#include "operand_check.h"

static const struct refused_row x86_rows[] = {
	{ "@%eax", "a number is missing" },
	{ "%eax", "a number is missing" },
	{ "x", "a number is missing" },
	{ "-@%eax", "a number is missing" },
	{ "4", "'@' is missing" },
	{ "4%eax", "'@' is missing" },
	{ "4 @%eax", "'@' is missing" },
	{ "0@%eax", "a size is not 1, 2, 4 or 8" },
	{ "3@%eax", "a size is not 1, 2, 4 or 8" },
	{ "16@%xmm0", "a size is not 1, 2, 4 or 8" },
	{ "-16@%eax", "a size is not 1, 2, 4 or 8" },
	{ "9223372036854775807@%eax", "a size is not 1, 2, 4 or 8" },
	{ "-9223372036854775808@%eax", "a size is not 1, 2, 4 or 8" },
	{ "99999999999999999999@%eax", "a number is out of range" },
	{ "4f@%xmm0", "floating-point arguments cannot be read" },
	{ "8f@-8(%rbp)", "floating-point arguments cannot be read" },
	{ "-8f@%xmm1", "floating-point arguments cannot be read" },
	{ "8@%xmm0", "floating-point registers cannot be read" },
	{ "8@%xmm15", "floating-point registers cannot be read" },
	{ "8@%st", "a register is unknown" },
	{ "8@%st(0)", "a register is unknown" },
	{ "8@%mm0", "a register is unknown" },
	{ "8@%k1", "a register is unknown" },
	{ "8@%fs:0x28", "a register is unknown" },
	{ "8@%gs:8(%rax)", "a register is unknown" },
	{ "8@%r16", "a register is unknown" },
	{ "8@%raxx", "a register is unknown" },
	{ "8@%RAX", "a register is unknown" },
	{ "8@%a0", "a register is unknown" },
	{ "8@%ret", "a register is unknown" },
	{ "8@%", "a name is missing" },
	{ "8@% rax", "a name is missing" },
	{ "8@%rip", "%rip is not an argument" },
	{ "8@(%rip)", "%rip is used without a symbol" },
	{ "8@8(%rip)", "%rip is used without a symbol" },
	{ "8@sym(%rip,%rax,8)", "%rip is used without a symbol" },
	{ "8@sym(%rbx)", "a symbol is used without %rip" },
	{ "8@sym(%rbx,%rax,8)", "a symbol is used without %rip" },
	{ "8@nosym(%rip)", "a symbol is not in the file" },
	{ "8@sym@GOTPCREL(%rip)", "a symbol is not in the file" },
	{ "8@.LC0(%rip)", "a symbol is not in the file" },
	{ "8@nosym+8(%rip)", "a symbol is not in the file" },
	{ "8@", "a base register is missing" },
	{ "8@sym", "a base register is missing" },
	{ "8@8", "a base register is missing" },
	{ "8@()", "a base register is missing" },
	{ "8@8(", "a base register is missing" },
	{ "8@(rax)", "a base register is missing" },
	{ "8@(,%rax,8)", "a base register is missing" },
	{ "8@(%eax)", "an address is not in a 64-bit register" },
	{ "8@(%ah)", "an address is not in a 64-bit register" },
	{ "8@(%rax,)", "an index register is missing" },
	{ "8@(%rax,8)", "an index register is missing" },
	{ "8@(%rax,%ecx,8)", "an index register is missing" },
	{ "8@(%rax,%rip,8)", "an index register is missing" },
	{ "8@(%rax,%rcx,)", "a number is missing" },
	{ "8@(%rax,%rcx,0)", "a scale is not 1, 2, 4 or 8" },
	{ "8@(%rax,%rcx,3)", "a scale is not 1, 2, 4 or 8" },
	{ "8@(%rax,%rcx,16)", "a scale is not 1, 2, 4 or 8" },
	{ "8@(%rax,%rcx,-1)", "a scale is not 1, 2, 4 or 8" },
	{ "8@(%rax,%rcx,4294967297)", "a scale is not 1, 2, 4 or 8" },
	{ "8@(%rax", "a closing bracket is missing" },
	{ "8@(%rax,%rcx", "a closing bracket is missing" },
	{ "8@(%rax,%rcx,8", "a closing bracket is missing" },
	{ "8@(%rax,%rcx,8,1)", "a closing bracket is missing" },
	{ "8@(%rax)8", "there is text after an operand" },
	{ "8@%rax,8", "there is text after an operand" },
	{ "8@%rax)", "there is text after an operand" },
	{ "8@$1$2", "there is text after an operand" },
	{ "8@$0x", "there is text after an operand" },
	{ "8@%rax\n4@$1", "there is text after an operand" },
	{ "8@$", "a number is missing" },
	{ "8@$sym", "a number is missing" },
	{ "8@$--1", "a number is missing" },
	{ "8@$ 1", "a number is missing" },
	{ "8@$99999999999999999999", "a number is out of range" },
	{ "8@$-9223372036854775809", "a number is out of range" },
	{ "8@$-18446744073709551615", "a number is out of range" },
	{ "8@99999999999999999999(%rax)", "a number is out of range" },
	{ "8@*%rax", "a name is missing" },
	{ "8@-(%rax)", "a name is missing" },
	{ "8@\x1b[2J(%rax)", "a name is missing" },
	{ "8@\xff(%rax)", "a name is missing" },
	{ "8@%rax 4@", "a base register is missing" },
	{ "8@%rax ;", "a number is missing" },
	{ "8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0 8@$0", "there are too many arguments" },
};

Test(operand_errors, every_mistake_of_x86_is_refused_with_its_reason)
{
	expect_refused(ARCH_X86_64, false, x86_rows, COUNT(x86_rows));
}

static const struct refused_row arm_rows[] = {
	{ "x0", "a number is missing" },
	{ "8x0", "'@' is missing" },
	{ "5@x0", "a size is not 1, 2, 4 or 8" },
	{ "8f@d0", "floating-point arguments cannot be read" },
	{ "8@", "a name is missing" },
	{ "8@%x0", "a name is missing" },
	{ "8@x31", "a register is unknown" },
	{ "8@w31", "a register is unknown" },
	{ "8@x100000000000000000000", "a register is unknown" },
	{ "8@x", "a register is unknown" },
	{ "8@x1y", "a register is unknown" },
	{ "8@xzr", "a register is unknown" },
	{ "8@d0", "a register is unknown" },
	{ "8@v0", "a register is unknown" },
	{ "8@rax", "a register is unknown" },
	{ "8@a0", "a register is unknown" },
	{ "8@[]", "a name is missing" },
	{ "8@[w0]", "an address is not in a 64-bit register" },
	{ "8@[wsp, 8]", "an address is not in a 64-bit register" },
	{ "8@[x0", "a closing bracket is missing" },
	{ "8@[x0, 8", "a closing bracket is missing" },
	{ "8@[x0 ]", "a closing bracket is missing" },
	{ "8@[x0, ]", "a number is missing" },
	{ "8@[x0, x1]", "a number is missing" },
	{ "8@[x0, x1, lsl 3]", "a number is missing" },
	{ "8@[x0, #]", "a number is missing" },
	{ "8@[x0, 99999999999999999999]", "a number is out of range" },
	{ "8@[x0, #:lo12:nosym]", "a symbol is not in the file" },
	{ "8@[x0, #:lo12:]", "a name is missing" },
	{ "8@[x0, #:got_lo12:sym]", "a number is missing" },
	{ "8@[x0, 16]!", "there is text after an operand" },
	{ "8@[x0], 16", "there is text after an operand" },
	{ "8@x0,x1", "there is text after an operand" },
	{ "8@99999999999999999999", "a number is out of range" },
	{ "8@#", "a name is missing" },
};

Test(operand_errors, every_mistake_of_aarch64_is_refused_with_its_reason)
{
	expect_refused(ARCH_AARCH64, false, arm_rows, COUNT(arm_rows));
}

/* "8@", `length` letters, "(%rip)". */
static void make_long_name(char *text, size_t length)
{
	memcpy(text, "8@", 2);
	memset(text + 2, 'n', length);
	strcpy(text + 2 + length, "(%rip)");
}

Test(operand_errors, a_name_is_refused_when_it_is_longer_than_any_symbol_of_the_vm)
{
	static const size_t lengths[] = { 128, 129, 255, 4096 };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		char text[5000];
		struct refused_row row = { text, "a name is too long" };

		make_long_name(text, lengths[i]);
		expect_refused(ARCH_X86_64, false, &row, 1);
	}
}

Test(operand_errors, a_name_of_127_letters_is_looked_up)
{
	char text[200];
	struct refused_row row = { text, "a symbol is not in the file" };

	make_long_name(text, 127);
	expect_refused(ARCH_X86_64, false, &row, 1);
}

Test(operand_errors, a_symbol_is_not_found_where_there_is_nobody_to_ask)
{
	struct operand_context context = { .arch = ARCH_X86_64 };
	struct erl_operand ops[ERL_MAX_ARGS];
	const char *why;

	cr_expect(eq(int, operand_parse_all(&context, "8@sym(%rip)", ops, &why), -EINVAL));
	expect_text(why, "a symbol is not in the file");
}

Test(operand_errors, whatever_is_refused_has_a_reason_and_whatever_is_not_makes_sense)
{
	static const char letters[] = "8841-@@$%%()[],,# \trsaxwp0123ibdi+:lo12symf&.";
	uint64_t state = 0xabcdef;

	for (int i = 0; i < 200000; i++) {
		struct erl_operand ops[ERL_MAX_ARGS];
		const char *why = NULL;
		char text[24];
		size_t length = check_random(&state) % (sizeof(text) - 3);
		int count;

		memcpy(text, "8@", 2);
		for (size_t n = 2; n < length + 2; n++)
			text[n] = letters[check_random(&state) % (sizeof(letters) - 1)];
		text[length + 2] = '\0';
		count = check_parse(i & 1 ? ARCH_AARCH64 : ARCH_X86_64, i & 2, text, ops, &why);
		if (count < 0 ? !why : why != NULL)
			cr_fail("%s: %d, %s", text, count, why ? why : "no reason");
		for (int n = 0; n < count; n++) {
			if (ops[n].steps > ERL_MAX_STEPS || ops[n].reg > 31 || ops[n].index_shift > 3)
				cr_fail("%s makes no sense", text);
		}
	}
}
