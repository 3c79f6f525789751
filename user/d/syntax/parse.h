/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser: text to tree. Recursive descent with precedence climbing. It tells the lexer (lex.c) whether to expect a
 * probe description or an expression, because '/', '-' and '*' differ, and which names are types. Errors go to diag;
 * parsing continues after the clause.
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
	int argc; /* of $1...; argv[0] is $0, the name of the script */
	char **argv;
	bool *used;	   /* set by the parser: argc flags, or NULL */
	int target;	   /* pid of -c or -p, -1: none */
	bool default_args; /* -x defaultargs: missing $n are 0 or "" */
};

struct parse_input {
	const char *text; /* NUL-terminated, preprocessed: may contain "# 12 \"file\"" lines */
	size_t size;
	struct macros *macros;
	struct kernel_types *kernel;		/* types that the program does not define; NULL: none */
	const struct function_table *functions; /* reserved names, NULL: none */
	const char *called;  /* MODULE:FUNCTION for erlang*:::function-entry and function-return; NULL: none */
	bool empty_ok;	     /* a program without clauses is valid */
	bool is_file;	     /* every clause needs actions: otherwise a stray word would be a description */
	unsigned int fields; /* the last field of a description: 1 the provider (-P), 2 the module (-m), 3 the function
				(-f), 4 or 0 the name */
};

/* Adds to program, types and diag. False on errors. */
bool parse(struct arena *arena, struct type_table *types, struct diag *diag, const struct parse_input *input,
	   struct program *program);

#endif
