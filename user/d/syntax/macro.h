/* SPDX-License-Identifier: BSD-2-Clause */
/* Macro variables: what $1, $$1, $target and $pid stand for, in expressions and in probe descriptions. */
#ifndef ERLBPF_D_SYNTAX_MACRO_H
#define ERLBPF_D_SYNTAX_MACRO_H

#include <stddef.h>

#include "d/syntax/parse.h"

struct arena;

enum macro_result { MACRO_INT, MACRO_TEXT, MACRO_UNDEFINED };

struct macro_value {
	enum macro_result result;
	const char *text; /* in the arena; of an int in decimal */
	uint64_t value;	  /* MACRO_INT: the id that a named macro stands for */
};

/* `name` is what follows the '$': digits or letters, `size` of them. Arguments are always MACRO_TEXT. */
struct macro_value macro_value(struct arena *arena, struct macros *macros, const char *name, size_t size);

/* How many characters behind a '$' are a macro's name; 0: none are. */
size_t macro_name_size(const char *text);

#endif
