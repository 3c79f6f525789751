/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser: text to tree. Hand-written recursive descent with precedence climbing; the lexer (lex.c) is
 * told whether a probe description or an expression is expected, because '/', '-' and '*' differ, and knows
 * the names of types. Everything wrong goes to diag; after an error it goes on behind the clause.
 */
#ifndef ERLBPF_D_SYNTAX_PARSE_H
#define ERLBPF_D_SYNTAX_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "d/lang/ast.h"
#include "d/lang/diag.h"

struct function_table;
struct kernel_types;

/* $1, $$1, $target and so on. */
struct macros {
	int argc; /* of what $1... stand for; argv[0] is $0, the script's name */
	char **argv;
	bool *used;	   /* by the parser: argc of them, or NULL */
	int target;	   /* pid of -c or -p, -1: none */
	bool default_args; /* -x defaultargs: $n that is not there is 0 or "" */
};

struct parse_input {
	const char *text; /* NUL-terminated, after the preprocessor: "# 12 \"file\"" lines are understood */
	size_t size;
	struct macros *macros;
	struct kernel_types *kernel; /* where types are looked up that the program does not define; NULL: nowhere */
	const struct function_table *functions; /* whose names are taken, NULL: none */
	const char *called;  /* MODULE:FUNCTION that erlang*:::function-entry and function-return mean; NULL: none */
	bool empty_ok;	     /* a program without clauses is no error */
	bool is_file;	     /* every clause needs actions: a word too many would be a description */
	unsigned int fields; /* a description's fields end with: 1 the provider (-P), 2 the module (-m),
			      * 3 the function (-f), 4 or 0 the name */
};

/* Adds to program, types and diag. False if there was an error. */
bool parse(struct arena *arena, struct type_table *types, struct diag *diag, const struct parse_input *input,
	   struct program *program);

#endif
