/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format in which a reader returns an executable: one block with this header, the segments, the sections, the
 * symbols sorted by name, and the names. image_build() writes it; image_take() trusts nothing in it, because a hostile
 * file may have exploited the reader.
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
	uint32_t match;	 /* enum match_result */
	uint32_t config; /* FLAT_... */
	uint32_t id_size;
	unsigned char id[ELF_FILE_MAX_ID]; /* build-id */
	uint64_t names;			   /* bytes; the last is NUL */
};

/* Configuration that moves members of the VM's structures (image_config.c). */
#define FLAT_NO_FRAME_POINTER 1
#define FLAT_LARGE_MUTEX 2

/* Reads the flags from the text of config.h, which a VM has among its constants. Flags that are not found are 0. */
uint32_t image_config_read(const struct elf_file *file);

/* A loaded segment (PT_LOAD). */
struct flat_segment {
	uint64_t address, offset;
	uint64_t in_file, in_memory; /* bytes */
	uint32_t flags;		     /* PF_... */
	uint32_t pad;
};

struct flat_section {
	uint32_t name; /* offset into the names */
	uint32_t type; /* SHT_... */
	uint64_t address, offset, size;
};

#define FLAT_FUNCTION 1
#define FLAT_LOCAL 2
#define FLAT_MATCHED 4 /* named by comparison (match/match.h) */

struct flat_symbol {
	uint64_t name; /* offset into the names */
	uint64_t address, size;
	uint64_t flags;
};

#endif
