// SPDX-License-Identifier: BSD-2-Clause
/* Files whose section headers are gone or lie: what their program headers and dynamic table lead to is found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "elf/elf_file.h"
#include "elf_builder.h"

#define ALL 0x600000 /* where a segment has the whole file */
#define ID_SIZE 20
#define FRAMES_SIZE 16

enum { SEGMENT_ALL = ELF_SEGMENTS, SEGMENT_DYNAMIC, SEGMENT_NOTES, SEGMENT_FRAMES, SEGMENTS };

static const struct elf_symbol functions[] = {
	{ .name = "elsewhere" },
	{ .name = "apple", .address = ELF_CODE, .size = 8 },
	{ .name = "pear", .address = ELF_CODE + 0x40, .size = 8 },
};
static const struct elf_spec plain = { .dynamic = functions, .dynamic_count = COUNT(functions) };

/* What is behind the file that the builder made, at a multiple of 8. */
struct tables {
	uint32_t hash[2]; /* buckets, symbols */
	uint32_t gnu_hash[4];
	uint64_t filter;
	uint32_t bucket, chain[2]; /* of the last two */
	uint32_t frames_header[3];
	Elf64_Dyn dynamic[8];
	Elf64_Nhdr other;
	char other_name[4];
	uint32_t other_content;
	Elf64_Nhdr id;
	char id_name[4];
	unsigned char id_content[ID_SIZE];
	unsigned char frames[FRAMES_SIZE];
};

struct bare {
	struct elf_made file;
	struct tables *tables;
	size_t at; /* of them, in the file */
};

#define PLACE(bare, field) (ALL + (bare)->at + offsetof(struct tables, field))

static void fill_tables(struct bare *b)
{
	const Elf64_Shdr *symbols = elf_section(&b->file, ".dynsym"), *names = elf_section(&b->file, ".dynstr");

	*b->tables = (struct tables){
		.hash = { 1, COUNT(functions) + 1 },
		.gnu_hash = { 1, 2, 1, 0 },
		.bucket = 2,
		.chain = { 0x10, 0x11 },
		.frames_header = { 0x3b031b01, (uint32_t)(PLACE(b, frames) - PLACE(b, frames_header) - 4), 0 },
		.dynamic = { { DT_SYMTAB, { ALL + symbols->sh_offset } },
			     { DT_STRTAB, { ALL + names->sh_offset } },
			     { DT_STRSZ, { names->sh_size } },
			     { DT_GNU_HASH, { PLACE(b, gnu_hash) } },
			     { DT_HASH, { PLACE(b, hash) } } },
		.other = { 4, 4, NT_GNU_ABI_TAG },
		.other_name = "GNU",
		.id = { 4, ID_SIZE, NT_GNU_BUILD_ID },
		.id_name = "GNU",
		.id_content = "an id of twenty byte",
	};
}

static void add_segment(struct bare *b, size_t number, uint32_t type, size_t from, size_t size, uint64_t align)
{
	*elf_segment(&b->file, number) = (Elf64_Phdr){
		.p_type = type,
		.p_flags = PF_R,
		.p_offset = from,
		.p_vaddr = ALL + from,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = align,
	};
}

#define ADD_SEGMENT(bare, number, type, first, end)                                                                    \
	add_segment(bare, number, type, (bare)->at + offsetof(struct tables, first),                                   \
		    offsetof(struct tables, end) - offsetof(struct tables, first), 4)

static void make(struct bare *b)
{
	size_t size;

	elf_build(&plain, &b->file);
	b->at = (b->file.size + 7) & ~(size_t)7;
	size = b->at + sizeof(struct tables);
	b->file.bytes = realloc(b->file.bytes, size);
	cr_assert(ne(ptr, b->file.bytes, NULL));
	memset(b->file.bytes + b->file.size, 0, size - b->file.size);
	b->file.size = size;
	b->tables = (struct tables *)(void *)(b->file.bytes + b->at);
	fill_tables(b);
	elf_header(&b->file)->e_phnum = SEGMENTS;
	add_segment(b, SEGMENT_ALL, PT_LOAD, 0, size, 0x1000);
	ADD_SEGMENT(b, SEGMENT_DYNAMIC, PT_DYNAMIC, dynamic, other);
	ADD_SEGMENT(b, SEGMENT_NOTES, PT_NOTE, other, frames);
	ADD_SEGMENT(b, SEGMENT_FRAMES, PT_GNU_EH_FRAME, frames_header, dynamic);
}

static void drop_sections(struct bare *b)
{
	elf_header(&b->file)->e_shoff = 0;
	elf_header(&b->file)->e_shnum = 0;
	elf_header(&b->file)->e_shstrndx = 0;
}

static void expect_symbols(const struct bare *b, size_t count, const char *what)
{
	struct elf_opened o;
	size_t found;

	elf_open(b->file.bytes, b->file.size, &o);
	cr_assert(eq(int, o.err, 0), "%s: %s", what, o.why);
	image_symbols(o.image, &found);
	cr_expect(eq(sz, found, count), "%s", what);
	if (count == 2) {
		const struct image_symbol *pear = image_symbol(o.image, "pear");

		cr_assert(ne(ptr, check_pointer(pear), NULL), "%s", what);
		cr_expect(eq(u64, pear->address, ELF_CODE + 0x40), "%s", what);
		cr_expect(eq(u64, pear->size, 8), "%s", what);
	}
	elf_close(&o);
}

Test(image_bare, symbols_are_found_without_section_headers)
{
	struct bare b;

	make(&b);
	expect_symbols(&b, 2, "with headers");
	drop_sections(&b);
	expect_symbols(&b, 2, "by DT_GNU_HASH");
	b.tables->dynamic[3].d_tag = DT_DEBUG;
	expect_symbols(&b, 2, "by DT_HASH");
	b.tables->dynamic[4].d_tag = DT_DEBUG;
	expect_symbols(&b, 0, "by nothing");
	elf_free(&b.file);
}

Test(image_bare, symbols_of_other_files_only_are_counted_too)
{
	struct bare b;

	make(&b);
	drop_sections(&b);
	b.tables->bucket = 0;
	b.tables->gnu_hash[1] = COUNT(functions) + 1;
	expect_symbols(&b, 2, "an empty bucket");
	elf_free(&b.file);
}

#define EHDR(field) offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)NULL)->field)

Test(image_bare, section_headers_that_lie_are_as_good_as_none)
{
	static const struct {
		const char *what;
		size_t offset, size;
		uint64_t value;
	} lies[] = {
		{ "behind the file", EHDR(e_shoff), 1ULL << 40 }, { "at its end", EHDR(e_shoff), UINT64_MAX - 63 },
		{ "of another size", EHDR(e_shentsize), 40 },	  { "too many", EHDR(e_shnum), 0xffff },
		{ "no names", EHDR(e_shstrndx), 0xfffe },	  { "only the first", EHDR(e_shnum), 1 },
	};

	for (size_t i = 0; i < COUNT(lies); i++) {
		struct bare b;

		make(&b);
		memcpy(b.file.bytes + lies[i].offset, &lies[i].value, lies[i].size);
		expect_symbols(&b, 2, lies[i].what);
		elf_free(&b.file);
	}
}

Test(image_bare, section_headers_that_are_zeroed_are_as_good_as_none)
{
	struct bare b;
	Elf64_Ehdr *header;

	make(&b);
	header = elf_header(&b.file);
	memset(b.file.bytes + header->e_shoff, 0, header->e_shnum * sizeof(Elf64_Shdr));
	expect_symbols(&b, 2, "zeroed");
	elf_free(&b.file);
}

static void open_bare(const struct bare *b, struct elf_file *file)
{
	const char *why = "";

	*file = (struct elf_file){ .fd = elf_write(b->file.bytes, b->file.size), .size = b->file.size };
	cr_assert(eq(int, elf_file_open(file, &why), 0), "%s", why);
}

static void close_bare(struct elf_file *file)
{
	elf_file_close(file);
	close(file->fd);
}

Test(image_bare, the_build_id_is_found_among_the_notes)
{
	unsigned char id[ELF_FILE_MAX_ID];
	struct elf_file file;
	struct bare b;

	make(&b);
	drop_sections(&b);
	open_bare(&b, &file);
	cr_expect(eq(sz, elf_file_build_id(&file, id), ID_SIZE));
	cr_expect(eq(int, memcmp(id, "an id of twenty byte", ID_SIZE), 0));
	close_bare(&file);
	elf_free(&b.file);
}

static void expect_section(const struct elf_file *file, const char *name, uint64_t address, uint64_t size)
{
	const Elf64_Shdr *section = elf_file_section(file, name);

	cr_assert(ne(ptr, check_pointer(section), NULL), "%s", name);
	cr_expect(eq(u64, section->sh_addr, address), "%s", name);
	cr_expect(eq(u64, section->sh_size, size), "%s", name);
}

Test(image_bare, code_data_and_the_table_of_frames_have_their_usual_names)
{
	struct elf_file file;
	struct bare b;

	make(&b);
	drop_sections(&b);
	open_bare(&b, &file);
	expect_section(&file, ".text", ELF_CODE, ELF_CODE_SIZE);
	expect_section(&file, ".data", ELF_DATA, ELF_DATA_SIZE);
	expect_section(&file, ".bss", ELF_BSS, ELF_BSS_SIZE);
	expect_section(&file, ".eh_frame", PLACE(&b, frames), FRAMES_SIZE);
	close_bare(&file);
	elf_free(&b.file);
}

/* As GNU ld does it for arm64: one segment has the tables, then code, then constants. */
Test(image_bare, code_and_constants_of_one_segment_are_told_apart)
{
	struct elf_file file;
	struct bare b;
	uint64_t end;

	make(&b);
	drop_sections(&b);
	end = ALL + b.file.size;
	elf_segment(&b.file, ELF_SEGMENT_CODE)->p_flags = PF_R;
	elf_segment(&b.file, SEGMENT_ALL)->p_flags = PF_R | PF_X;
	b.tables->dynamic[5] = (Elf64_Dyn){ DT_INIT, { PLACE(&b, hash) } };
	b.tables->dynamic[6] = (Elf64_Dyn){ DT_FINI, { PLACE(&b, dynamic) & ~15ULL } };
	open_bare(&b, &file);
	expect_section(&file, ".text", PLACE(&b, hash), (PLACE(&b, dynamic) & ~15ULL) + 16 - PLACE(&b, hash));
	for (size_t i = 0; i < file.count; i++) {
		const Elf64_Shdr *s = &file.sections[i];

		if (!strcmp(elf_file_section_name(&file, s), ".rodata") && s->sh_addr >= ALL)
			cr_expect(eq(u64, s->sh_addr + s->sh_size, end));
	}
	close_bare(&file);
	elf_free(&b.file);
}

Test(image_bare, what_is_relocated_before_the_start_and_the_linkers_table_are_told_apart)
{
	struct elf_file file;
	Elf64_Phdr *dynamic;
	struct bare b;

	make(&b);
	drop_sections(&b);
	*elf_segment(&b.file, SEGMENT_FRAMES) = (Elf64_Phdr){
		.p_type = PT_GNU_RELRO, .p_vaddr = ELF_DATA, .p_filesz = 0x180, .p_memsz = 0x180
	};
	/* The table itself moves into the data, as it is in a true file. */
	dynamic = elf_segment(&b.file, SEGMENT_DYNAMIC);
	memcpy(b.file.bytes + ELF_DATA_OFFSET + 0x40, b.tables->dynamic, sizeof(b.tables->dynamic));
	dynamic->p_offset = ELF_DATA_OFFSET + 0x40;
	dynamic->p_vaddr = ELF_DATA + 0x40;
	open_bare(&b, &file);
	expect_section(&file, ".data.rel.ro", ELF_DATA, 0x40);
	expect_section(&file, ".got", ELF_DATA + 0x40 + dynamic->p_filesz, 0x140 - dynamic->p_filesz);
	expect_section(&file, ".data", ELF_DATA + 0x180, ELF_DATA_SIZE - 0x180);
	close_bare(&file);
	elf_free(&b.file);
}

#define LIE(field) offsetof(struct tables, field), sizeof(((struct tables *)NULL)->field)

Test(image_bare, tables_that_lie_give_no_symbols)
{
	static const struct {
		const char *what;
		size_t offset, size;
		uint64_t value;
	} lies[] = {
		{ "symbols elsewhere", LIE(dynamic[0].d_un), 1ULL << 40 },
		{ "symbols at the end of memory", LIE(dynamic[0].d_un), UINT64_MAX },
		{ "names elsewhere", LIE(dynamic[1].d_un), 1ULL << 40 },
		{ "names without end", LIE(dynamic[2].d_un), UINT64_MAX },
		{ "more names than the file has", LIE(dynamic[2].d_un), 1u << 20 },
		{ "a hash elsewhere", LIE(dynamic[3].d_un), 1ULL << 40 },
		{ "too many buckets", LIE(gnu_hash[0]), UINT32_MAX },
		{ "buckets behind the file", LIE(gnu_hash[0]), 1u << 20 },
		{ "a large filter", LIE(gnu_hash[2]), UINT32_MAX },
		{ "a filter that is behind the file", LIE(gnu_hash[2]), 1u << 20 },
		{ "a bucket that is no symbol", LIE(bucket), UINT32_MAX },
		{ "a chain behind the file", LIE(bucket), 1u << 20 },
		{ "as many of other files", LIE(gnu_hash[1]), UINT32_MAX },
		{ "more of other files than there is room for", LIE(gnu_hash[1]), 1u << 20 },
	};

	for (size_t i = 0; i < COUNT(lies); i++) {
		struct bare b;

		make(&b);
		drop_sections(&b);
		b.tables->dynamic[4].d_tag = DT_DEBUG;
		memcpy(b.file.bytes + b.at + lies[i].offset, &lies[i].value, lies[i].size);
		expect_symbols(&b, 0, lies[i].what);
		elf_free(&b.file);
	}
}

/* What is read of it then is as it may be; it ends, and stays in bounds, which the sanitizers say. */
Test(image_bare, whatever_word_of_the_tables_is_spoilt_the_file_is_read)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, 0x80000000, UINT32_MAX };
	struct bare b;

	make(&b);
	drop_sections(&b);
	for (size_t at = sizeof(Elf64_Ehdr); at + 4 <= b.file.size; at += 4) {
		if (at == sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr))
			at = b.at;
		for (size_t i = 0; i < COUNT(values); i++) {
			struct elf_opened o;
			uint32_t was;

			memcpy(&was, b.file.bytes + at, sizeof(was));
			memcpy(b.file.bytes + at, &values[i], sizeof(was));
			elf_open(b.file.bytes, b.file.size, &o);
			cr_expect(eq(int, o.err &&o.err != -ENOEXEC, 0), "%zu: %d", at, o.err);
			elf_close(&o);
			memcpy(b.file.bytes + at, &was, sizeof(was));
		}
	}
	elf_free(&b.file);
}

Test(image_bare, a_file_cut_short_is_refused_or_read_as_far_as_it_goes)
{
	struct bare b;

	make(&b);
	drop_sections(&b);
	for (size_t size = 0; size < b.file.size; size += 16) {
		struct elf_opened o;

		elf_open(b.file.bytes, size, &o);
		cr_expect(not(o.err && !o.why), "%zu bytes", size);
		elf_close(&o);
	}
	elf_free(&b.file);
}
