/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of the running kernel, `name and module`name, from /proc/kallsyms: addresses, the symbol at an address, and
 * the types of the variables that scripts use. The kernel's BTF lacks those types, so all others have only an address.
 */
#ifndef ERLBPF_D_TYPES_KERNEL_SYMBOLS_H
#define ERLBPF_D_TYPES_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_symbols;

/* A kernel function of `size` bytes, up to the next one; 0: the last one. */
struct kernel_code {
	uint64_t address, size;
	char name[256], module[64];
};

/*
 * Loads them once for a program, from the file at this path; NULL: from the running kernel. 0 or -errno. The caller
 * frees them.
 */
int kernel_symbols_read(const char *path, struct kernel_symbols **symbols);
void kernel_symbols_free(struct kernel_symbols *symbols);

/* "`name" or "module`name"; "vmlinux`name" is the kernel itself. 0; -ENOENT: missing; -EACCES: hidden. */
int kernel_symbols_find(struct kernel_symbols *symbols, const char *symbol, uint64_t *address);

/* The function at an address, or with this name. False: unknown. */
bool kernel_symbols_at(struct kernel_symbols *symbols, uint64_t address, struct kernel_code *code);
bool kernel_symbols_function(struct kernel_symbols *symbols, const char *name, struct kernel_code *code);

/* C type of a variable. NULL: unknown. */
const char *kernel_symbol_type(const char *symbol);

#endif
