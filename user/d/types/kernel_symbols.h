/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the running kernel, `name and module`name, from /proc/kallsyms: their addresses, what is at an address,
 * and the types of the variables that scripts use. The kernel's BTF has none of those, so that all others have an
 * address only.
 */
#ifndef ERLBPF_D_TYPES_KERNEL_SYMBOLS_H
#define ERLBPF_D_TYPES_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;

/* A function of the kernel, which has `size` bytes up to the next one; 0: it is the last one. */
struct kernel_code {
	uint64_t address, size;
	char name[256], module[64];
};

/* All of them, once for a program, from the file at this path; NULL: of the running kernel. 0 or -errno; to be freed.
 */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* "`name" or "module`name"; "vmlinux`name" is the kernel itself. 0; -ENOENT: it is not there; -EACCES: it is hidden. */
int kernel_symbols_find(struct kernel_symbols *symbols, const char *symbol, uint64_t *address);

/* The function that an address is in, or of this name. False: it is not known. */
bool kernel_symbols_at(struct kernel_symbols *symbols, uint64_t address, struct kernel_code *code);
bool kernel_symbols_function(struct kernel_symbols *symbols, const char *name, struct kernel_code *code);

/* Of a variable, in C. NULL: it is not known. */
const char *kernel_symbol_type(const char *symbol);

#endif
