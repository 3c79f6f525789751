// SPDX-License-Identifier: BSD-2-Clause
/* Which sites are moved to cheaper places, by what their programs read. */
#include "probe/sites/place.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "elf_builder.h"

#define FUNCTION 0x100 /* behind the code's begin */
#define RBX 5
#define RSI 13
#define RDI 14
#define OFFSET 7 /* of the site in the file; any */

/* jmp; mov %ecx,16(%rbx); mov %rbx,%rax; ret: at the jump, rbx is what will be returned, and 16 to 19 will be written.
 */
static const unsigned char writes_16[] = { 0xeb, 0, 0x89, 0x4b, 0x10, 0x48, 0x89, 0xd8, 0xc3 };
/* The same, and mov %ecx,(%rdi). */
static const unsigned char writes_elsewhere[] = { 0xeb, 0, 0x89, 0x0f, 0x48, 0x89, 0xd8, 0xc3 };
/* jmp; xor %eax,%eax; ret: the result is in no register yet. */
static const unsigned char makes_result[] = { 0xeb, 0, 0x31, 0xc0, 0xc3 };
/* ret alone. */
static const unsigned char only_returns[] = { 0xc3 };

struct program {
	const unsigned char *code;
	size_t size;
};

#define PROGRAM(name)                                                                                                  \
	{                                                                                                              \
		name, sizeof(name)                                                                                     \
	}

static void open_program(const struct program *program, uint16_t machine, struct elf_opened *o)
{
	struct elf_spec spec = { .machine = machine };
	struct elf_made file;

	elf_build(&spec, &file);
	memcpy(file.bytes + ELF_CODE_OFFSET + FUNCTION, program->code, program->size);
	elf_open(file.bytes, file.size, o);
	elf_free(&file);
	cr_assert(eq(int, o->err, 0));
}

static size_t place(const struct program *program, uint16_t machine, const struct site *site, struct site *moved)
{
	struct elf_opened o;
	size_t count;

	open_program(program, machine, &o);
	count = place_before_return(o.image, ELF_CODE + FUNCTION, program->size, site, moved);
	elf_close(&o);
	return count;
}

#define RESULT(...)                                                                                                    \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = X86_RAX, .size = 8, __VA_ARGS__                                           \
	}

static const struct {
	const char *what;
	struct program program;
	struct erl_operand op;
	bool is_moved;
} rows[] = {
	{ "nothing is read", PROGRAM(makes_result), { .base = ERL_BASE_NONE }, true },
	{ "a constant", PROGRAM(makes_result), { .base = ERL_BASE_CONST, .size = 8 }, true },
	{ "a result that is made later", PROGRAM(makes_result), RESULT(), false },
	{ "no place", PROGRAM(only_returns), { .base = ERL_BASE_NONE }, false },
	{ "the result", PROGRAM(writes_16), RESULT(), true },
	{ "the result, where something is written", PROGRAM(writes_elsewhere), RESULT(), true },
	{ "its first word", PROGRAM(writes_16), RESULT(.steps = 1), true },
	{ "its first word, where anything may be written", PROGRAM(writes_elsewhere), RESULT(.steps = 1), false },
	{ "a word that ends before what is written", PROGRAM(writes_16), RESULT(.steps = 1, .disp = { 8 }), true },
	{ "a word that is written partly", PROGRAM(writes_16), RESULT(.steps = 1, .disp = { 9 }), false },
	{ "an address", PROGRAM(writes_16), RESULT(.steps = 1, .disp = { 16 }, .address_of = 1), true },
	{ "through a pointer", PROGRAM(writes_16), RESULT(.steps = 2), false },
	{ "by an index", PROGRAM(writes_16), RESULT(.steps = 1, .has_index = 1), false },
	{ "another register", PROGRAM(writes_16), { .base = ERL_BASE_REG, .reg = RBX, .size = 8 }, false },
	{ "a distance from the site", PROGRAM(writes_16), { .base = ERL_BASE_IP, .size = 8 }, false },
};

static void expect_moved(const char *what, bool is_moved, size_t count, const struct site *moved)
{
	cr_expect(eq(sz, count, is_moved), "%s", what);
	if (!count || !is_moved)
		return;
	cr_expect(eq(int, moved->at_return, false), "%s", what);
	cr_expect(eq(int, moved->before_return, true), "%s", what);
	cr_expect(eq(u64, moved->offset, OFFSET), "%s", what);
}

Test(place, a_probe_leaves_the_return_only_if_it_reads_the_same_before)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site site = { .offset = OFFSET, .at_return = true }, moved[FLOW_EXITS];
		const char *what = rows[i].what;

		site.config.args[3].operand = rows[i].op;
		expect_moved(what, rows[i].is_moved, place(&rows[i].program, EM_X86_64, &site, moved), moved);
		if (rows[i].is_moved && rows[i].op.base == ERL_BASE_REG)
			cr_expect(eq(int, moved[0].config.args[3].operand.reg, RBX), "%s", what);
		memset(&site.config, 0, sizeof(site.config));
		site.config.guards[1].right = rows[i].op;
		expect_moved(what, rows[i].is_moved, place(&rows[i].program, EM_X86_64, &site, moved), moved);
	}
}

Test(place, what_was_saved_at_the_entry_is_wanted_at_the_return)
{
	struct site site = { .at_return = true, .config.flags = ERL_CONFIG_USES_SAVED }, moved[FLOW_EXITS];
	static const struct program program = PROGRAM(writes_16);

	cr_expect(eq(sz, place(&program, EM_X86_64, &site, moved), 0));
}

Test(place, code_of_another_architecture_is_not_read)
{
	struct site site = { .at_return = true }, moved[FLOW_EXITS];
	static const struct program program = PROGRAM(writes_16);

	cr_expect(eq(sz, place(&program, EM_AARCH64, &site, moved), 0));
}

Test(place, tests_can_ask_for_plain_sites)
{
	struct site site = { .at_return = true }, moved[FLOW_EXITS];
	static const struct program program = PROGRAM(writes_16);

	setenv("ERLBPF_SITES", "cheap", 1);
	cr_expect(eq(sz, place(&program, EM_X86_64, &site, moved), 1));
	setenv("ERLBPF_SITES", "plain", 1);
	cr_expect(eq(sz, place(&program, EM_X86_64, &site, moved), 0));
}

/* mov %rdi,%rbx; xor %edi,%edi; push %rbp; ret */
static const unsigned char moves_first[] = { 0x48, 0x89, 0xfb, 0x31, 0xff, 0x55, 0xc3 };
/* mov %ecx,16(%rdi); push %rbp; ret */
static const unsigned char writes_first[] = { 0x89, 0x4f, 0x10, 0x55, 0xc3 };

/* sub $24,%rsp; push %rbp; ret */
static const unsigned char lowers_stack[] = { 0x48, 0x83, 0xec, 0x18, 0x55, 0xc3 };

#define FIRST(...)                                                                                                     \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = RDI, .size = 8, __VA_ARGS__                                               \
	}
#define SECOND(...)                                                                                                    \
	{                                                                                                              \
		.base = ERL_BASE_REG, .reg = RSI, .size = 8, __VA_ARGS__                                               \
	}

static const struct {
	const char *what;
	struct program program;
	struct erl_operand op;
	size_t place;
	int reg;
} entries[] = {
	{ "nothing is read", PROGRAM(moves_first), {}, 5, 0 },
	{ "an argument that was moved", PROGRAM(moves_first), FIRST(), 5, RBX },
	{ "behind its address", PROGRAM(moves_first), FIRST(.steps = 1), 5, RBX },
	{ "one that stays", PROGRAM(moves_first), SECOND(), 5, RSI },
	{ "by an index", PROGRAM(moves_first), SECOND(.steps = 1, .has_index = 1), 0, RSI },
	{ "an argument while memory is written", PROGRAM(writes_first), FIRST(), 3, RDI },
	{ "behind its address while memory is written", PROGRAM(writes_first), FIRST(.steps = 1), 0, RDI },
	{ "an address in the structure", PROGRAM(writes_first), FIRST(.steps = 1, .address_of = 1), 3, RDI },
	{ "nothing that is emulated", PROGRAM(only_returns), FIRST(), 0, RDI },
};

static void move_entry(const struct program *program, struct site *site)
{
	struct elf_opened o;

	open_program(program, EM_X86_64, &o);
	place_at_entry(o.image, ELF_CODE + FUNCTION, program->size, site);
	elf_close(&o);
}

Test(place, a_probe_at_the_entry_goes_where_it_reads_the_same)
{
	for (size_t i = 0; i < COUNT(entries); i++) {
		struct site at_entry = { .offset = OFFSET }, at_return = { .offset = OFFSET, .at_return = true };
		const char *what = entries[i].what;

		at_entry.config.args[0].operand = entries[i].op;
		at_return.save[1] = entries[i].op;
		move_entry(&entries[i].program, &at_entry);
		move_entry(&entries[i].program, &at_return);
		cr_expect(eq(u64, at_entry.offset, OFFSET + entries[i].place), "%s", what);
		cr_expect(eq(u64, at_entry.place, entries[i].place), "%s", what);
		cr_expect(eq(int, at_entry.config.args[0].operand.reg, entries[i].reg), "%s", what);
		cr_expect(eq(u64, at_return.offset, OFFSET + entries[i].place), "%s", what);
		cr_expect(eq(int, at_return.save[1].reg, entries[i].reg), "%s", what);
	}
}

/* There the kernel does not find the return address. */
Test(place, a_probe_at_the_return_does_not_go_where_the_stack_pointer_is_lower)
{
	static const struct program program = PROGRAM(lowers_stack);
	struct site at_entry = { .offset = OFFSET }, at_return = { .offset = OFFSET, .at_return = true };
	struct site by_stack = { .offset = OFFSET };

	by_stack.config.args[0].operand = (struct erl_operand){ .base = ERL_BASE_REG, .reg = X86_RSP, .size = 8 };
	move_entry(&program, &at_entry);
	move_entry(&program, &at_return);
	move_entry(&program, &by_stack);
	cr_expect(eq(u64, at_entry.place, 4));
	cr_expect(eq(u64, at_entry.config.stack, 24));
	cr_expect(eq(u64, at_return.place, 0));
	cr_expect(eq(u64, at_return.config.stack, 0));
	cr_expect(eq(u64, by_stack.place, 0));
}
