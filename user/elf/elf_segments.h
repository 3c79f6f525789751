/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sections of a file whose section headers are gone (strip --strip-section-headers, sstrip) or of no use: as far as
 * its program headers and its dynamic table say where they are, with their usual names.
 */
#ifndef ERLBPF_ELF_ELF_SEGMENTS_H
#define ERLBPF_ELF_ELF_SEGMENTS_H

#include "elf/elf_file.h"

/*
 * They take the place of those that the file has, which has none if it has no dynamic table. 0, or -ENOMEM. What makes
 * no sense is left out.
 */
int elf_segments_take(struct elf_file *file);

#endif
