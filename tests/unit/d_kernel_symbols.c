// SPDX-License-Identifier: BSD-2-Clause
/* Symbols of the kernel: where they are, and what a program sees of those that have a type. */
#include "d/lang/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "d/compile.h"
#include "d/lang/unit.h"

static const char symbols[] = "ffffffff81000000 T max_pfn_of\n"
			      "ffffffff82000010 D max_pfn\n"
			      "ffffffff82000018 d init_task\n"
			      "ffffffff82000020 D cad_pid\n"
			      "ffffffff82000028 D crashing_cpu\n"
			      "ffffffff82000030 D something\n"
			      "ffffffffc0000000 b limit\t[first]\n"
			      "ffffffffc0001000 b limit\t[second]\n"
			      "0000000000000000 D hidden\n";

static const struct {
	const char *module, *name;
	int result;
	uint64_t address;
} places[] = {
	{ "", "max_pfn", 0, 0xffffffff82000010 },     { "vmlinux", "max_pfn", 0, 0xffffffff82000010 },
	{ "", "max_pfn_of", 0, 0xffffffff81000000 },  { "", "max", -ENOENT, 0 },
	{ "first", "max_pfn", -ENOENT, 0 },	      { "", "limit", 0, 0xffffffffc0000000 },
	{ "second", "limit", 0, 0xffffffffc0001000 }, { "sec", "limit", -ENOENT, 0 },
	{ "vmlinux", "limit", -ENOENT, 0 },	      { "", "hidden", -EACCES, 0 },
};

Test(d_kernel_symbols, addresses)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		FILE *file = fmemopen((void *)(uintptr_t)symbols, strlen(symbols), "r");
		uint64_t address = 0;

		cr_assert(ne(ptr, file, NULL));
		cr_expect(
			eq(int, kernel_symbol_find(file, places[i].module, places[i].name, &address), places[i].result),
			"%s`%s", places[i].module, places[i].name);
		if (!places[i].result)
			cr_expect(eq(u64, address, places[i].address), "%s`%s", places[i].module, places[i].name);
		fclose(file);
	}
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

static const char *tag_of(const char *path, const char *body, bool is_confined, char text[512])
{
	const struct unit_options options = {
		.strsize = 256, .scratch_size = 256, .kernel_symbols = path, .is_confined = is_confined
	};
	struct parse_input input = { .text = text };
	struct unit *unit = unit_new(&options);
	static char tag[32];

	cr_assert(ne(ptr, unit, NULL));
	snprintf(text, 512, "BEGIN { %s }", body);
	input.size = strlen(text);
	if (unit_add(unit, &input))
		unit_check(unit);
	snprintf(tag, sizeof(tag), "%s", unit->diag.first ? unit->diag.first->tag : "");
	unit_free(unit);
	return tag;
}

Test(d_kernel_symbols, in_programs)
{
	char path[] = "/tmp/erlbpf-symbols-XXXXXX", text[512];
	int fd = mkstemp(path);

	cr_assert(ge(int, fd, 0));
	cr_assert(eq(sz, (size_t)write(fd, symbols, strlen(symbols)), strlen(symbols)));
	close(fd);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		cr_expect(eq(str, (char *)tag_of(path, bodies[i].body, false, text), (char *)bodies[i].tag), "%s",
			  bodies[i].body);
	cr_expect(eq(str, (char *)tag_of(path, "trace(&`something);", true, text), (char *)"D_PRIVS"));
	unlink(path);
}
