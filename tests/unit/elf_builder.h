/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small ELF files, made in memory: headers, code with nops at known places, writable data with
 * .probes and a .bss behind it, symbols and SDT notes. Tests then spoil what they want spoilt.
 */
#ifndef ERLBPF_TESTS_ELF_BUILDER_H
#define ERLBPF_TESTS_ELF_BUILDER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/image/image.h"

/* Where code and data are, in the file and in memory. */
#define ELF_CODE_OFFSET 0x200
#define ELF_CODE 0x401200
#define ELF_CODE_SIZE 0x200
#define ELF_DATA_OFFSET 0x400
#define ELF_DATA 0x403400
#define ELF_DATA_SIZE 0x200
#define ELF_BSS (ELF_DATA + ELF_DATA_SIZE) /* in memory only */
#define ELF_BSS_SIZE 0x2000

#define ELF_PROBES ELF_DATA /* .probes, the first bytes of the data */
#define ELF_PROBES_SIZE 64
#define ELF_BASE 0x402000 /* .stapsdt.base */

/* What the code holds: int3, and at these addresses: */
#define ELF_NOP ELF_CODE
#define ELF_NOP_NOP5 (ELF_CODE + 0x10)
#define ELF_NOP5 (ELF_CODE + 0x20)
#define ELF_NOP_LATE (ELF_CODE + 0x28)
#define ELF_MOV (ELF_CODE + 0x30) /* an instruction of 5 bytes, a nop inside */
#define ELF_NOPS (ELF_CODE + 0x40)
#define ELF_NOP_COUNT 16

enum { ELF_SEGMENT_HEADERS, ELF_SEGMENT_CODE, ELF_SEGMENT_DATA, ELF_SEGMENTS };

struct elf_symbol {
	const char *name;
	uint64_t address; /* 0: undefined */
	uint64_t size;
	unsigned char type; /* STT_NOTYPE counts as STT_FUNC */
	bool is_local, is_hidden;
};

struct elf_note {
	const char *provider, *name, *args;
	uint64_t site, semaphore;
	uint64_t base; /* 0: ELF_BASE */
};

struct elf_spec {
	uint16_t machine;		  /* 0: EM_X86_64 */
	const struct elf_symbol *dynamic; /* .dynsym */
	size_t dynamic_count;
	const struct elf_symbol *all; /* .symtab; none: stripped */
	size_t all_count;
	const struct elf_note *notes;
	size_t note_count;
	const void *raw_notes; /* bytes behind them, as they are */
	size_t raw_size;
	uint64_t base; /* of .stapsdt.base, 0: ELF_BASE */
};

struct elf_made {
	unsigned char *bytes;
	size_t size;
};

void elf_build(const struct elf_spec *spec, struct elf_made *file);
void elf_free(struct elf_made *file);

/* Headers inside of the file, to be changed. */
Elf64_Ehdr *elf_header(struct elf_made *file);
Elf64_Phdr *elf_segment(struct elf_made *file, size_t number);
Elf64_Shdr *elf_section(struct elf_made *file, const char *name);

/* The bytes of a note, 4096 at most. Their number. */
size_t elf_make_note(const struct elf_note *note, unsigned char *out);

/* A file without a name with these bytes, at its start. */
int elf_write(const void *bytes, size_t size);

/* An image and the file behind it. */
struct elf_opened {
	int fd;
	int err;
	const char *why;
	struct image *image; /* NULL if err */
};

void elf_open(const void *bytes, size_t size, struct elf_opened *opened);
void elf_close(struct elf_opened *opened);

/* Build, open, and insist. */
void elf_open_spec(const struct elf_spec *spec, struct elf_opened *opened);

#endif
