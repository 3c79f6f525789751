/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the running kernel, `name and module`name, from /proc/kallsyms: their addresses, and the types of the
 * variables that scripts use. The kernel's BTF has none of those, so that all others have an address only.
 */
#ifndef ERLBPF_D_LANG_KERNEL_SYMBOLS_H
#define ERLBPF_D_LANG_KERNEL_SYMBOLS_H

#include <stdint.h>

struct kernel_symbols;

/* All of them, once for a program, from the file at this path; NULL: of the running kernel. 0 or -errno; to be freed.
 */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* "`name" or "module`name"; "vmlinux`name" is the kernel itself. 0; -ENOENT: it is not there; -EACCES: it is hidden. */
int kernel_symbols_find(const struct kernel_symbols *symbols, const char *symbol, uint64_t *address);

/* Of a variable, in C. NULL: it is not known. */
const char *kernel_symbol_type(const char *symbol);

#endif
