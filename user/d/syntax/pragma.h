/* SPDX-License-Identifier: BSD-2-Clause */
/* Control lines: "#pragma D option x=y", "#line", what the preprocessor leaves behind, and "#!" of a script. */
#ifndef ERLBPF_D_SYNTAX_PRAGMA_H
#define ERLBPF_D_SYNTAX_PRAGMA_H

#include <stdbool.h>
#include <stddef.h>

struct lexer;

/* One line, without its '#' and its newline. False if it is wrong, which diag says. */
bool pragma_line(struct lexer *lexer, const char *text, size_t size);

#endif
