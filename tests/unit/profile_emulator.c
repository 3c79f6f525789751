// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <errno.h>
#include <string.h>

#include "erlang/emulator.h"

#define STOP 0x58

/* mov 0x58(%r10), %r13; mov 0x58(%r12), %r13; mov 0x58(%r10), %rax; mov %r13, 0x58(%r10); mov 0x58(%rsp), %rax */
static const unsigned char by_r10[] = { 0x4d, 0x8b, 0x6a, STOP }, by_r12[] = { 0x4d, 0x8b, 0x6c, 0x24, STOP },
			   to_rax[] = { 0x49, 0x8b, 0x42, STOP }, stores[] = { 0x4d, 0x89, 0x6a, STOP },
			   of_stack[] = { 0x48, 0x8b, 0x44, 0x24, STOP };

struct code {
	unsigned char bytes[512];
	size_t size;
};

static void add(struct code *code, const unsigned char *instruction, size_t size, int times)
{
	for (; times; times--) {
		memcpy(code->bytes + code->size, instruction, size);
		code->size += size;
	}
}

#define ADD(code, instruction, times) add(code, instruction, sizeof(instruction), times)

Test(profile_emulator, most_loads_say_the_register)
{
	struct code code = {};

	ADD(&code, by_r10, 6);
	ADD(&code, to_rax, 4);
	ADD(&code, by_r12, 3);
	ADD(&code, stores, 20);
	ADD(&code, of_stack, 20);
	cr_expect(eq(int, emulator_register(code.bytes, code.size, STOP), 13));
	cr_expect(eq(int, emulator_register(code.bytes, code.size, STOP - 8), -ENOENT));
}

Test(profile_emulator, no_register_is_better_than_one_of_two)
{
	struct code code = {};

	ADD(&code, by_r10, 10);
	ADD(&code, to_rax, 10);
	ADD(&code, stores, 2);
	cr_expect(eq(int, emulator_register(code.bytes, code.size, STOP), -ENOENT));
}

Test(profile_emulator, a_few_loads_say_nothing)
{
	struct code code = {};

	ADD(&code, by_r10, 3);
	ADD(&code, stores, 3);
	cr_expect(eq(int, emulator_register(code.bytes, code.size, STOP), -ENOENT));
}

Test(profile_emulator, code_may_end_within_an_instruction)
{
	cr_expect(eq(int, emulator_register(by_r12, sizeof(by_r12) - 2, STOP), -ENOENT));
	cr_expect(eq(int, emulator_register(by_r12, 0, STOP), -ENOENT));
}
