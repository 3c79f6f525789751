/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: D in files. */
#ifndef ERLBPF_DTRACE_OPTIONS_SCRIPT_H
#define ERLBPF_DTRACE_OPTIONS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "dtrace/options/options.h"

/* Reads a whole file, "-" is stdin: NUL-terminated, not counted in *size; the caller frees it. NULL and errno. */
char *script_read(const char *path, size_t *size);

/* Replaces "#!/usr/sbin/dtrace -qs" by blanks, which keeps line numbers and avoids a directive. */
void script_blank_first_line(char *text);

/*
 * Options that affect parsing must be known before it, wherever they stand in the program; all others are set after
 * parsing.
 */
void script_early_options(struct d_options *options, const char *text);

/*
 * Compiles a script of the agent or a port, without arguments; `target`: $target, -1: none. It refuses destructive
 * actions, starting programs (the preprocessor), and unusual amounts of memory. False: the reason is in the unit's
 * messages.
 */
bool script_compile(struct unit *unit, struct d_options *options, char *name, char *text, int target);

/* The reason why such a script cannot set an option; NULL: it can. The text may be in `why`. */
const char *script_refuses_option(const struct d_options *options, const char *name, char *why, size_t size);

#endif
