// SPDX-License-Identifier: BSD-2-Clause
/* Cheap places for probes at the entries of functions: byte sequences of OTP 25.2.3 and of what would be wrong. */
#include "probe/code/entry.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"

/* Places in struct pt_regs. */
#define RSI 13
#define RDI 14
#define NONE -1

static const struct row {
	const char *what;
	unsigned char code[32];
	size_t size;
	int offset; /* NONE: there is no cheap place */
	int first;  /* where the first argument is there, NONE: lost */
} rows[] = {
	{ "push %r15", { 0x41, 0x57, 0xc3 }, 3, 0, RDI },
	{ "send_2: mov 0x8(%rsi),%rdx; mov (%rsi),%rsi; jmp",
	  { 0x48, 0x8b, 0x56, 0x08, 0x48, 0x8b, 0x36, 0xe9, 0, 1, 0, 0 },
	  12,
	  7,
	  RDI },
	{ "lists_keyfind_3: ...; mov %rdi,%rsi; lea 0x2cfd33(%rip),%rdi; jmp",
	  { 0x48, 0x8b, 0x4e, 0x08, 0x48, 0x8b, 0x16, 0x4c, 0x8b, 0x46, 0x10, 0x48, 0x89,
	    0xfe, 0x48, 0x8d, 0x3d, 0x33, 0xfd, 0x2c, 0x00, 0xe9, 0,	1,    0,    0 },
	  26,
	  21,
	  RSI },
	{ "erts_queue_proc_message: cmp %rsi,%rdi; je", { 0x48, 0x39, 0xf7, 0x74, 0x30, 0xc3 }, 6, 3, RDI },
	{ "movabs $...,%rdi; push", { 0x48, 0xbf, 1, 2, 3, 4, 5, 6, 7, 8, 0x55, 0xc3 }, 12, 10, NONE },
	{ "mov $0xb,%eax; push", { 0xb8, 0x0b, 0, 0, 0, 0x55, 0xc3 }, 7, 5, RDI },
	{ "mov 0x8(%rsi,%rdx,8),%rax; push", { 0x48, 0x8b, 0x44, 0xd6, 0x08, 0x55, 0xc3 }, 7, 5, RDI },
	{ "cmpq $0x3b,0x290(%rdi); jne", { 0x48, 0x83, 0xbf, 0x90, 2, 0, 0, 0x3b, 0x75, 1, 0xc3, 0xc3 }, 12, 8, RDI },
	{ "mov %edi,%esi; xor %edi,%edi; push: half of it is moved",
	  { 0x89, 0xfe, 0x31, 0xff, 0x55, 0xc3 },
	  6,
	  4,
	  NONE },
	{ "endbr64; push", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xc3 }, 6, 4, RDI },
	{ "endbr64; push; jmp to the first byte", { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x5d, 0xeb, 0xf8 }, 8, 4, RDI },
	{ "endbr64; nop; jmp to the nop", { 0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0xeb, 0xfd }, 7, NONE, 0 },
	{ "sub $0x18,%rsp; call", { 0x48, 0x83, 0xec, 0x18, 0xe8, 0, 1, 0, 0, 0xc3 }, 10, 4, RDI },
	{ "sub $-8,%rsp; call: the stack pointer is raised",
	  { 0x48, 0x83, 0xec, 0xf8, 0xe8, 0, 1, 0, 0, 0xc3 },
	  10,
	  NONE,
	  0 },
	{ "sub %rax,%rsp; push", { 0x48, 0x29, 0xc4, 0x55, 0xc3 }, 5, NONE, 0 },
	{ "add $8,%rsp; push", { 0x48, 0x83, 0xc4, 8, 0x55, 0xc3 }, 6, NONE, 0 },
	{ "pop %rdi; push", { 0x5f, 0x55, 0xc3 }, 3, NONE, 0 },
	{ "lea -0x8(%rsp),%rsp; push", { 0x48, 0x8d, 0x64, 0x24, 0xf8, 0x55, 0xc3 }, 7, NONE, 0 },
	{ "mov %rdi,%rsp; push", { 0x48, 0x89, 0xfc, 0x55, 0xc3 }, 5, NONE, 0 },
	{ "mov (%rsi),%rax; ret; push: behind the end", { 0x48, 0x8b, 0x06, 0xc3, 0x55, 0xc3 }, 6, NONE, 0 },
	{ "bt %rax,%rdx; push", { 0x48, 0x0f, 0xa3, 0xc2, 0x55, 0xc3 }, 6, 4, RDI },
	{ "shr %rdi; push", { 0x48, 0xd1, 0xef, 0x55, 0xc3 }, 5, 3, NONE },
	{ "movq %rdi,%xmm0; push", { 0x66, 0x48, 0x0f, 0x6e, 0xc7, 0x55, 0xc3 }, 7, 5, RDI },
	{ "syscall; push", { 0x0f, 0x05, 0x55, 0xc3 }, 4, NONE, 0 },
	{ "int3; push", { 0xcc, 0x55, 0xc3 }, 3, NONE, 0 },
	{ "test %rax,%rax; jne to the first byte, which is hit as often",
	  { 0x48, 0x85, 0xc0, 0x75, 0xfb, 0xc3 },
	  6,
	  3,
	  RDI },
	{ "mov; test; jne to the test", { 0x89, 0xf0, 0x85, 0xc0, 0x75, 0xfc, 0xc3 }, 7, NONE, 0 },
	{ "mov; test; jne; jmp to it, in bytes that are no jump",
	  { 0x89, 0xf0, 0x85, 0xc0, 0x75, 2, 0x04, 0xeb, 0xf9, 0xc3 },
	  10,
	  4,
	  RDI },
	{ "mov; push; jmp *%rax, which may lead anywhere", { 0x89, 0xf0, 0x55, 0xff, 0xe0 }, 5, NONE, 0 },
	{ "erts_save_message_in_proc: mov; cmp; je; jmp *0x890000(%rip), which ends the function",
	  { 0x48, 0x8b, 0x56, 0x08, 0x48, 0x83, 0xfa, 0x01, 0x74, 1, 0xc3, 0xff, 0x25, 0, 0, 0x89, 0 },
	  17,
	  8,
	  RDI },
	{ "the same, and a jump behind the first byte",
	  { 0x48, 0x8b, 0x56, 0x08, 0x48, 0x83, 0xfa, 0x01, 0x74, 2, 0xeb, 0xf8, 0xff, 0x25, 0, 0, 0x89, 0 },
	  18,
	  NONE,
	  0 },
	{ "mov; je; jmp *0x890000(,%rdx,8), which is of a table",
	  { 0x48, 0x8b, 0x56, 0x08, 0x74, 1, 0xc3, 0xff, 0x24, 0xd5, 0, 0, 0x89, 0 },
	  14,
	  NONE,
	  0 },
	{ "a loop from behind: test; je; nop; jmp", { 0x48, 0x85, 0xc0, 0x74, 3, 0x90, 0xeb, 0xfb, 0xc3 }, 9, NONE, 0 },
	{ "a long loop: test; je; jmp",
	  { 0x48, 0x85, 0xc0, 0x74, 5, 0xe9, 0xf9, 0xff, 0xff, 0xff, 0xc3 },
	  11,
	  NONE,
	  0 },
	{ "cut short", { 0x48, 0x8b }, 2, NONE, 0 },
	{ "nothing", { 0 }, 0, NONE, 0 },
};

static int read_nothing(void *data, uint64_t address, void *buf, size_t size)
{
	(void)data;
	(void)address;
	(void)buf;
	(void)size;
	return -ENOENT;
}

static bool find(const unsigned char *bytes, size_t size, bool is_whole, struct entry_place *place)
{
	struct flow_code code = { .bytes = bytes, .size = size, .read = read_nothing };

	return entry_find_cheap_in(&code, is_whole, place);
}

Test(entry, a_cheap_place_is_the_first_emulated_instruction_that_every_call_passes_once)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct entry_place place = {};
		bool found = find(rows[i].code, rows[i].size, true, &place);

		cr_expect(eq(int, found, rows[i].offset != NONE), "%s", rows[i].what);
		if (!found)
			continue;
		cr_expect(eq(sz, place.offset, (size_t)rows[i].offset), "%s", rows[i].what);
		cr_expect(eq(int, place.now[RDI], rows[i].first == NONE ? ENTRY_LOST : rows[i].first), "%s",
			  rows[i].what);
	}
}

static const struct {
	unsigned char code[8];
	int offset;
} begins[] = {
	{ { 0x41, 0x57, 0xc3 }, 0 },
	{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57, 0xc3 }, 4 },
	{ { 0x48, 0x39, 0xf7, 0x74, 0x30, 0xc3 }, NONE },
	{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x89, 0xf0, 0x55, 0xc3 }, NONE },
};

Test(entry, of_a_function_of_unknown_size_only_the_begin_is_trusted)
{
	for (size_t i = 0; i < COUNT(begins); i++) {
		struct entry_place place = {};
		bool found = find(begins[i].code, sizeof(begins[i].code), false, &place);

		cr_expect(eq(int, found ? (int)place.offset : NONE, begins[i].offset), "row %zu", i);
	}
}

Test(entry, chance_is_read_without_leaving_the_function)
{
	uint64_t state = 7;

	for (int round = 0; round < 200000; round++) {
		struct entry_place place = {};
		unsigned char *code;
		size_t size = check_random(&state) % 64;

		/* Its own memory, so that the sanitizers see a read behind it. */
		code = malloc(size ? size : 1);
		for (size_t i = 0; i < size; i++)
			code[i] = (unsigned char)check_random(&state);
		if (find(code, size, round % 2, &place))
			cr_assert(lt(sz, place.offset, size));
		free(code);
	}
}
