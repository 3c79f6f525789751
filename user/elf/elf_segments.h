/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives sections, with their usual names, from the program headers and the dynamic table, for files whose section
 * headers are missing (strip --strip-section-headers, sstrip) or useless.
 */
#ifndef ERLBPF_ELF_ELF_SEGMENTS_H
#define ERLBPF_ELF_ELF_SEGMENTS_H

#include "elf/elf_file.h"

/* Replaces the sections of the file, if it has a dynamic table. Leaves out what is invalid. 0 or -ENOMEM. */
int elf_segments_take(struct elf_file *file);

#endif
