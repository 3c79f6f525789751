// SPDX-License-Identifier: BSD-2-Clause
#include "target/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"

static const struct elf_symbol dynamic[] = {
	{ .name = "zebra", .address = ELF_CODE + 8, .size = 4 },
	{ .name = "apple", .address = ELF_CODE, .size = 8 },
	{ .name = "imported" },
	{ .name = "table", .address = ELF_DATA, .size = 16, .type = STT_OBJECT },
	{ .name = "resolver", .address = ELF_CODE + 16, .type = STT_GNU_IFUNC },
	{ .name = "file.c", .address = ELF_CODE, .type = STT_FILE },
	{ .name = "in_bss", .address = ELF_BSS, .size = 8, .type = STT_OBJECT },
};

static const struct elf_symbol all[] = {
	{ .name = "hidden", .address = ELF_CODE + 32, .is_local = true },
	{ .name = "apple", .address = ELF_CODE, .size = 8 },
};

static const struct elf_spec plain = { .dynamic = dynamic, .dynamic_count = COUNT(dynamic) };

static const struct elf_spec unstripped = {
	.dynamic = dynamic,
	.dynamic_count = COUNT(dynamic),
	.all = all,
	.all_count = COUNT(all),
};

Test(image, an_executable_tells_its_architecture_and_entry)
{
	static const struct elf_spec arm = { .machine = EM_AARCH64 };
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	cr_expect(eq(int, (int)image_arch(o.image), ARCH_X86_64));
	cr_expect(eq(u64, image_entry(o.image), ELF_CODE));
	elf_close(&o);
	elf_open_spec(&arm, &o);
	cr_expect(eq(int, (int)image_arch(o.image), ARCH_AARCH64));
	elf_close(&o);
}

static void expect_symbol(const struct elf_opened *o, const char *name, uint64_t address, bool is_function)
{
	const struct image_symbol *symbol = image_symbol(o->image, name);

	cr_assert(ne(ptr, check_pointer(symbol), NULL), "%s", name);
	cr_expect(eq(u64, symbol->address, address), "%s", name);
	cr_expect(eq(int, symbol->is_function, is_function), "%s", name);
}

Test(image, defined_symbols_are_found_by_name)
{
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	expect_symbol(&o, "apple", ELF_CODE, true);
	expect_symbol(&o, "zebra", ELF_CODE + 8, true);
	expect_symbol(&o, "table", ELF_DATA, false);
	expect_symbol(&o, "resolver", ELF_CODE + 16, false);
	elf_close(&o);
}

Test(image, undefined_unknown_and_other_symbols_are_not_found)
{
	static const char *const names[] = {
		"", "imported", "file.c", "hidden", "appl", "apples", "Apple",
	};
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	for (size_t i = 0; i < COUNT(names); i++)
		cr_expect(eq(ptr, check_pointer(image_symbol(o.image, names[i])), NULL), "%s", names[i]);
	elf_close(&o);
}

Test(image, static_functions_are_found_where_the_file_is_not_stripped)
{
	struct elf_opened o;

	elf_open_spec(&unstripped, &o);
	expect_symbol(&o, "hidden", ELF_CODE + 32, true);
	expect_symbol(&o, "apple", ELF_CODE, true);
	elf_close(&o);
}

Test(image, symbols_are_listed_in_the_order_of_their_names)
{
	const struct image_symbol *symbols;
	struct elf_opened o;
	size_t count;

	elf_open_spec(&unstripped, &o);
	symbols = image_symbols(o.image, &count);
	cr_assert(gt(sz, count, 4));
	for (size_t i = 1; i < count; i++)
		cr_expect(le(int, strcmp(symbols[i - 1].name, symbols[i].name), 0), "%s", symbols[i].name);
	elf_close(&o);
}

Test(image, an_exported_symbol_goes_before_static_ones_of_its_name)
{
	static const struct elf_symbol statics[] = {
		{ .name = "apple", .address = ELF_CODE + 0x40, .is_local = true },
		{ .name = "apple", .address = ELF_CODE + 0x50, .is_local = true },
		{ .name = "apple", .address = ELF_CODE, .size = 8 },
		{ .name = "apple", .address = ELF_CODE + 0x60, .is_local = true },
		{ .name = "apple", .address = ELF_CODE + 0x70, .is_local = true },
	};
	struct elf_spec spec = plain;
	struct elf_opened o;

	spec.all = statics;
	for (spec.all_count = 1; spec.all_count <= COUNT(statics); spec.all_count++) {
		elf_open_spec(&spec, &o);
		expect_symbol(&o, "apple", ELF_CODE, true);
		elf_close(&o);
	}
}

Test(image, static_symbols_that_share_a_name_are_nobody)
{
	static const struct elf_symbol statics[] = {
		{ .name = "init", .address = ELF_CODE + 0x40, .is_local = true },
		{ .name = "init", .address = ELF_CODE + 0x50, .is_local = true },
	};
	static const struct elf_spec spec = { .all = statics, .all_count = COUNT(statics) };
	struct elf_opened o;

	elf_open_spec(&spec, &o);
	cr_expect(eq(ptr, check_pointer(image_symbol(o.image, "init")), NULL));
	elf_close(&o);
}

Test(image, local_symbols_that_were_hidden_are_not_static)
{
	static const struct elf_symbol symbols[] = {
		{ .name = "erl_process.c", .type = STT_FILE, .is_local = true },
		{ .name = "schedule", .address = ELF_CODE + 0x40, .is_local = true },
		{ .name = "erl_create_process", .address = ELF_CODE + 0x60, .is_local = true, .is_hidden = true },
		{ .name = "", .type = STT_FILE, .is_local = true },
		{ .name = "erts_schedule", .address = ELF_CODE + 0x50, .is_local = true },
	};
	static const struct elf_spec spec = { .all = symbols, .all_count = COUNT(symbols) };
	struct elf_opened o;

	elf_open_spec(&spec, &o);
	cr_expect(eq(int, image_symbol(o.image, "schedule")->is_local, true));
	cr_expect(eq(int, image_symbol(o.image, "erl_create_process")->is_local, false));
	cr_expect(eq(int, image_symbol(o.image, "erts_schedule")->is_local, false));
	elf_close(&o);
}

#define NOWHERE (~0ULL)

static const struct {
	uint64_t address;
	uint64_t code, data; /* offsets */
} places[] = {
	{ 0, NOWHERE, NOWHERE },
	{ 0x400000, NOWHERE, NOWHERE },
	{ ELF_CODE - 1, NOWHERE, NOWHERE },
	{ ELF_CODE, ELF_CODE_OFFSET, NOWHERE },
	{ ELF_CODE + ELF_CODE_SIZE - 1, ELF_CODE_OFFSET + ELF_CODE_SIZE - 1, NOWHERE },
	{ ELF_CODE + ELF_CODE_SIZE, NOWHERE, NOWHERE },
	{ ELF_DATA, NOWHERE, ELF_DATA_OFFSET },
	{ ELF_DATA + ELF_DATA_SIZE - 1, NOWHERE, ELF_DATA_OFFSET + ELF_DATA_SIZE - 1 },
	{ ELF_BSS + ELF_BSS_SIZE, NOWHERE, NOWHERE },
	{ ~0ULL, NOWHERE, NOWHERE },
};

Test(image, addresses_of_code_and_data_lead_to_the_file)
{
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	for (size_t i = 0; i < COUNT(places); i++) {
		uint64_t code = NOWHERE, data = NOWHERE;
		int err = image_code_offset(o.image, places[i].address, &code);

		cr_expect(eq(int, err, places[i].code == NOWHERE ? -ENOENT : 0), "row %zu", i);
		cr_expect(eq(u64, code, places[i].code), "row %zu", i);
		err = image_data_offset(o.image, places[i].address, &data);
		cr_expect(eq(int, err, places[i].data == NOWHERE ? -ENOENT : 0), "row %zu", i);
		cr_expect(eq(u64, data, places[i].data), "row %zu", i);
	}
	elf_close(&o);
}

Test(image, an_address_of_bss_is_not_in_the_file)
{
	static const uint64_t addresses[] = { ELF_BSS, ELF_BSS + 1, ELF_BSS + ELF_BSS_SIZE - 1 };
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	for (size_t i = 0; i < COUNT(addresses); i++) {
		uint64_t offset = 0;

		cr_expect(eq(int, image_data_offset(o.image, addresses[i], &offset), -ENOENT), "%zu", i);
	}
	elf_close(&o);
}

static const struct {
	uint64_t address;
	size_t size;
	int err;
} reads[] = {
	{ ELF_CODE, 1, 0 },
	{ ELF_CODE, ELF_CODE_SIZE, 0 },
	{ ELF_CODE, ELF_CODE_SIZE + 1, -ENOENT },
	{ ELF_CODE + ELF_CODE_SIZE - 1, 1, 0 },
	{ ELF_CODE + ELF_CODE_SIZE - 1, 2, -ENOENT },
	{ ELF_DATA + ELF_DATA_SIZE - 8, 8, 0 },
	{ ELF_DATA + ELF_DATA_SIZE - 7, 8, -ENOENT },
	{ ELF_BSS, 1, -ENOENT },
	{ ELF_BSS + ELF_BSS_SIZE - 1, 1, -ENOENT },
	{ ELF_CODE, SIZE_MAX, -ENOENT },
	{ 0, 1, -ENOENT },
	{ ~0ULL, 1, -ENOENT },
};

Test(image, bytes_are_read_only_if_all_are_in_the_file)
{
	struct elf_opened o;

	elf_open_spec(&plain, &o);
	for (size_t i = 0; i < COUNT(reads); i++) {
		unsigned char buf[ELF_CODE_SIZE + 1];

		cr_expect(eq(int, image_read(o.image, reads[i].address, buf, reads[i].size), reads[i].err), "row %zu",
			  i);
	}
	elf_close(&o);
}

Test(image, a_string_is_read_as_far_as_its_symbol_reaches)
{
	static const struct elf_symbol strings[] = {
		{ .name = "whole", .address = ELF_DATA + 64, .size = 8, .type = STT_OBJECT },
		{ .name = "cut", .address = ELF_DATA + 64, .size = 3, .type = STT_OBJECT },
		{ .name = "outside", .address = ELF_BSS, .size = 8, .type = STT_OBJECT },
	};
	static const struct elf_spec spec = { .dynamic = strings, .dynamic_count = COUNT(strings) };
	struct elf_made file;
	struct elf_opened o;
	char buf[16], small[3];

	elf_build(&spec, &file);
	strcpy((char *)file.bytes + ELF_DATA_OFFSET + 64, "25.2.3");
	elf_open(file.bytes, file.size, &o);
	cr_expect(eq(int, image_read_string(o.image, "whole", buf, sizeof(buf)), 0));
	expect_text(buf, "25.2.3");
	cr_expect(eq(int, image_read_string(o.image, "cut", buf, sizeof(buf)), 0));
	expect_text(buf, "25.");
	cr_expect(eq(int, image_read_string(o.image, "whole", small, sizeof(small)), 0));
	expect_text(small, "25");
	cr_expect(eq(int, image_read_string(o.image, "outside", buf, sizeof(buf)), -ENOENT));
	cr_expect(eq(int, image_read_string(o.image, "nothing", buf, sizeof(buf)), -ENOENT));
	elf_close(&o);
	elf_free(&file);
}

Test(image, the_running_program_is_an_image)
{
	uint64_t offset;
	const char *why;
	struct image *image;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct image_symbol *symbol;

	cr_assert(eq(int, image_open(fd, &image, &why), 0), "%s", why);
	symbol = image_symbol(image, "image_open");
	cr_assert(ne(ptr, check_pointer(symbol), NULL));
	cr_expect(symbol->is_function);
	cr_expect(eq(int, image_code_offset(image, symbol->address, &offset), 0));
	image_free(image);
	close(fd);
}

extern const char __ehdr_start[];

/* A function that is longer than one byte, so that there is none behind its first. */
static void (*volatile pointer)(struct image *) = image_free;

/* Where it is in the file. Linked apart from its segment's start or not, the distance is the same. */
static uint64_t in_the_file(const struct image *image, void (*function)(struct image *))
{
	return (uint64_t)function - (uint64_t)__ehdr_start + image_start(image);
}

Test(image, an_address_is_pointed_to_only_where_the_file_says_so)
{
	const char *why;
	struct image *image;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t address;

	cr_assert(eq(int, image_open(fd, &image, &why), 0), "%s", why);
	address = in_the_file(image, pointer);
	cr_expect(image_points_to(image, address));
	cr_expect(not(image_points_to(image, address + 1)));
	cr_expect(not(image_points_to(image, 1)));
	image_free(image);
	close(fd);
}

Test(image, nothing_is_freed_when_there_is_nothing)
{
	image_free(NULL);
}
