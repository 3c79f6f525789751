/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols: variables, aggregations, built-in variables, inlines. The checker creates them. */
#ifndef ERLBPF_D_LANG_SYMBOL_H
#define ERLBPF_D_LANG_SYMBOL_H

#include "d/lang/ast.h"

enum symbol_kind {
	SYMBOL_VARIABLE, /* a scalar, string, struct or array; scope determines its storage */
	SYMBOL_ASSOC,	 /* an associative array; type is TYPE_ASSOC, type->base the element type */
	SYMBOL_AGGREGATION,
	SYMBOL_BUILTIN,
	SYMBOL_INLINE,
	SYMBOL_PARAMETER, /* of an inline function, or input of a translator: `value` is its current value */
};

/* Built-in variables. Each has a row in builtins.c and a case in lower/function.c. */
enum builtin {
	BUILTIN_ARG0,
	BUILTIN_ARG9 = BUILTIN_ARG0 + 9,
	BUILTIN_ARGS,
	BUILTIN_TIMESTAMP,
	BUILTIN_WALLTIMESTAMP,
	BUILTIN_VTIMESTAMP,
	BUILTIN_PID,
	BUILTIN_TID,
	BUILTIN_PPID,
	BUILTIN_UID,
	BUILTIN_GID,
	BUILTIN_EXECNAME,
	BUILTIN_CPU,
	BUILTIN_PROBEPROV,
	BUILTIN_PROBEMOD,
	BUILTIN_PROBEFUNC,
	BUILTIN_PROBENAME,
	BUILTIN_EPID,
	BUILTIN_ID,
	BUILTIN_ERRNO,
	BUILTIN_CALLER,
	BUILTIN_UCALLER,
	BUILTIN_STACKDEPTH,
	BUILTIN_USTACKDEPTH,
	BUILTIN_UREGS,
	BUILTIN_CURTHREAD,
	BUILTIN_CWD,
	BUILTIN_ROOT,
	BUILTIN_ZONENAME,
	BUILTIN_IPL,
	BUILTIN_ARGTERM,
	BUILTIN_BEAM_MATCHES, /* BEAM_MATCHES */
};

struct symbol {
	enum symbol_kind kind;
	const char *name;
	enum scope scope;
	struct type *type;
	enum builtin builtin;
	struct node *value;		   /* of an inline, a parameter */
	struct declaration *params;	   /* of an inline function */
	const struct d_function *function; /* of an aggregation: count, quantize... */
	struct node *first;		   /* of an aggregation: the call that set its function and keys */
	struct type_key *keys;		   /* of an aggregation, or an associative array */
	const char *file;		   /* of its first appearance */
	int line;
	bool is_scratch, is_elsewhere; /* assigned an address of alloca(); assigned anything else but 0 */
	unsigned int id;     /* of variables, of arrays, of aggregations: from 0 each, in order of appearance */
	struct symbol *next; /* of the same kind, in order of id */

	/* Set by the lowering. */
	size_t offset;
	int map;
};

#endif
