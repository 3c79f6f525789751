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

/* Frees the memory of elf_file_open(). */
void elf_file_close(struct elf_file *file);

/* Reads bytes of the file. True if all were read. */
bool elf_file_read(const struct elf_file *file, uint64_t offset, void *to, size_t size);
bool elf_file_has(const struct elf_file *file, uint64_t offset, uint64_t size);

/* "" if the section has no name, or one that is too long. */
const char *elf_file_section_name(const struct elf_file *file, const Elf64_Shdr *section);

/* The first section of that type, or with that name; NULL: none. */
const Elf64_Shdr *elf_file_of_type(const struct elf_file *file, uint32_t type);
const Elf64_Shdr *elf_file_section(const struct elf_file *file, const char *name);

/* The size of the build-id, 0 if there is none. */
size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_FILE_MAX_ID]);

#endif
