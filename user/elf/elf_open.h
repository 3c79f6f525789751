/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_ELF_ELF_OPEN_H
#define ERLBPF_ELF_ELF_OPEN_H

#include "elf/elf_file.h"

/*
 * Reads the headers of the file behind file->fd, which has file->size bytes; all other members must be zero. 0,
 * -ENOEXEC with the reason in *why (a string constant) if it is no 64-bit ELF executable, or -ENOMEM. Call
 * elf_file_close() in any case.
 */
int elf_file_open(struct elf_file *file, const char **why);

#endif
