/* SPDX-License-Identifier: BSD-2-Clause */
/* Macro variables: the values of $1, $$1, $target and $pid, in expressions and in probe descriptions. */
#ifndef ERLBPF_D_SYNTAX_MACRO_H
#define ERLBPF_D_SYNTAX_MACRO_H

#include <stddef.h>

#include "d/syntax/parse.h"

struct arena;

enum macro_result { MACRO_INT, MACRO_TEXT, MACRO_UNDEFINED };

struct macro_value {
	enum macro_result result;
	const char *text; /* in the arena; an integer in decimal */
	uint64_t value;	  /* MACRO_INT: the id */
};

/* `name` has `size` digits or letters, without the '$'. Arguments are always MACRO_TEXT. */
struct macro_value macro_value(struct arena *arena, struct macros *macros, const char *name, size_t size);

/* The length of a macro name after a '$'; 0: none. */
size_t macro_name_size(const char *text);

#endif
