/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the running kernel, `name and module`name, from /proc/kallsyms: their addresses, and the types of the
 * variables that scripts use. The kernel's BTF has none of those, so that all others have an address only.
 */
#ifndef ERLBPF_D_LANG_KERNEL_SYMBOLS_H
#define ERLBPF_D_LANG_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The address of a symbol in a text that is /proc/kallsyms; module is "" for any, "vmlinux" for the kernel itself.
 * 0; -ENOENT: it is not there; -EACCES: the kernel does not show addresses.
 */
int kernel_symbol_find(FILE *symbols, const char *module, const char *name, uint64_t *address);

/* The same, of "`name" or "module`name" in the file at this path. NULL: of the running kernel. Else -errno. */
int kernel_symbol_address(const char *path, const char *symbol, uint64_t *address);

/* Of a variable, in C. NULL: it is not known. */
const char *kernel_symbol_type(const char *symbol);

#endif
