/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the parser share. After an error the parser is broken: every token is TOKEN_END
 * until parse() has found a place to go on, so loops end and functions return what they have. No function
 * returns NULL where a node or type is expected, broken or not.
 */
#ifndef ERLBPF_D_SYNTAX_PARSE_INTERNAL_H
#define ERLBPF_D_SYNTAX_PARSE_INTERNAL_H

#include "base/names.h"
#include "d/lang/fold.h"
#include "d/syntax/lex.h"
#include "d/syntax/parse.h"

/* Of a program. Each is compared with all probes, or with all others; scripts have some hundreds. */
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
	const char *file; /* of the token that was taken last */
	int line;
	unsigned int depth;		   /* of parentheses, operators, blocks, declarators in one another */
	unsigned int braces;		   /* that are open */
	struct declaration **declarations; /* where the next one goes */
	struct declaration *pending;	   /* the first one that no clause follows yet */
	struct clause *last;		   /* of the program so far */
	struct names variables;		   /* declared global ones */
};

/* Tokens (parse.c). */
int parse_peek(struct parser *parser);
void parse_next(struct parser *parser);
bool parse_take(struct parser *parser, int kind);
bool parse_expect(struct parser *parser, int kind, const char *what);
/* A name: of a variable, member, type; keywords are not. */
const char *parse_name(struct parser *parser, const char *what);

/* At the next token. Only the first error up to a place to go on counts. */
__attribute__((format(printf, 3, 4))) void parse_error(struct parser *parser, const char *tag, const char *format, ...);
/* D_SYNTAX, with what is there. */
void parse_expected(struct parser *parser, const char *what);

/* False, and an error: too deep. To be left whatever it returns. */
bool parse_enter(struct parser *parser);
void parse_leave(struct parser *parser);

/* A condition in front of the clause's predicate. */
void parse_require(struct parser *parser, struct clause *clause, struct node *condition);

/* Expressions (parse_expression.c). */
struct node *parse_expression(struct parser *parser);  /* a whole one, with commas */
struct node *parse_value(struct parser *parser);       /* a whole one, without */
struct node *parse_conditional(struct parser *parser); /* no assignment: what a constant is */
/* An integer constant that types need: false if it is none. */
bool parse_constant(struct parser *parser, const struct node *node, struct folded *result);
bool parse_count(struct parser *parser, const struct node *node, uint64_t *count); /* nor if it is negative */

/* Types and declarations (parse_specifiers.c, parse_declarator.c, parse_declaration.c). */
bool parse_at_type(struct parser *parser);
bool parse_at_cast(struct parser *parser);	     /* behind a "(" */
struct type *parse_type_name(struct parser *parser); /* of a cast */
/* What parse_is_variable() looks among. */
void parse_know(struct parser *parser, struct declaration *declaration);
void parse_external(struct parser *parser); /* anything between clauses that is no clause */

/* parse_rename.c: clauses whose probes have other arguments in the catalogue. */

struct clause;
struct node;

/* The text as an expression, at the place of the clause. NULL: it is none, which is said. */
struct node *parse_text_at(struct parser *parser, const char *text, const struct clause *clause);

/* Wherever the clause has the built-in variable, the expression of the text is meant, which may have it itself. */
void parse_rename(struct parser *parser, struct clause *clause, const char *variable, const char *text);

/* For a clause with descriptions beam*:MODULE:FUNCTION:entry, which functions it means becomes a condition. */
void parse_beam_names(struct parser *parser, struct clause *clause);

/* For a clause with descriptions app*:::NAME, the names become a condition of its predicate. */
void parse_app_names(struct parser *parser, struct clause *clause);

#endif
