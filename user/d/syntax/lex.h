/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lexer: characters to tokens. D has two lexical modes, which the parser selects: between clauses there are probe
 * descriptions, where '*', '-' and ':' are letters; in clauses and declarations there are C tokens. The arena owns all
 * data of tokens.
 */
#ifndef ERLBPF_D_SYNTAX_LEX_H
#define ERLBPF_D_SYNTAX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d/lang/ast.h"
#include "d/lang/diag.h"
#include "d/syntax/parse.h"

/* A single-character token is that character. */
enum token_kind {
	TOKEN_END = 0,
	TOKEN_ERROR = 256, /* already reported */
	TOKEN_INT,
	TOKEN_STRING,
	TOKEN_IDENT,
	TOKEN_AGG,
	TOKEN_SPEC,	     /* a probe description */
	TOKEN_DECLARATION,   /* start of a declaration: an empty token, then tokens in expression mode */
	TOKEN_PREDICATE_END, /* the '/' before "{" */

	TOKEN_ADD_ADD,
	TOKEN_SUB_SUB,
	TOKEN_ARROW,
	TOKEN_SHL,
	TOKEN_SHR,
	TOKEN_LE,
	TOKEN_GE,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_AND_AND,
	TOKEN_OR_OR,
	TOKEN_XOR_XOR,
	TOKEN_ELLIPSIS,
	TOKEN_ADD_SET,
	TOKEN_SUB_SET,
	TOKEN_MUL_SET,
	TOKEN_DIV_SET,
	TOKEN_MOD_SET,
	TOKEN_AND_SET,
	TOKEN_OR_SET,
	TOKEN_XOR_SET,
	TOKEN_SHL_SET,
	TOKEN_SHR_SET,

	KEYWORD_AUTO,
	KEYWORD_BREAK,
	KEYWORD_CASE,
	KEYWORD_CHAR,
	KEYWORD_CONST,
	KEYWORD_CONTINUE,
	KEYWORD_DEFAULT,
	KEYWORD_DO,
	KEYWORD_DOUBLE,
	KEYWORD_ELSE,
	KEYWORD_ENUM,
	KEYWORD_EXTERN,
	KEYWORD_FLOAT,
	KEYWORD_FOR,
	KEYWORD_GOTO,
	KEYWORD_IF,
	KEYWORD_IMPORT,
	KEYWORD_INLINE,
	KEYWORD_INT,
	KEYWORD_LONG,
	KEYWORD_OFFSETOF,
	KEYWORD_PROBE,
	KEYWORD_PROVIDER,
	KEYWORD_REGISTER,
	KEYWORD_RESTRICT,
	KEYWORD_RETURN,
	KEYWORD_SELF,
	KEYWORD_SHORT,
	KEYWORD_SIGNED,
	KEYWORD_SIZEOF,
	KEYWORD_STATIC,
	KEYWORD_STRING,
	KEYWORD_STRINGOF,
	KEYWORD_STRUCT,
	KEYWORD_SWITCH,
	KEYWORD_THIS,
	KEYWORD_TRANSLATOR,
	KEYWORD_TYPEDEF,
	KEYWORD_UNION,
	KEYWORD_UNSIGNED,
	KEYWORD_USERLAND,
	KEYWORD_VOID,
	KEYWORD_VOLATILE,
	KEYWORD_WHILE,
	KEYWORD_XLATE,
};

struct token {
	int kind;
	const char *file;
	int line;
	const char *start; /* in the source */
	size_t size;
	const char *text; /* of strings, identifiers, keywords, aggregations (without '@'), descriptions */
	size_t length;
	uint64_t value;	  /* of an int */
	bool is_negative; /* from a macro argument "-5" */
	bool is_decimal, is_unsigned;
	unsigned int longs;
};

enum lex_world { LEX_OUTER, LEX_EXPRESSION };

struct lexer {
	struct arena *arena;
	struct type_table *types;
	struct kernel_types *kernel; /* NULL: kernel types are unknown */
	struct diag *diag;
	struct macros *macros;
	struct pragma **pragmas; /* end of the list */
	const char *at, *end;
	const char *file;
	int line;
	bool is_line_start, in_predicate;
};

void lex_start(struct lexer *lexer, const char *text, size_t size);

/* The next token. At the end of the text, always TOKEN_END. */
void lex_next(struct lexer *lexer, enum lex_world world, struct token *token);

/* After an error: skips the enclosing clause or declaration, with `braces` open. */
void lex_skip(struct lexer *lexer, unsigned int braces, bool is_declaration);

/* The next significant character, without control lines: lookahead only. */
const char *lex_behind_blanks(const char *at, const char *end);

bool lex_is_keyword(const struct token *token);

/* pragma.c: control lines. "#pragma D option x=y", "#line", lines that the preprocessor adds, and "#!" of a script. */

/* One line, without its '#' and its newline. False: the error is in diag. */
bool pragma_line(struct lexer *lexer, const char *text, size_t size);

#endif
