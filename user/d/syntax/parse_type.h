/* SPDX-License-Identifier: BSD-2-Clause */
/* Data passed between parts of a declaration: specifiers, and declarators as lists of derivations. */
#ifndef ERLBPF_D_SYNTAX_PARSE_TYPE_H
#define ERLBPF_D_SYNTAX_PARSE_TYPE_H

#include "d/syntax/parse_internal.h"

enum storage {
	STORAGE_NONE,
	STORAGE_AUTO,
	STORAGE_REGISTER,
	STORAGE_STATIC,
	STORAGE_EXTERN,
	STORAGE_TYPEDEF,
	STORAGE_SELF,
	STORAGE_THIS,
};

struct specifiers {
	struct type *type;
	enum storage storage;
	unsigned int longs, shorts;
	bool is_signed, is_unsigned, is_user,
		defines; /* defines: a struct, union or enum, which is valid without a declarator */
};

/* PROBE, OUTPUT: not types, but the parentheses of a probe before and after the colon. */
enum derived { DERIVED_POINTER, DERIVED_ARRAY, DERIVED_ASSOC, DERIVED_FUNCTION, DERIVED_PROBE, DERIVED_OUTPUT };

struct derivation {
	enum derived kind;
	bool is_user;
	bool has_count;
	uint64_t count;
	struct declaration *params;
	struct derivation *next;
};

struct declarator {
	const char *name; /* NULL: abstract */
	const char *file;
	int line;
	struct derivation *derivations, **end;
	size_t count; /* number of elements */
};

#define KERNEL_SCOPE "vmlinux`" /* prefix of kernel types */

/* Specifiers (parse_specifiers.c). */
struct type *parse_type_at(struct parser *parser); /* the type named by the next token; NULL */
/* Completes a struct, union or enum that the program only names, from the kernel's types. */
void parse_complete(struct parser *parser, struct type *type);
enum storage parse_storage(int token);
bool parse_attribute(struct parser *parser, struct specifiers *specifiers); /* false: another token */
bool parse_has_attributes(const struct specifiers *specifiers);
bool parse_specifiers(struct parser *parser, struct specifiers *specifiers); /* false: none */

/* struct, union, enum, at their keyword (parse_struct.c). */
struct type *parse_tagged(struct parser *parser, struct specifiers *specifiers);

/* Declarators (parse_declarator.c). */
void parse_params(struct parser *parser, struct derivation *of, int closing, const char *what);
void parse_declarator(struct parser *parser, struct declarator *declarator);
struct type *parse_declared_type(struct parser *parser, const struct specifiers *specifiers,
				 const struct declarator *declarator);

/* A provider, at its keyword (parse_provider.c). */
void parse_provider(struct parser *parser);

/* Names (parse_declaration.c). */
const char *parse_own_name(struct parser *parser, const char *what);   /* not a kernel symbol */
bool parse_is_variable(const struct parser *parser, const char *name); /* or a function */

#endif
