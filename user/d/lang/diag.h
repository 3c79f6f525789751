/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors of a program, stored instead of printed, so that a compilation can report all of them. Tags are DTrace's
 * (D_SYNTAX, D_IDENT_UNDEF...).
 */
#ifndef ERLBPF_D_LANG_DIAG_H
#define ERLBPF_D_LANG_DIAG_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct d_message {
	const char *tag;
	const char *file; /* NULL: the program itself, not an included file */
	int line;	  /* 0: none */
	bool is_warning;
	const char *text;
	struct d_message *next;
};

struct diag {
	struct arena *arena;
	struct d_message *first, *last;
	size_t errors;
};

#define DIAG_MOST 64 /* errors; the rest is dropped */

__attribute__((format(printf, 5, 6))) void diag_error(struct diag *diag, const char *file, int line, const char *tag,
						      const char *format, ...);
__attribute__((format(printf, 5, 6))) void diag_warn(struct diag *diag, const char *file, int line, const char *tag,
						     const char *format, ...);

#endif
