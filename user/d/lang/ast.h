/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syntax tree of a D program. The parser builds it (parse.c), with the types in declarations, casts and sizeof. The
 * checker (check.c) resolves names, types every expression and reports errors. The lowering (lower.c) makes IR of it.
 * The arena of the compilation owns it.
 */
#ifndef ERLBPF_D_LANG_AST_H
#define ERLBPF_D_LANG_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/types/type.h"

struct symbol;
struct d_function;

/*
 * Maximum nesting, for recursion in the parser and in the passes over trees. With it, the compiler needs at most 256
 * KiB of stack, which every thread has.
 */
#define NESTING_MOST 256

enum node_kind {
	NODE_INT,      /* value; type by its suffix and size; also a char constant, and sizeof after checking */
	NODE_STRING,   /* text, length: escapes are resolved, NUL is possible */
	NODE_IDENT,    /* name, scope; symbol after checking */
	NODE_AGG,      /* @name[args]; name "_" for @ alone */
	NODE_CALL,     /* name(args); function after checking */
	NODE_UNARY,    /* op a */
	NODE_BINARY,   /* a op b */
	NODE_ASSIGN,   /* a op b, op is OP_NONE for plain = ; with an AGG on the left, b is the CALL of its function */
	NODE_STEP,     /* ++ and --: op OP_ADD or OP_SUB, is_prefix */
	NODE_COND,     /* a ? b : c */
	NODE_INDEX,    /* a[args]: of an associative array, a C array, a pointer, args[] */
	NODE_MEMBER,   /* a.name, or a->name with is_arrow */
	NODE_CAST,     /* (named) a */
	NODE_SIZEOF,   /* of `named`, or of a */
	NODE_OFFSETOF, /* offsetof(named, name) */
	NODE_STRINGOF, /* stringof a, stringof(a) */
	NODE_XLATE,    /* xlate <named> (a) */
};

enum node_op {
	OP_NONE,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR, /* bitwise */
	OP_LAND,
	OP_LOR,
	OP_LXOR, /* && || ^^ */
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_COMMA,
	OP_NEG,
	OP_PLUS,
	OP_NOT,
	OP_LNOT,
	OP_DEREF,
	OP_ADDR, /* unary - + ~ ! * & */
};

enum scope { SCOPE_GLOBAL, SCOPE_SELF, SCOPE_THIS, SCOPE_KERNEL /* `name, module`name */ };

struct node {
	enum node_kind kind;
	enum node_op op;
	const char *file; /* NULL: the program itself */
	int line;
	struct node *a, *b, *c;
	struct node *args; /* of a call, an index, an aggregation: linked by next */
	struct node *next;
	const char *name;
	enum scope scope;
	uint64_t value;
	const char *text;
	size_t length;
	bool is_prefix, is_arrow;
	struct type *named; /* the type in the source */
	bool has_parentheses;
	bool is_prelude; /* from the prelude: exempt from the program's checks */

	/* Set by the checker. */
	struct type *type;		   /* of the value; never NULL in a program without errors */
	struct type *common;		   /* type in which a binary operator computes or compares, if not `type` */
	struct symbol *symbol;		   /* of IDENT and AGG */
	const struct d_function *function; /* of CALL */
	bool is_lvalue;
	bool is_constant;	     /* `value` holds the constant, whatever the kind was; the node becomes an INT */
	void *note;		     /* of a CALL: result of its check() for its lower() */
	unsigned int height, weight; /* levels of its tree; nodes, counted per use. 0: not computed yet */
};

enum statement_kind {
	STATEMENT_EXPRESSION, /* also an action or an aggregation */
	STATEMENT_IF,	      /* an extension: if (a) { then } else { otherwise } */
	STATEMENT_BLOCK,      /* then */
};

struct statement {
	enum statement_kind kind;
	struct node *expression;
	struct statement *then, *otherwise;
	struct statement *next;
	const char *file;
	int line;
};

/* provider:module:function:name, as written; missing fields are "". */
struct probe_spec {
	const char *text; /* the whole description */
	const char *provider, *module, *function, *name;
	bool is_id; /* a number: the probe with that id. All fields are "" and match nothing until the id is resolved */
	uint64_t id;
	unsigned int beam; /* an Erlang function: its number in the program, from 1; 0: another probe (beam_spec.h) */
	const char *file;
	int line;
	struct probe_spec *next;
};

struct clause {
	struct probe_spec *specs;
	struct node *predicate; /* NULL: none */
	struct statement *body; /* NULL with has_body: {} */
	bool has_body;		/* false: the default action */
	const char *file;
	int line;
	unsigned int id; /* from 1, in program order, over all programs of a command */
	struct clause *next;
};

/* One declared name: "int x", "self string y[int]", "inline int z = 1". A typedef is already in the type table. */
struct declaration {
	const char *name;
	enum scope scope;
	struct type *type;  /* TYPE_ASSOC for x[int, string] */
	struct node *value; /* of an inline */
	bool is_inline, is_extern;
	bool is_prelude;	    /* from the prelude */
	struct declaration *params; /* of an inline function: name[type name, ...] */
	const char *file;
	int line;
	struct declaration *next;
	struct clause *before; /* the next clause, NULL: none. A name refers to earlier declarations only. */
};

/* #pragma D option NAME=VALUE, and others. */
struct pragma {
	const char *name;	 /* "option", "attributes", "binding", "depends_on", "error", "line" */
	const char *key, *value; /* of an option; value NULL: none */
	const char *file;
	int line;
	struct pragma *next;
};

/* translator OUTPUT < INPUT name > { member = expression; ... } */
struct translator_member {
	const char *name;
	struct node *value;
	struct translator_member *next;
};

struct d_translator {
	struct type *to, *from;
	const char *input; /* name of its input */
	bool is_prelude;   /* from the prelude: checked where it is used */
	struct translator_member *members;
	const char *file;
	int line;
	struct d_translator *next;
};

/* provider NAME { probe NAME(parameters); ... }: probes of the user's own program, for its header file. */
struct declared_probe {
	const char *name; /* as written: "request__start" */
	struct declaration *params;
	struct declared_probe *next;
};

struct declared_provider {
	const char *name;
	struct declared_probe *probes;
	struct declared_provider *next;
};

/* For checked nodes: true for the constant 0; true for an address in memory of alloca() or copyin(). */
bool node_is_zero(const struct node *node);
bool node_is_scratch(const struct node *node);

const char *op_text(enum node_op op); /* as written; OP_NONE: assignment, "=" */

struct program {
	struct clause *clauses;
	struct declaration *declarations;
	struct pragma *pragmas;
	struct d_translator *translators;
	struct declared_provider *providers;
	size_t spec_count, translator_count;
	unsigned int beam_count; /* number of descriptions of Erlang functions */
};

/* tree.c: -x tree, the syntax tree in the form that DTrace prints. */

/* Before checking, few nodes have a type. */
void tree_print(FILE *to, struct type_table *types, const struct clause *clauses);

#endif
