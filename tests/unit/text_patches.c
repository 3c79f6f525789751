// SPDX-License-Identifier: BSD-2-Clause
#include "target/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"

#define SIZE 32
#define AT 0x1000

struct bytes {
	unsigned char file[SIZE], memory[SIZE];
};

static const unsigned char nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const unsigned char call[] = { 0xe8, 0x11, 0x22, 0x33, 0x44 };

#define LATE (SIZE - 6)

/* A push at each place, and a nop5 at 8 and near the end. */
static void make(struct bytes *b)
{
	memset(b->file, 0x55, SIZE);
	memcpy(b->file + 8, nop5, sizeof(nop5));
	memcpy(b->file + LATE, nop5, sizeof(nop5));
	memcpy(b->memory, b->file, SIZE);
}

static int compare(const struct bytes *b, enum arch arch, size_t size, struct text_patches *found)
{
	struct text_piece piece = { arch, AT, b->file, b->memory, size, SIZE };

	*found = (struct text_patches){};
	return text_compare(&piece, found);
}

static void expect_one(const struct bytes *b, enum arch arch, uint64_t at, enum text_kind kind)
{
	struct text_patches found;

	cr_assert(eq(int, compare(b, arch, SIZE, &found), 0));
	cr_assert(eq(sz, found.count, 1));
	cr_expect(eq(u64, found.all[0].address, AT + at));
	cr_expect(eq(int, (int)found.all[0].kind, (int)kind));
	text_patches_free(&found);
	cr_expect(eq(sz, found.count, 0));
}

static void expect_none(const struct bytes *b, enum arch arch, size_t size)
{
	struct text_patches found;

	cr_expect(eq(int, compare(b, arch, size, &found), 0));
	cr_expect(eq(sz, found.count, 0));
	text_patches_free(&found);
}

Test(text_patches, text_as_in_the_file_has_none)
{
	struct bytes b;

	make(&b);
	expect_none(&b, ARCH_X86_64, SIZE);
	/* An int3 of the file is none either. */
	b.file[3] = b.memory[3] = 0xcc;
	expect_none(&b, ARCH_X86_64, SIZE);
}

Test(text_patches, a_breakpoint_is_found_at_the_first_and_the_last_byte_and_on_a_nop5)
{
	static const size_t places[] = { 0, 5, 8, LATE, SIZE - 1 };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct bytes b;

		make(&b);
		b.memory[places[i]] = 0xcc;
		expect_one(&b, ARCH_X86_64, places[i], TEXT_BREAKPOINT);
	}
}

Test(text_patches, breakpoints_side_by_side_are_two)
{
	struct text_patches found;
	struct bytes b;

	make(&b);
	b.memory[2] = b.memory[3] = 0xcc;
	cr_assert(eq(int, compare(&b, ARCH_X86_64, SIZE, &found), 0));
	cr_expect(eq(sz, found.count, 2));
	text_patches_free(&found);
}

Test(text_patches, a_call_counts_where_the_file_has_a_nop5_only)
{
	struct bytes b;

	make(&b);
	memcpy(b.memory + 8, call, sizeof(call));
	expect_one(&b, ARCH_X86_64, 8, TEXT_CALL);
	make(&b);
	memcpy(b.memory + 1, call, sizeof(call));
	expect_none(&b, ARCH_X86_64, SIZE);
}

Test(text_patches, a_call_may_hold_the_byte_of_a_breakpoint)
{
	struct bytes b;

	make(&b);
	memcpy(b.memory + 8, call, sizeof(call));
	b.memory[10] = 0xcc;
	expect_one(&b, ARCH_X86_64, 8, TEXT_CALL);
}

Test(text_patches, a_breakpoint_before_bytes_of_a_call_is_torn)
{
	struct bytes b;

	make(&b);
	memcpy(b.memory + 8, call, sizeof(call));
	b.memory[8] = 0xcc;
	expect_one(&b, ARCH_X86_64, 8, TEXT_TORN);
}

Test(text_patches, a_nop5_with_other_bytes_behind_its_first_is_torn)
{
	struct bytes b;

	make(&b);
	b.memory[10] = 0xcc;
	expect_one(&b, ARCH_X86_64, 8, TEXT_TORN);
}

Test(text_patches, a_call_tells_where_it_leads)
{
	struct text_patches found;
	struct bytes b;

	make(&b);
	memcpy(b.memory + 8, call, sizeof(call));
	cr_assert(eq(int, compare(&b, ARCH_X86_64, SIZE, &found), 0));
	cr_assert(eq(sz, found.count, 1));
	cr_expect(eq(u64, found.all[0].called, AT + 8 + 5 + 0x44332211));
	text_patches_free(&found);
}

Test(text_patches, other_differences_are_ignored)
{
	struct bytes b;

	make(&b);
	memset(b.memory, 0x90, 8);
	b.memory[SIZE - 1] = 0xe8;
	expect_none(&b, ARCH_X86_64, SIZE);
}

Test(text_patches, what_begins_behind_the_piece_is_the_next_ones)
{
	struct bytes b;

	make(&b);
	memcpy(b.memory + LATE, call, sizeof(call));
	expect_none(&b, ARCH_X86_64, LATE);
	expect_one(&b, ARCH_X86_64, LATE, TEXT_CALL);
}

Test(text_patches, aarch64_has_its_own_breakpoint_at_whole_words)
{
	static const unsigned char brk[] = { 0xa0, 0x00, 0x20, 0xd4 };
	struct bytes b;

	make(&b);
	memcpy(b.memory + 4, brk, sizeof(brk));
	expect_one(&b, ARCH_AARCH64, 4, TEXT_BREAKPOINT);
	make(&b);
	memcpy(b.memory + 6, brk, sizeof(brk));
	expect_none(&b, ARCH_AARCH64, SIZE);
	make(&b);
	b.memory[4] = 0xcc;
	expect_none(&b, ARCH_AARCH64, SIZE);
}

Test(text_patches, more_than_any_tracer_makes_is_an_error)
{
	size_t size = 100000;
	unsigned char *file = calloc(1, size), *memory = malloc(size);
	struct text_patches found = {};
	struct text_piece piece = { ARCH_X86_64, AT, file, memory, size, size };

	memset(memory, 0xcc, size);
	cr_expect(eq(int, text_compare(&piece, &found), -E2BIG));
	cr_expect(eq(sz, found.count, 65536));
	text_patches_free(&found);
	free(file);
	free(memory);
}

static const struct elf_symbol functions[] = {
	{ .name = "second", .address = ELF_CODE + 32, .size = 8 },
	{ .name = "first", .address = ELF_CODE, .size = 8 },
	{ .name = "the_first_by_a_longer_name", .address = ELF_CODE, .size = 8 },
	{ .name = "data", .address = ELF_DATA, .size = 8, .type = STT_OBJECT },
};

Test(text_patches, an_address_is_named_by_the_function_before_it)
{
	static const struct elf_spec spec = { .dynamic = functions, .dynamic_count = COUNT(functions) };
	struct elf_opened o;

	elf_open_spec(&spec, &o);
	expect_text(text_function(o.image, ELF_CODE)->name, "first");
	expect_text(text_function(o.image, ELF_CODE + 31)->name, "first");
	expect_text(text_function(o.image, ELF_CODE + 32)->name, "second");
	expect_text(text_function(o.image, ELF_DATA + 8)->name, "second");
	cr_expect(text_function(o.image, ELF_CODE - 1) == NULL);
	elf_close(&o);
}

Test(text_patches, the_executable_segments_are_told)
{
	static const struct elf_spec spec = {};
	struct elf_opened o;
	uint64_t address, size;

	elf_open_spec(&spec, &o);
	cr_assert(image_code_segment(o.image, 0, &address, &size));
	cr_expect(eq(u64, address, ELF_CODE));
	cr_expect(eq(u64, size, ELF_CODE_SIZE));
	cr_expect(not(image_code_segment(o.image, 1, &address, &size)));
	elf_close(&o);
}

Test(text_patches, text_of_a_process_is_read_through_its_memory_and_as_it_is_without_probes)
{
	struct text_patches found;
	const char *why = "";

	/* Criterion's process is no BEAM: only what the comparison needs of one. */
	struct vm vm = {};
	struct target made = { .pid = getpid(), .vm = &vm };
	char exe[64];
	FILE *file;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", getpid());
	file = fopen(exe, "re");
	cr_assert(file != NULL);
	cr_assert(eq(int, image_open(fileno(file), &vm.image, &why), 0), "%s", why);
	cr_expect(eq(int, text_patches_read(&made, &found), 0));
	cr_expect(eq(sz, found.count, 0));
	text_patches_free(&found);
	/* One that has ended, or never was. */
	made.pid = INT32_MAX;
	cr_expect(ne(int, text_patches_read(&made, &found), 0));
	text_patches_free(&found);
	image_free(vm.image);
	fclose(file);
}
