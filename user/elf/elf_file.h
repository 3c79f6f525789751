/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open ELF file: its header, its sections and their names. If the section headers are missing, sections are derived
 * from the program headers (elf_segments.c). The file is hostile: everything is bounds-checked, and the limits here
 * bound memory, whatever the file says.
 */
#ifndef ERLBPF_ELF_ELF_FILE_H
#define ERLBPF_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/read_at.h"

#define ELF_FILE_MAX_SECTIONS 4096
#define ELF_FILE_SECTION_NAME 64 /* bytes; no longer names are looked up */
#define ELF_FILE_MAX_ID 64	 /* GNU ld makes 20 bytes */

struct elf_file {
	int fd; /* not owned */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	uint32_t count;
	char *names; /* of sections */
	size_t names_size;
	bool lacks_memory; /* an allocation failed; a part is missing */
};

/*
 * Reads the headers of the file behind file->fd, which has file->size bytes; all other members must be zero. 0,
 * -ENOEXEC with the reason in *why (a string constant) if it is no 64-bit ELF executable, or -ENOMEM. Call
 * elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, const char **why);
void elf_file_close(struct elf_file *file);

/* Reads bytes of the file. True if all were read. */
static inline bool elf_file_read(const struct elf_file *file, uint64_t offset, void *to, size_t size)
{
	return !read_at(file->fd, offset, to, size);
}

static inline bool elf_file_has(const struct elf_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* "" if the section has no name, or one that is too long. */
const char *elf_file_section_name(const struct elf_file *file, const Elf64_Shdr *section);

/* The first section of that type, or with that name; NULL: none. */
const Elf64_Shdr *elf_file_of_type(const struct elf_file *file, uint32_t type);
const Elf64_Shdr *elf_file_section(const struct elf_file *file, const char *name);

/* The size of the build-id, 0 if there is none. */
size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_FILE_MAX_ID]);

/*
 * For elf_file_open(): derives sections, with their usual names, from the program headers and the dynamic table, for
 * files whose section headers are missing (strip --strip-section-headers, sstrip) or useless. Replaces the sections of
 * the file, if it has a dynamic table. Leaves out what is invalid. 0 or -ENOMEM.
 */
int elf_segments_take(struct elf_file *file);

#endif
