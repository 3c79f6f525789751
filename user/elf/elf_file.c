// SPDX-License-Identifier: BSD-2-Clause
#include "elf/elf_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/io/read_at.h"

#define MAX_ID_SECTION 1024

bool elf_file_read(const struct elf_file *f, uint64_t offset, void *to, size_t size)
{
	return !read_at(f->fd, offset, to, size);
}

bool elf_file_has(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	return offset <= f->size && size <= f->size - offset;
}

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
