// SPDX-License-Identifier: BSD-2-Clause
/* Instructions of x86-64: what Zydis is asked for, and its lengths against those of binutils over a whole VM. */
#include "probe/code/x86.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "check.h"
#include "target/image/image.h"

#define STOCK "/usr/lib/erlang/erts-*/bin/beam.smp"

Test(x86, lengths_of_instructions)
{
	static const struct {
		const char *code;
		size_t size, length;
	} rows[] = {
		{ "\xc3", 1, 1 },	      /* ret */
		{ "\x55", 1, 1 },	      /* push %rbp */
		{ "\x48\x89\xe5", 3, 3 },     /* mov %rsp,%rbp */
		{ "\xf3\x0f\x1e\xfa", 4, 4 }, /* endbr64 */
		{ "\x48\x83\xec\x18", 4, 4 }, /* sub $0x18,%rsp */
		{ "\x48\x81\xec\x18\x01\x00\x00", 7, 7 },
		{ "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10 }, /* movabs */
		{ "\xb8\x01\x00\x00\x00", 5, 5 },
		{ "\x66\xb8\x01\x00", 4, 4 },
		{ "\xe8\x00\x00\x00\x00", 5, 5 },
		{ "\x0f\x84\x00\x00\x00\x00", 6, 6 },		  /* je */
		{ "\x48\x8b\x05\x00\x00\x00\x00", 7, 7 },	  /* mov 0(%rip),%rax */
		{ "\x48\x8b\x44\x24\x08", 5, 5 },		  /* mov 8(%rsp),%rax */
		{ "\x8b\x04\xc5\x00\x00\x00\x00", 7, 7 },	  /* mov 0(,%rax,8),%eax */
		{ "\xf6\x07\x01", 3, 3 },			  /* testb $1,(%rdi) */
		{ "\xf6\xd8", 2, 2 },				  /* neg %al */
		{ "\xf7\xc7\x01\x00\x00\x00", 6, 6 },		  /* test $1,%edi */
		{ "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, 9 }, /* mov %fs:0x28,%rax */
		{ "\xc5\xfe\x6f\x06", 4, 4 },			  /* vmovdqu (%rsi),%ymm0 */
		{ "\xc5\xf8\x77", 3, 3 },			  /* vzeroupper */
		{ "\xc4\xe2\x7d\x78\xc0", 5, 5 },		  /* vpbroadcastb */
		{ "\xc4\xe3\x7d\x39\xc1\x01", 6, 6 },		  /* vextracti128 $1 */
		{ "\x66\x0f\x3a\x0f\xc1\x08", 6, 6 },		  /* palignr $8 */
		{ "\x0f\x1f\x84\x00\x00\x00\x00\x00", 8, 8 },	  /* nopl */
		{ "\xe8\x00\x00", 3, 0 },			  /* cut off */
		{ "\x06", 1, 0 },				  /* not in 64-bit code */
		{ "\x48", 1, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(sz, x86_size((const unsigned char *)rows[i].code, rows[i].size), rows[i].length),
			  "row %zu", i);
}

Test(x86, the_kernel_refuses_some_prefixes_wherever_they_stand)
{
	static const struct {
		unsigned char code[8];
		bool is_refused;
		const char *what;
	} rows[] = {
		{ { 0x55 }, false, "push" },
		{ { 0xf3, 0x0f, 0x1e, 0xfa }, false, "endbr64" },
		{ { 0x66, 0x90 }, false, "xchg %ax,%ax" },
		{ { 0x64, 0x48, 0x8b, 0x00 }, false, "mov %fs:(%rax),%rax" },
		{ { 0xf0, 0x48, 0xff, 0x07 }, true, "lock incq (%rdi)" },
		{ { 0x2e, 0x66, 0x90 }, true, "cs nop" },
		{ { 0x66, 0x2e, 0x0f, 0x1f, 0x04, 0x00 }, true, "nopw %cs:(%rax,%rax,1)" },
		{ { 0x3e, 0xff, 0xe0 }, true, "notrack jmp *%rax" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct x86 x;

		cr_assert(eq(int, x86_read(&x, rows[i].code, sizeof(rows[i].code)), true), "%s", rows[i].what);
		cr_expect(eq(int, x86_is_refused(&x), rows[i].is_refused), "%s", rows[i].what);
	}
}

/* Where objdump sees instructions begin, in ascending order. */
struct beginnings {
	uint64_t *addresses;
	size_t count;
};

static void read_beginnings(const char *path, struct beginnings *b)
{
	char command[512], line[4096];
	unsigned long long address;
	FILE *from;

	snprintf(command, sizeof(command), "LC_ALL=C objdump -d --no-show-raw-insn -j .text '%s'", path);
	from = popen(command, "r");
	cr_assert(ne(ptr, from, NULL));
	while (fgets(line, sizeof(line), from)) {
		if (!strstr(line, ":\t") || sscanf(line, " %llx:", &address) != 1)
			continue;
		if (!array_has_room(b->addresses, b->count))
			cr_fatal("no memory");
		b->addresses[b->count++] = address;
	}
	pclose(from);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* How many instructions the function has; all begin and end where objdump says. */
static size_t compare(const struct image *image, const struct image_symbol *symbol, const struct beginnings *b)
{
	unsigned char *code = malloc(symbol->size + 1);
	size_t at = 0, length, count = 0;

	cr_assert(eq(int, image_read_code(image, symbol->address, code, symbol->size), 0));
	for (; at < symbol->size; at += length, count++) {
		uint64_t address = symbol->address + at;
		const uint64_t *found = bsearch(&address, b->addresses, b->count, sizeof(address), by_address);

		length = x86_size(code + at, symbol->size - at);
		cr_assert(ne(ptr, (void *)found, NULL), "%s+0x%zx", symbol->name, at);
		if (found + 1 < b->addresses + b->count)
			cr_assert(eq(u64, found[1], address + length), "%s+0x%zx", symbol->name, at);
	}
	cr_expect(eq(sz, at, symbol->size), "%s", symbol->name);
	free(code);
	return count;
}

static bool is_in_text(const struct image *image, const struct image_symbol *symbol)
{
	struct image_section text;

	return symbol->is_function && symbol->size && !image_section(image, ".text", SIZE_MAX, &text) &&
	       symbol->address >= text.address && symbol->address < text.address + text.size;
}

Test(x86, instructions_of_the_stock_vm_are_as_long_as_binutils_say, .timeout = 600)
{
	struct beginnings b = {};
	const struct image_symbol *symbols;
	struct image *image;
	size_t count, seen = 0;
	const char *why;
	glob_t found = {};
	int fd;

	if (glob(STOCK, 0, NULL, &found) || system("objdump --version >/dev/null 2>&1"))
		cr_skip_test("needs Debian's VM and binutils");
	fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	cr_assert(eq(int, image_open(fd, &image, &why), 0));
	if (image_arch(image) != ARCH_X86_64)
		cr_skip_test("is about x86-64");
	read_beginnings(found.gl_pathv[0], &b);
	symbols = image_symbols(image, &count);
	for (size_t i = 0; i < count; i++)
		seen += is_in_text(image, &symbols[i]) ? compare(image, &symbols[i], &b) : 0;
	cr_expect(gt(sz, seen, 300000));
	image_free(image);
	free(b.addresses);
	globfree(&found);
	close(fd);
}
