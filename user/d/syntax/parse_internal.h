/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the parser. After an error the parser is broken: every token is TOKEN_END until parse()
 * resumes, so loops end and functions return what they have. Functions never return NULL for a node or type, broken or
 * not.
 */
#ifndef ERLBPF_D_SYNTAX_PARSE_INTERNAL_H
#define ERLBPF_D_SYNTAX_PARSE_INTERNAL_H

#include "base/names.h"
#include "d/lang/fold.h"
#include "d/syntax/lex.h"
#include "d/syntax/parse.h"

/* In a program. Each is compared with all probes, or with all others; scripts have a few hundred. */
#define PARSE_SPECS_MOST 10000
#define PARSE_TRANSLATORS_MOST 1000
#define PARSE_PARAMS_MOST 1000

struct parser {
	struct arena *arena;
	struct type_table *types;
	struct diag *diag;
	const struct parse_input *input;
	struct program *program;
	struct lexer lexer;
	enum lex_world world;
	struct token token; /* the next one, if has_token */
	bool has_token, is_broken, in_declaration;
	const char *file; /* of the last token */
	int line;
	unsigned int depth;		   /* of nested parentheses, operators, blocks, declarators */
	unsigned int braces;		   /* open ones */
	struct declaration **declarations; /* end of the list */
	struct declaration *pending;	   /* the first one since the last clause */
	struct clause *last;		   /* clause so far */
	struct names variables;		   /* declared global variables */
};

/* Tokens (parse.c). */
int parse_peek(struct parser *parser);
void parse_next(struct parser *parser);
bool parse_take(struct parser *parser, int kind);
bool parse_expect(struct parser *parser, int kind, const char *what);
/* A name of a variable, member or type; not a keyword. */
const char *parse_name(struct parser *parser, const char *what);

/* At the next token. Only the first error until parsing resumes is reported. */
__attribute__((format(printf, 3, 4))) void parse_error(struct parser *parser, const char *tag, const char *format, ...);
/* D_SYNTAX, with the text at the error. */
void parse_expected(struct parser *parser, const char *what);

/* False, with an error: nested too deeply. Call parse_leave() in any case. */
bool parse_enter(struct parser *parser);
void parse_leave(struct parser *parser);

/* Adds a condition before the predicate of the clause. */
void parse_require(struct parser *parser, struct clause *clause, struct node *condition);

/* Expressions (parse_expression.c). */
struct node *parse_expression(struct parser *parser);  /* including commas */
struct node *parse_value(struct parser *parser);       /* without commas */
struct node *parse_conditional(struct parser *parser); /* no assignment: for constants */
/* An integer constant for a type: false if it is not constant. */
bool parse_constant(struct parser *parser, const struct node *node, struct folded *result);
bool parse_count(struct parser *parser, const struct node *node, uint64_t *count); /* false also if negative */

/* Types and declarations (parse_specifiers.c, parse_declarator.c, parse_declaration.c). */
bool parse_at_type(struct parser *parser);
bool parse_at_cast(struct parser *parser);	     /* after a "(" */
struct type *parse_type_name(struct parser *parser); /* in a cast */
/* Registers a name for parse_is_variable(). */
void parse_know(struct parser *parser, struct declaration *declaration);
void parse_external(struct parser *parser); /* anything between clauses except a clause */

/* parse_rename.c: clauses whose probes have other arguments in the catalogue. */

struct clause;
struct node;

/* Parses the text as an expression, at the position of the clause. NULL: an error, reported. */
struct node *parse_text_at(struct parser *parser, const char *text, const struct clause *clause);

/* Replaces each use of a built-in variable in the clause by the expression, which may contain the variable itself. */
void parse_rename(struct parser *parser, struct clause *clause, const char *variable, const char *text);

/* For beam*:MODULE:FUNCTION:entry: adds a condition on the functions. */
void parse_beam_names(struct parser *parser, struct clause *clause);

/* For app*:::NAME: adds a condition on the names to the predicate. */
void parse_app_names(struct parser *parser, struct clause *clause);

#endif
