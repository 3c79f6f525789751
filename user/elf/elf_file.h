/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ELF file that is open: its header, its sections and their names, which are made of its segments if their headers
 * are gone (elf_open.h). It is hostile: everything is bounds-checked, and no more memory is taken than the limits
 * here allow, whatever the file says.
 */
#ifndef ERLBPF_ELF_ELF_FILE_H
#define ERLBPF_ELF_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_FILE_MAX_SECTIONS 4096
#define ELF_FILE_SECTION_NAME 64 /* bytes; nobody looks for longer ones */
#define ELF_FILE_MAX_ID 64	 /* bytes of a build-id; GNU ld makes 20 */

struct elf_file {
	int fd; /* the caller's */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	uint32_t count;
	char *names; /* of sections */
	size_t names_size;
	bool lacks_memory; /* we, for a part of it */
};

/* Frees what elf_file_open() of elf_open.h has taken. */
void elf_file_close(struct elf_file *file);

/* Bytes of the file: all of them, or false. */
bool elf_file_read(const struct elf_file *file, uint64_t offset, void *to, size_t size);
bool elf_file_has(const struct elf_file *file, uint64_t offset, uint64_t size);

/* "" if it has no name, or one that is too long. */
const char *elf_file_section_name(const struct elf_file *file, const Elf64_Shdr *section);

/* The first of that type, or of that name; NULL: there is none. */
const Elf64_Shdr *elf_file_of_type(const struct elf_file *file, uint32_t type);
const Elf64_Shdr *elf_file_section(const struct elf_file *file, const char *name);

/* How many bytes it has, 0: the file has none. */
size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_FILE_MAX_ID]);

#endif
