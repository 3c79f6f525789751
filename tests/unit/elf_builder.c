// SPDX-License-Identifier: BSD-2-Clause
#include "elf_builder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define MAX_SECTIONS 16
#define MAX_NOTE 4096
#define NO_ADDRESS 0

struct builder {
	struct elf_made *file;
	size_t room;
	Elf64_Shdr sections[MAX_SECTIONS];
	size_t section_count;
	char names[256];
	size_t names_size;
};

static const unsigned char x86_code[] = {
	[0x00] = 0x90, [0x10] = 0x90, 0x0f, 0x1f,	   0x44,	  0x00, 0x00, [0x20] = 0x0f, 0x1f,
	0x44,	       0x00,	      0x00, [0x28] = 0x90, [0x30] = 0xb8, 0x90, 0x90, 0x90,	     0x90,
};

static const unsigned char arm_code[] = {
	[0x00] = 0x1f, 0x20, 0x03, 0xd5, [0x10] = 0x1f, 0x20, 0x03, 0xd5,
	[0x20] = 0x1f, 0x20, 0x03, 0xd5, [0x30] = 0x20, 0x00, 0x80, 0xd2,
};

/* Where the bytes are in the file; NULL: zeroes. */
static size_t append(struct builder *b, const void *bytes, size_t size)
{
	size_t at = (b->file->size + 7) & ~(size_t)7;

	if (at + size > b->room) {
		b->room = 2 * (at + size) + 4096;
		b->file->bytes = realloc(b->file->bytes, b->room);
		cr_assert(ne(ptr, b->file->bytes, NULL));
	}
	memset(b->file->bytes + b->file->size, 0, at - b->file->size);
	if (bytes)
		memcpy(b->file->bytes + at, bytes, size);
	else
		memset(b->file->bytes + at, 0, size);
	b->file->size = at + size;
	return at;
}

static Elf64_Shdr *add_section(struct builder *b, const char *name, uint32_t type, uint64_t address, size_t offset,
			       size_t size)
{
	Elf64_Shdr *section = &b->sections[b->section_count++];

	section->sh_name = (uint32_t)b->names_size;
	strcpy(b->names + b->names_size, name);
	b->names_size += strlen(name) + 1;
	section->sh_type = type;
	section->sh_addr = address;
	section->sh_offset = offset;
	section->sh_size = size;
	section->sh_addralign = 1;
	return section;
}

static void add_symbols(struct builder *b, const char *table_name, const char *strings_name, uint32_t type,
			const struct elf_symbol *symbols, size_t count)
{
	Elf64_Sym *table = calloc(count + 1, sizeof(*table));
	char *strings = NULL;
	size_t size = 1;
	Elf64_Shdr *section;

	for (size_t i = 0; i < count; i++)
		size += strlen(symbols[i].name) + 1;
	strings = calloc(1, size);
	size = 1;
	for (size_t i = 0; i < count; i++) {
		unsigned char kind = symbols[i].type ? symbols[i].type : STT_FUNC;

		strcpy(strings + size, symbols[i].name);
		table[i + 1].st_name = *symbols[i].name ? (uint32_t)size : 0;
		table[i + 1].st_info = ELF64_ST_INFO(symbols[i].is_local ? STB_LOCAL : STB_GLOBAL, kind);
		table[i + 1].st_other = symbols[i].is_hidden ? STV_HIDDEN : STV_DEFAULT;
		table[i + 1].st_shndx = symbols[i].address ? 1 : SHN_UNDEF;
		table[i + 1].st_value = symbols[i].address;
		table[i + 1].st_size = symbols[i].size;
		size += strlen(symbols[i].name) + 1;
	}
	section = add_section(b, table_name, type, NO_ADDRESS, append(b, table, (count + 1) * sizeof(*table)),
			      (count + 1) * sizeof(*table));
	section->sh_entsize = sizeof(*table);
	section->sh_link = (uint32_t)b->section_count;
	add_section(b, strings_name, SHT_STRTAB, NO_ADDRESS, append(b, strings, size), size);
	free(strings);
	free(table);
}

size_t elf_make_note(const struct elf_note *note, unsigned char *out)
{
	const uint64_t addresses[] = { note->site, note->base ? note->base : ELF_BASE, note->semaphore };
	const char *const strings[] = { note->provider, note->name, note->args };
	uint32_t header[] = { 8, sizeof(addresses), 3 };
	size_t n = 20 + sizeof(addresses);

	memcpy(out + 12, "stapsdt", 8);
	memcpy(out + 20, addresses, sizeof(addresses));
	for (int i = 0; i < 3; i++) {
		strcpy((char *)out + n, strings[i]);
		n += strlen(strings[i]) + 1;
	}
	header[1] = (uint32_t)n - 20;
	memcpy(out, header, sizeof(header));
	for (; n & 3; n++)
		out[n] = 0;
	return n;
}

static void add_notes(struct builder *b, const struct elf_spec *spec)
{
	unsigned char *notes = malloc(spec->note_count * MAX_NOTE + spec->raw_size + 1);
	size_t size = 0, at;

	for (size_t i = 0; i < spec->note_count; i++)
		size += elf_make_note(&spec->notes[i], notes + size);
	if (spec->raw_notes)
		memcpy(notes + size, spec->raw_notes, spec->raw_size);
	size += spec->raw_size;
	at = append(b, notes, size);
	add_section(b, ".note.stapsdt", SHT_NOTE, NO_ADDRESS, at, size)->sh_addralign = 4;
	at = append(b, NULL, 1);
	add_section(b, ".stapsdt.base", SHT_PROGBITS, spec->base ? spec->base : ELF_BASE, at, 1);
	free(notes);
}

static void add_code_and_data(struct builder *b, bool is_arm)
{
	unsigned char code[ELF_CODE_SIZE];

	memset(code, 0xcc, sizeof(code));
	if (is_arm) {
		memcpy(code, arm_code, sizeof(arm_code));
	} else {
		memcpy(code, x86_code, sizeof(x86_code));
		memset(code + (ELF_NOPS - ELF_CODE), 0x90, ELF_NOP_COUNT);
	}
	append(b, code, sizeof(code));
	append(b, NULL, ELF_DATA_SIZE);
	add_section(b, "", SHT_NULL, 0, 0, 0);
	add_section(b, ".text", SHT_PROGBITS, ELF_CODE, ELF_CODE_OFFSET, ELF_CODE_SIZE)->sh_flags = SHF_ALLOC |
												    SHF_EXECINSTR;
	add_section(b, ".probes", SHT_PROGBITS, ELF_PROBES, ELF_DATA_OFFSET, ELF_PROBES_SIZE)->sh_flags = SHF_ALLOC |
													  SHF_WRITE;
	add_section(b, ".bss", SHT_NOBITS, ELF_BSS, ELF_DATA_OFFSET + ELF_DATA_SIZE, ELF_BSS_SIZE)->sh_flags =
		SHF_ALLOC | SHF_WRITE;
}

static void set_segment(struct elf_made *file, size_t number, uint32_t flags, uint64_t address, uint64_t offset,
			uint64_t size, uint64_t more)
{
	*elf_segment(file, number) = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = flags,
		.p_vaddr = address,
		.p_paddr = address,
		.p_offset = offset,
		.p_filesz = size,
		.p_memsz = size + more,
		.p_align = 0x1000,
	};
}

static void write_headers(struct builder *b, const struct elf_spec *spec)
{
	size_t sections = append(b, b->sections, b->section_count * sizeof(*b->sections));

	*elf_header(b->file) = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = spec->machine ? spec->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = ELF_CODE,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = sections,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ELF_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)b->section_count,
		.e_shstrndx = (uint16_t)(b->section_count - 1),
	};
	set_segment(b->file, ELF_SEGMENT_HEADERS, PF_R, 0x400000, 0, ELF_CODE_OFFSET, 0);
	set_segment(b->file, ELF_SEGMENT_CODE, PF_R | PF_X, ELF_CODE, ELF_CODE_OFFSET, ELF_CODE_SIZE, 0);
	set_segment(b->file, ELF_SEGMENT_DATA, PF_R | PF_W, ELF_DATA, ELF_DATA_OFFSET, ELF_DATA_SIZE, ELF_BSS_SIZE);
}

void elf_build(const struct elf_spec *spec, struct elf_made *file)
{
	struct builder b = { .file = file };
	Elf64_Shdr *names;

	*file = (struct elf_made){};
	append(&b, NULL, ELF_CODE_OFFSET);
	add_code_and_data(&b, spec->machine == EM_AARCH64);
	if (spec->dynamic_count)
		add_symbols(&b, ".dynsym", ".dynstr", SHT_DYNSYM, spec->dynamic, spec->dynamic_count);
	if (spec->all_count)
		add_symbols(&b, ".symtab", ".strtab", SHT_SYMTAB, spec->all, spec->all_count);
	if (spec->note_count || spec->raw_notes)
		add_notes(&b, spec);
	names = add_section(&b, ".shstrtab", SHT_STRTAB, NO_ADDRESS, 0, 0);
	names->sh_offset = append(&b, b.names, b.names_size);
	names->sh_size = b.names_size;
	write_headers(&b, spec);
}

void elf_free(struct elf_made *file)
{
	free(file->bytes);
	*file = (struct elf_made){};
}

Elf64_Ehdr *elf_header(struct elf_made *file)
{
	return (void *)file->bytes;
}

Elf64_Phdr *elf_segment(struct elf_made *file, size_t number)
{
	return (Elf64_Phdr *)(void *)(file->bytes + sizeof(Elf64_Ehdr)) + number;
}

Elf64_Shdr *elf_section(struct elf_made *file, const char *name)
{
	Elf64_Ehdr *header = elf_header(file);
	Elf64_Shdr *sections = (void *)(file->bytes + header->e_shoff);
	const char *names = (const char *)file->bytes + sections[header->e_shstrndx].sh_offset;

	for (size_t i = 0; i < header->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, name))
			return &sections[i];
	}
	cr_fatal("there is no section %s", name);
	return NULL;
}

int elf_write(const void *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	cr_assert(ge(int, fd, 0));
	cr_assert(eq(long, (long)pwrite(fd, bytes, size, 0), (long)size));
	return fd;
}

void elf_open(const void *bytes, size_t size, struct elf_opened *opened)
{
	*opened = (struct elf_opened){ .fd = elf_write(bytes, size) };
	opened->err = image_open(opened->fd, &opened->image, &opened->why);
	if (opened->err)
		opened->image = NULL;
}

void elf_close(struct elf_opened *opened)
{
	image_free(opened->image);
	close(opened->fd);
}

void elf_open_spec(const struct elf_spec *spec, struct elf_opened *opened)
{
	struct elf_made file;

	elf_build(spec, &file);
	elf_open(file.bytes, file.size, opened);
	cr_assert(eq(int, opened->err, 0), "%s", opened->why);
	elf_free(&file);
}
