/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wanted of an executable file, in one block of memory: this header, the segments, the sections, the symbols
 * sorted by name, the names. It is made by image_build(), where the file is read, and taken over by image_take(), which
 * trusts nothing in it: the one who made it was fed by a hostile file.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_FLAT_H
#define ERLBPF_TARGET_IMAGE_IMAGE_FLAT_H

#include <stdint.h>

#include "elf/elf_file.h"

#define FLAT_MAX_SEGMENTS 128

struct flat_header {
	uint64_t file_size, entry;
	uint32_t arch;
	uint32_t segments, sections, symbols;
	uint32_t match;	 /* enum match_result: what became of names for what the file hides */
	uint32_t config; /* FLAT_... */
	uint32_t id_size;
	unsigned char id[ELF_FILE_MAX_ID]; /* its build-id */
	uint64_t names;			   /* bytes, the last one is a NUL */
};

/* What moves the members of a VM's structures (image_config.c). */
#define FLAT_NO_FRAME_POINTER 1
#define FLAT_LARGE_MUTEX 2

/* The flags of a file: a VM has the text of its config.h among its constants. Those it does not mention are 0. */
uint32_t image_config_read(const struct elf_file *file);

/* One that is loaded (PT_LOAD). */
struct flat_segment {
	uint64_t address, offset;
	uint64_t in_file, in_memory; /* bytes */
	uint32_t flags;		     /* PF_... */
	uint32_t pad;
};

struct flat_section {
	uint32_t name; /* place among the names */
	uint32_t type; /* SHT_... */
	uint64_t address, offset, size;
};

#define FLAT_FUNCTION 1
#define FLAT_LOCAL 2
#define FLAT_MATCHED 4 /* named by comparison (match/match.h) */

struct flat_symbol {
	uint64_t name; /* place among the names */
	uint64_t address, size;
	uint64_t flags;
};

#endif
