/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies at an address: of a process, by the files that it has mapped, or by the Erlang code that its VM
 * has made; of the kernel, by /proc/kallsyms. A process is looked at when the first of its addresses is
 * printed, and what was seen is kept when it has ended.
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

/* Those of the kernel have been read already; they are borrowed. */
void symbols_with_kernel(struct symbols *symbols, struct kernel_symbols *kernel);

/* Addresses of processes stay numbers. */
void symbols_without_users(struct symbols *symbols);

/* A snapshot of a term of a BEAM (bpf/term.h) as text; "" where it cannot be told. */
void symbols_term(struct symbols *symbols, pid_t pid, const struct term_snapshot *snapshot, char *buf, size_t size);

/* Look at a process now, since it may have ended when one of its addresses is printed, and keep what was seen. */
void symbols_look(struct symbols *symbols, pid_t pid);

/* The same again and again, of one that may be another program by now, or have more code. Most calls do nothing. */
void symbols_keep_up(struct symbols *symbols, pid_t pid);

/* Where the kernel's function begins, and how many bytes it has up to the next one. false: it is not known. */
bool symbols_kernel_function(struct symbols *symbols, const char *name, uint64_t *address, uint64_t *size);

/*
 * "libc.so.6`malloc+0x12", "erts`lists:map/2+0x40", "vmlinux`schedule", or what else `kind` asks for; a number
 * where nothing is known. Hostile text.
 */
void symbols_text(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind, char *buf, size_t size);

/*
 * One address for all to which `kind` gives the same text: where the function begins, or the address of the module
 * that was asked for first.
 */
uint64_t symbols_start(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind);

#endif
