// SPDX-License-Identifier: BSD-2-Clause
#include "elf/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECTION_NAMES (1u << 20) /* bytes */
#define MAX_ID_SECTION 1024

void elf_file_close(struct elf_file *f)
{
	free(f->sections);
	free(f->names);
	*f = (struct elf_file){ .fd = f->fd };
}

const char *elf_file_section_name(const struct elf_file *f, const Elf64_Shdr *section)
{
	size_t left = section->sh_name < f->names_size ? f->names_size - section->sh_name : 0;
	const char *name = left ? f->names + section->sh_name : "";

	return memchr(name, '\0', left < ELF_FILE_SECTION_NAME ? left : ELF_FILE_SECTION_NAME) ? name : "";
}

const Elf64_Shdr *elf_file_of_type(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->sections[i].sh_type == type)
			return &f->sections[i];
	}
	return NULL;
}

const Elf64_Shdr *elf_file_section(const struct elf_file *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (!strcmp(elf_file_section_name(f, &f->sections[i]), name))
			return &f->sections[i];
	}
	return NULL;
}

size_t elf_file_build_id(const struct elf_file *f, unsigned char id[ELF_FILE_MAX_ID])
{
	_Alignas(Elf64_Nhdr) unsigned char note[MAX_ID_SECTION];
	const Elf64_Nhdr *head = (const Elf64_Nhdr *)note;
	const Elf64_Shdr *s = elf_file_section(f, ".note.gnu.build-id");

	if (!s || s->sh_size < sizeof(*head) + 4 || s->sh_size > sizeof(note) ||
	    !elf_file_has(f, s->sh_offset, s->sh_size) || !elf_file_read(f, s->sh_offset, note, s->sh_size))
		return 0;
	if (head->n_namesz != 4 || head->n_type != NT_GNU_BUILD_ID || head->n_descsz > ELF_FILE_MAX_ID ||
	    head->n_descsz > s->sh_size - sizeof(*head) - 4)
		return 0;
	memcpy(id, note + sizeof(*head) + 4, head->n_descsz);
	return head->n_descsz;
}

/* Opening. */

static int fail(const char **why, const char *reason)
{
	*why = reason;
	return -ENOEXEC;
}

static int read_header(struct elf_file *f, const char **why)
{
	const Elf64_Ehdr *elf = &f->header;

	/* Every ELF file has these bytes, also a shorter one of another class. */
	if (!elf_file_read(f, 0, &f->header, EI_NIDENT) || memcmp(elf->e_ident, ELFMAG, SELFMAG) ||
	    elf->e_ident[EI_CLASS] != ELFCLASS64)
		return fail(why, "it is not a 64-bit ELF file");
	if (!elf_file_read(f, 0, &f->header, sizeof(f->header)))
		return fail(why, "its ELF header is truncated");
	if (elf->e_ident[EI_DATA] != ELFDATA2LSB)
		return fail(why, "it is not little-endian");
	if (elf->e_machine != EM_X86_64 && elf->e_machine != EM_AARCH64)
		return fail(why, "it is for another CPU architecture");
	if (elf->e_type != ET_EXEC && elf->e_type != ET_DYN)
		return fail(why, "it is not an executable");
	return 0;
}

/* Without names, sections can only be found by type. */
static void read_section_names(struct elf_file *f)
{
	const Elf64_Shdr *names = f->header.e_shstrndx < f->count ? &f->sections[f->header.e_shstrndx] : NULL;

	if (!names || names->sh_type == SHT_NOBITS || !names->sh_size || names->sh_size > MAX_SECTION_NAMES ||
	    !elf_file_has(f, names->sh_offset, names->sh_size))
		return;
	f->names = malloc(names->sh_size);
	f->lacks_memory |= !f->names;
	if (f->names && elf_file_read(f, names->sh_offset, f->names, names->sh_size))
		f->names_size = names->sh_size;
}

/* A truncated file, or one with an invalid header, has no sections. */
static int read_sections(struct elf_file *f)
{
	size_t count = f->header.e_shoff ? f->header.e_shnum : 0;

	if (count > ELF_FILE_MAX_SECTIONS || f->header.e_shentsize != sizeof(*f->sections))
		count = 0;
	f->sections = calloc(count + 1, sizeof(*f->sections));
	if (!f->sections)
		return -ENOMEM;
	if (!elf_file_read(f, f->header.e_shoff, f->sections, count * sizeof(*f->sections)))
		return 0;
	f->count = (uint32_t)count;
	read_section_names(f);
	return 0;
}

/* A symbol table, and names for looking up other sections. */
static bool has_use_of_sections(const struct elf_file *f)
{
	return f->names_size && (elf_file_of_type(f, SHT_DYNSYM) || elf_file_of_type(f, SHT_SYMTAB));
}

int elf_file_open(struct elf_file *f, const char **why)
{
	int err = read_header(f, why);

	if (!err)
		err = read_sections(f);
	if (!err && !f->lacks_memory && !has_use_of_sections(f))
		err = elf_segments_take(f);
	return err;
}
