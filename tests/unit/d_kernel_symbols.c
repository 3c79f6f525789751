// SPDX-License-Identifier: BSD-2-Clause
/* Symbols of the kernel: where they are, and what a program sees of those that have a type. */
#include "d/types/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "d/compile.h"
#include "d/lang/unit.h"
#include "dtrace/symbols/symbols.h"

#define TEXT_SIZE 8192

static const char symbols[] = "ffffffff81000000 T max_pfn_of\n"
			      "ffffffff82000010 D max_pfn\n"
			      "ffffffff82000018 d init_task\n"
			      "ffffffff82000020 D cad_pid\n"
			      "ffffffff82000028 D crashing_cpu\n"
			      "ffffffff82000030 D something\n"
			      "ffffffffc0000000 b limit\t[first]\n"
			      "ffffffffc0001000 b limit\t[second]\n"
			      "ffffffffc0002000 W weak\t[second]\n"
			      "ffffffff81000100 t other\n"
			      "0000000000000000 D hidden\n"
			      "0000000000000000 T hidden_too\n";

static const struct {
	const char *symbol;
	int result;
	uint64_t address;
} places[] = {
	{ "`max_pfn", 0, 0xffffffff82000010 },	   { "vmlinux`max_pfn", 0, 0xffffffff82000010 },
	{ "`max_pfn_of", 0, 0xffffffff81000000 },  { "`max", -ENOENT, 0 },
	{ "first`max_pfn", -ENOENT, 0 },	   { "`limit", 0, 0xffffffffc0000000 },
	{ "second`limit", 0, 0xffffffffc0001000 }, { "sec`limit", -ENOENT, 0 },
	{ "vmlinux`limit", -ENOENT, 0 },	   { "`hidden", -EACCES, 0 },
};

static void write_symbols(char path[])
{
	int fd = mkstemp(path);

	cr_assert(ge(int, fd, 0));
	cr_assert(eq(sz, (size_t)write(fd, symbols, strlen(symbols)), strlen(symbols)));
	close(fd);
}

Test(d_kernel_symbols, addresses)
{
	char path[] = "/tmp/erlbpf-symbols-XXXXXX";
	struct kernel_symbols *read = NULL;

	write_symbols(path);
	cr_assert(eq(int, kernel_symbols_read(path, &read), 0));
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t address = 0;

		cr_expect(eq(int, kernel_symbols_find(read, places[i].symbol, &address), places[i].result), "%s",
			  places[i].symbol);
		if (!places[i].result)
			cr_expect(eq(u64, address, places[i].address), "%s", places[i].symbol);
	}
	kernel_symbols_free(read);
	unlink(path);
	cr_expect(eq(int, kernel_symbols_read(path, &read), -ENOENT));
}

static const struct {
	uint64_t address;
	const char *name, *module;
	uint64_t size;
} functions[] = {
	{ 0xffffffff80ffffff, NULL, NULL, 0 },
	{ 0xffffffff81000000, "max_pfn_of", "vmlinux", 0x100 },
	{ 0xffffffff810000ff, "max_pfn_of", "vmlinux", 0x100 },
	{ 0xffffffff81000100, "other", "vmlinux", 0x3f001f00 },
	{ 0xffffffffc0002004, "weak", "second", 0 },
};

Test(d_kernel_symbols, functions)
{
	char path[] = "/tmp/erlbpf-symbols-XXXXXX";
	struct kernel_symbols *read = NULL;
	struct kernel_code code;

	write_symbols(path);
	cr_assert(eq(int, kernel_symbols_read(path, &read), 0));
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		cr_assert(eq(int, kernel_symbols_at(read, functions[i].address, &code), functions[i].name != NULL));
		if (!functions[i].name)
			continue;
		cr_expect(eq(str, code.name, (char *)functions[i].name));
		cr_expect(eq(str, code.module, (char *)functions[i].module));
		cr_expect(eq(u64, code.size, functions[i].size));
	}
	cr_assert(kernel_symbols_function(read, "other", &code));
	cr_expect(eq(u64, code.address, 0xffffffff81000100));
	cr_expect_not(kernel_symbols_function(read, "max_pfn", &code));
	kernel_symbols_free(read);
	unlink(path);
}

/* What was read to compile a program is what its addresses are printed with. */
Test(d_kernel_symbols, read_once)
{
	char path[] = "/tmp/erlbpf-symbols-XXXXXX", text[64];
	struct symbols *printed = symbols_new();
	struct kernel_symbols *read = NULL;

	write_symbols(path);
	cr_assert(eq(int, kernel_symbols_read(path, &read), 0));
	unlink(path);
	symbols_with_kernel(printed, read);
	symbols_text(printed, 0, 0xffffffff81000104, SYMBOL_KADDR, text, sizeof(text));
	cr_expect(eq(str, text, (char *)"vmlinux`other+0x4"));
	symbols_free(printed);
	kernel_symbols_free(read);
}

static const struct {
	const char *body, *tag;
} bodies[] = {
	{ "trace(`max_pfn + 1);", "" },
	{ "p = &`max_pfn; trace(*p);", "" },
	{ "p = &vmlinux`max_pfn; p = \"a\";", "D_OP_INCOMPAT" },
	{ "`max_pfn = \"a\";", "D_OP_INCOMPAT" },
	{ "trace(`init_task.pid); trace(`init_task.comm);", "" },
	{ "trace(`init_task.no_such_member);", "D_TYPE_MEMBER" },
	{ "trace(`cad_pid->numbers[0].nr);", "" },
	{ "trace((int)`crashing_cpu);", "" },
	{ "trace(sizeof (`max_pfn));", "" },
	{ "trace(`something);", "D_SYM_NOTYPES" },
	{ "trace((string)&`something); trace(*(char *)&`something);", "" },
	{ "trace(`hidden);", "D_IDENT_UNDEF" },
	{ "trace(`nothing);", "D_IDENT_UNDEF" },
	{ "&`max_pfn = (int *)1;", "D_OP_LVAL" },
	{ "x = `max_pfn; @[`max_pfn] = sum(`max_pfn); printf(\"%d\", `max_pfn);", "" },
};

static const char *tag_of(const char *path, const char *body, bool is_confined, char text[TEXT_SIZE])
{
	const struct unit_options options = {
		.strsize = 256, .scratch_size = 256, .kernel_symbols = path, .is_confined = is_confined
	};
	struct parse_input input = { .text = text };
	struct unit *unit = unit_new(&options);
	static char tag[32];

	cr_assert(ne(ptr, unit, NULL));
	snprintf(text, TEXT_SIZE, "BEGIN { %s }", body);
	input.size = strlen(text);
	if (unit_add(unit, &input))
		unit_check(unit);
	snprintf(tag, sizeof(tag), "%s", unit->diag.first ? unit->diag.first->tag : "");
	unit_free(unit);
	return tag;
}

Test(d_kernel_symbols, in_programs)
{
	char path[] = "/tmp/erlbpf-symbols-XXXXXX", text[TEXT_SIZE], many[TEXT_SIZE / 2];

	write_symbols(path);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		cr_expect(eq(str, (char *)tag_of(path, bodies[i].body, false, text), (char *)bodies[i].tag), "%s",
			  bodies[i].body);
	cr_expect(eq(str, (char *)tag_of(path, "trace(&`something);", true, text), (char *)"D_PRIVS"));
	for (size_t i = 0; i < 200; i++)
		snprintf(many + i * 13, sizeof(many) - i * 13, "x = `max_pfn;");
	cr_expect(eq(str, (char *)tag_of(path, many, false, text), (char *)""));
	unlink(path);
	cr_expect(eq(str, (char *)tag_of(path, "trace(&`something);", false, text), (char *)"D_IDENT_UNDEF"));
}
