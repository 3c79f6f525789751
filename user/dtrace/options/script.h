/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: D in files. */
#ifndef ERLBPF_DTRACE_OPTIONS_SCRIPT_H
#define ERLBPF_DTRACE_OPTIONS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "dtrace/options/options.h"

/* All of a file, "-" is stdin: NUL-terminated, which is not in *size; the caller frees it. NULL and errno. */
char *script_read(const char *path, size_t *size);

/* "#!/usr/sbin/dtrace -qs" becomes blanks, so that lines keep their numbers and no one takes it for a directive. */
void script_blank_first_line(char *text);

/*
 * An option that parsing depends on must be known before it, wherever in the program it stands: all others wait
 * until everything is parsed.
 */
void script_early_options(struct d_options *options, const char *text);

/*
 * Compile a script that runs on and on behind nobody's command line: without arguments; `target`: $target, -1: there is
 * none. What is destructive, what starts a program (the preprocessor), and what takes more memory than is usual is
 * refused. False: the unit's messages say why.
 */
bool script_compile(struct unit *unit, struct d_options *options, char *name, char *text, int target);

/* Why such a script may not have the option that was set; NULL: it may. The text may be in `why`. */
const char *script_refuses_option(const struct d_options *options, const char *name, char *why, size_t size);

#endif
