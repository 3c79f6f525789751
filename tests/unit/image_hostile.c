// SPDX-License-Identifier: BSD-2-Clause
/* Files that are no executables, or of another kind, or broken, or broken while they are read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"

static const struct elf_symbol functions[] = { { .name = "apple", .address = ELF_CODE } };
static const struct elf_spec plain = { .dynamic = functions, .dynamic_count = COUNT(functions) };

static void expect_refused(const void *bytes, size_t size, const char *why)
{
	struct elf_opened o;

	elf_open(bytes, size, &o);
	cr_expect(eq(int, o.err, -ENOEXEC), "%s", why);
	expect_text(o.why, why);
	elf_close(&o);
}

Test(image_hostile, what_is_no_elf_file_is_refused)
{
	static const char script[] = "#!/bin/sh\nexec erl\n";
	static const char zeroes[4096];

	expect_refused("", 0, "it is not a 64-bit ELF file");
	expect_refused("\x7f", 1, "it is not a 64-bit ELF file");
	expect_refused("\x7f"
		       "ELF",
		       4, "it is not a 64-bit ELF file");
	expect_refused(script, sizeof(script), "it is not a 64-bit ELF file");
	expect_refused(zeroes, sizeof(zeroes), "it is not a 64-bit ELF file");
	expect_refused("!<arch>\n", 8, "it is not a 64-bit ELF file");
}

Test(image_hostile, what_is_no_regular_file_is_refused)
{
	static const char *const paths[] = { "/", "/proc", "/dev/null", "/dev/zero" };

	for (size_t i = 0; i < COUNT(paths); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		struct image *image;
		const char *why;

		cr_expect(eq(int, image_open(fd, &image, &why), -ENOEXEC), "%s", paths[i]);
		expect_text(why, "it is not a regular file", "%s", paths[i]);
		close(fd);
	}
}

Test(image_hostile, a_pipe_is_refused_without_waiting)
{
	struct image *image;
	const char *why;
	int fds[2];

	cr_assert(eq(int, pipe(fds), 0));
	cr_expect(eq(int, image_open(fds[0], &image, &why), -ENOEXEC));
	expect_text(why, "it is not a regular file");
	close(fds[0]);
	close(fds[1]);
}

Test(image_hostile, a_file_that_is_not_open_is_an_error)
{
	struct image *image;
	const char *why;

	cr_expect(eq(int, image_open(-1, &image, &why), -EBADF));
	expect_text(why, "it cannot be read");
}

/* Mistakes in the headers: the offset in the file, what is written there, why it is refused. */
#define EHDR(field) offsetof(Elf64_Ehdr, field)
#define PHDR(number, field) (sizeof(Elf64_Ehdr) + (number) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field))

static const struct {
	const char *what;
	size_t offset, size;
	uint64_t value;
	const char *why;
} mistakes[] = {
	{ "32 bits", EI_CLASS, 1, ELFCLASS32, "it is not a 64-bit ELF file" },
	{ "no class", EI_CLASS, 1, 0, "it is not a 64-bit ELF file" },
	{ "big-endian", EI_DATA, 1, ELFDATA2MSB, "it is not little-endian" },
	{ "another machine", EHDR(e_machine), 2, EM_RISCV, "it is for another CPU architecture" },
	{ "32-bit machine", EHDR(e_machine), 2, EM_386, "it is for another CPU architecture" },
	{ "object file", EHDR(e_type), 2, ET_REL, "it is not an executable" },
	{ "core file", EHDR(e_type), 2, ET_CORE, "it is not an executable" },
	{ "no type", EHDR(e_type), 2, ET_NONE, "it is not an executable" },
	{ "more in the file than in memory", PHDR(ELF_SEGMENT_CODE, p_filesz), 8, ELF_CODE_SIZE + 1,
	  "a segment is invalid" },
	{ "memory that wraps around", PHDR(ELF_SEGMENT_DATA, p_memsz), 8, UINT64_MAX, "a segment is invalid" },
	{ "an offset that wraps around", PHDR(ELF_SEGMENT_CODE, p_offset), 8, UINT64_MAX, "a segment is invalid" },
};

Test(image_hostile, headers_that_make_no_sense_are_refused_with_a_reason)
{
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		struct elf_made file;

		elf_build(&plain, &file);
		memcpy(file.bytes + mistakes[i].offset, &mistakes[i].value, mistakes[i].size);
		expect_refused(file.bytes, file.size, mistakes[i].why);
		elf_free(&file);
	}
}

#define MOST 128

/* A file of headers alone, of which each says that it is the code. */
static void expect_segments(uint16_t count, int err)
{
	static unsigned char bytes[sizeof(Elf64_Ehdr) + (MOST + 1) * sizeof(Elf64_Phdr)];
	struct elf_made file, many = { bytes, sizeof(bytes) };
	struct elf_opened o;

	elf_build(&plain, &file);
	memcpy(bytes, file.bytes, sizeof(Elf64_Ehdr));
	for (size_t i = 0; i < count; i++)
		*elf_segment(&many, i) = *elf_segment(&file, ELF_SEGMENT_CODE);
	elf_header(&many)->e_phnum = count;
	elf_header(&many)->e_shoff = 0;
	elf_header(&many)->e_shnum = 0;
	elf_open(bytes, sizeof(bytes), &o);
	cr_expect(eq(int, o.err, err), "%d segments", count);
	if (err)
		expect_text(o.why, "its program headers are invalid");
	elf_close(&o);
	elf_free(&file);
}

Test(image_hostile, too_many_segments_are_refused)
{
	expect_segments(MOST, 0);
	expect_segments(MOST + 1, -ENOEXEC);
}

Test(image_hostile, a_file_without_section_headers_has_no_symbols_but_segments)
{
	struct image_section section;
	struct elf_made file;
	struct elf_opened o;
	uint64_t offset;
	size_t count;

	elf_build(&plain, &file);
	elf_header(&file)->e_shoff = 0;
	elf_header(&file)->e_shnum = 0;
	elf_header(&file)->e_shstrndx = 0;
	elf_open(file.bytes, file.size, &o);
	cr_assert(eq(int, o.err, 0), "%s", o.why);
	image_symbols(o.image, &count);
	cr_expect(eq(sz, count, 0));
	cr_expect(eq(ptr, check_pointer(image_symbol(o.image, "apple")), NULL));
	cr_expect(eq(int, image_section(o.image, ".text", 1024, &section), -ENOENT));
	cr_expect(eq(int, image_code_offset(o.image, ELF_CODE, &offset), 0));
	elf_close(&o);
	elf_free(&file);
}

static void expect_section(const struct elf_made *file, const char *name, size_t limit, int err, size_t size)
{
	struct image_section section = {};
	struct elf_opened o;

	elf_open(file->bytes, file->size, &o);
	cr_assert(eq(int, o.err, 0), "%s", o.why);
	cr_expect(eq(int, image_section(o.image, name, limit, &section), err), "%s", name);
	cr_expect(eq(sz, section.size, size), "%s", name);
	elf_close(&o);
}

Test(image_hostile, sections_are_found_if_they_are_small_enough_and_in_the_file)
{
	struct elf_made file;

	elf_build(&plain, &file);
	expect_section(&file, ".text", 4096, 0, ELF_CODE_SIZE);
	expect_section(&file, ".text", ELF_CODE_SIZE, 0, ELF_CODE_SIZE);
	expect_section(&file, ".text", ELF_CODE_SIZE - 1, -EFBIG, 0);
	expect_section(&file, ".bss", SIZE_MAX, 0, ELF_BSS_SIZE);
	expect_section(&file, ".tex", 4096, -ENOENT, 0);
	elf_section(&file, ".text")->sh_size = file.size;
	expect_section(&file, ".text", SIZE_MAX, -EINVAL, 0);
	elf_section(&file, ".text")->sh_size = UINT64_MAX;
	expect_section(&file, ".text", SIZE_MAX, -EINVAL, 0);
	elf_section(&file, ".text")->sh_size = 16;
	elf_section(&file, ".text")->sh_offset = file.size - 15;
	expect_section(&file, ".text", SIZE_MAX, -EINVAL, 0);
	elf_section(&file, ".text")->sh_offset = UINT64_MAX - 7;
	expect_section(&file, ".text", SIZE_MAX, -EINVAL, 0);
	elf_section(&file, ".text")->sh_size = 0;
	elf_section(&file, ".text")->sh_offset = file.size;
	expect_section(&file, ".text", SIZE_MAX, 0, 0);
	elf_free(&file);
}

Test(image_hostile, a_symbol_table_that_lies_about_its_size_or_names_gives_no_symbols)
{
	static const struct {
		size_t offset;
		uint64_t value;
	} lies[] = {
		{ offsetof(Elf64_Shdr, sh_size), UINT64_MAX },	 { offsetof(Elf64_Shdr, sh_size), 1ULL << 40 },
		{ offsetof(Elf64_Shdr, sh_offset), UINT64_MAX }, { offsetof(Elf64_Shdr, sh_offset), 1ULL << 40 },
		{ offsetof(Elf64_Shdr, sh_link), 0xffffffff },	 { offsetof(Elf64_Shdr, sh_link), 1 },
	};

	for (size_t i = 0; i < COUNT(lies); i++) {
		struct elf_made file;
		struct elf_opened o;

		elf_build(&plain, &file);
		memcpy((char *)elf_section(&file, ".dynsym") + lies[i].offset, &lies[i].value,
		       lies[i].offset == offsetof(Elf64_Shdr, sh_link) ? 4 : 8);
		elf_open(file.bytes, file.size, &o);
		if (!o.err)
			cr_expect(eq(ptr, check_pointer(image_symbol(o.image, "apple")), NULL), "lie %zu", i);
		elf_close(&o);
		elf_free(&file);
	}
}

Test(image_hostile, a_file_that_shrinks_behind_our_back_is_read_as_far_as_it_is_there)
{
	struct image_section section = {};
	struct elf_made file;
	struct elf_opened o;
	char byte;

	elf_build(&plain, &file);
	elf_open(file.bytes, file.size, &o);
	cr_assert(eq(int, ftruncate(o.fd, ELF_CODE_OFFSET + 16), 0));
	cr_expect(eq(int, image_read(o.image, ELF_CODE, &byte, 1), 0));
	cr_expect(eq(int, image_read(o.image, ELF_CODE + 16, &byte, 1), -ENOENT));
	cr_expect(ne(int, image_section(o.image, ".text", 4096, &section), 0));
	elf_close(&o);
	elf_free(&file);
}

Test(image_hostile, a_file_cut_short_anywhere_is_refused_or_read_as_far_as_it_goes)
{
	struct elf_made file;

	elf_build(&plain, &file);
	for (size_t size = 0; size < file.size; size += 16) {
		struct image_section section;
		struct elf_opened o;
		char byte;

		elf_open(file.bytes, size, &o);
		cr_expect(not(o.err && !o.why), "%zu bytes", size);
		if (!o.err) {
			image_read(o.image, ELF_CODE + ELF_CODE_SIZE - 1, &byte, 1);
			image_section(o.image, ".text", 4096, &section);
		}
		elf_close(&o);
	}
	elf_free(&file);
}
