/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols at addresses: in a process, by its mapped files or the Erlang code of its VM; in the kernel, by
 * /proc/kallsyms. A process is scanned when its first address is printed, and the results are kept after it ends.
 */
#ifndef ERLBPF_DTRACE_SYMBOLS_SYMBOLS_H
#define ERLBPF_DTRACE_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "d/lang/unit.h"

struct kernel_symbols;
struct symbols;
struct term_snapshot;

/* NULL and errno. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* Borrows kernel symbols that were already read. */
void symbols_with_kernel(struct symbols *symbols, struct kernel_symbols *kernel);

/* Prints addresses of processes as numbers. */
void symbols_without_users(struct symbols *symbols);

/* A snapshot of a term of a BEAM (bpf/term.h) as text; "" if that fails. */
void symbols_term(struct symbols *symbols, pid_t pid, const struct term_snapshot *snapshot, char *buf, size_t size);

/* Scans a process now, because it may end before its addresses are printed. */
void symbols_look(struct symbols *symbols, pid_t pid);

/* The same, to be called repeatedly for a process that can run exec or load code. Most calls do nothing. */
void symbols_keep_up(struct symbols *symbols, pid_t pid);

/* Start and size of a kernel function, up to the next one. False: unknown. */
bool symbols_kernel_function(struct symbols *symbols, const char *name, uint64_t *address, uint64_t *size);

/*
 * "libc.so.6`malloc+0x12", "erts`lists:map/2+0x40", "vmlinux`schedule", or another form by `kind`; a number if unknown.
 * Untrusted text.
 */
void symbols_text(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind, char *buf, size_t size);

/*
 * A common address for all addresses with the same text by `kind`: the start of the function, or the first address seen
 * in the module.
 */
uint64_t symbols_start(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind);

#endif
