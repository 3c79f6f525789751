// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads characters once, from left to right. It handles text between tokens: blanks, comments, and control lines
 * ("#pragma D option", "# 12 \"file\"" of the preprocessor, "#!" of a script).
 */
#include "d/syntax/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "d/types/kernel_types.h"
#include "d/syntax/macro.h"

/* DTrace also reserves "counter", without a use; <linux/bpf.h> has a member with that name. */
static const char *const keywords[] = {
	"auto",	      "break",	 "case",     "char",	 "const",    "continue", "default",  "do",     "double",
	"else",	      "enum",	 "extern",   "float",	 "for",	     "goto",	 "if",	     "import", "inline",
	"int",	      "long",	 "offsetof", "probe",	 "provider", "register", "restrict", "return", "self",
	"short",      "signed",	 "sizeof",   "static",	 "string",   "stringof", "struct",   "switch", "this",
	"translator", "typedef", "union",    "unsigned", "userland", "void",	 "volatile", "while",  "xlate",
};

_Static_assert(sizeof(keywords) / sizeof(*keywords) == KEYWORD_XLATE - KEYWORD_AUTO + 1, "a name for each keyword");

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_ident_start(int c)
{
	return isalpha(c) || c == '_' || c == '`';
}

static bool is_ident(int c)
{
	return isalnum(c) || c == '_' || c == '`';
}

/* In probe descriptions. Names of versioned and C++ functions contain '@', '+' and '~'. */
static bool is_spec(int c)
{
	return c && (isalnum(c) || strchr("-$:_.?*\\[]!`@+~", c));
}

static int peek(const struct lexer *lexer, size_t ahead)
{
	return ahead < (size_t)(lexer->end - lexer->at) ? (unsigned char)lexer->at[ahead] : 0;
}

void lex_start(struct lexer *lexer, const char *text, size_t size)
{
	lexer->at = text;
	lexer->end = text + size;
	lexer->file = NULL;
	lexer->line = 1;
	lexer->is_line_start = true;
	lexer->in_predicate = false;
}

/* --- Between tokens --- */

/* False: it is not closed. */
static bool skip_comment(struct lexer *lexer)
{
	int line = lexer->line;

	for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
		if (peek(lexer, 0) == '\n')
			lexer->line++;
		if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
			lexer->at += 2;
			return true;
		}
		if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*') {
			diag_error(lexer->diag, lexer->file, lexer->line, "D_SYNTAX",
				   "invalid comment: \"/*\" inside a comment");
			return false;
		}
	}
	diag_error(lexer->diag, lexer->file, line, "D_SYNTAX", "unterminated comment: \"*/\" is missing");
	return false;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

/* A "#" line, without its newline. */
static bool take_control_line(struct lexer *lexer)
{
	const char *end = line_end(lexer->at, lexer->end);
	const char *text = lexer->at + 1;
	bool is_ok;

	lexer->at = end;
	is_ok = pragma_line(lexer, text, (size_t)(end - text));
	return is_ok;
}

/* In a predicate, of two slashes before a star, the first ends the predicate and the second opens a comment. */
static bool at_line_comment(const struct lexer *lexer)
{
	return peek(lexer, 0) == '/' && peek(lexer, 1) == '/' && !(lexer->in_predicate && peek(lexer, 2) == '*');
}

/* Skips to the next token. False after an error. */
static bool skip_blanks(struct lexer *lexer)
{
	while (lexer->at < lexer->end) {
		int c = peek(lexer, 0);

		if (c == '\n') {
			lexer->line++;
			lexer->is_line_start = true;
			lexer->at++;
		} else if (is_blank(c)) {
			lexer->at++;
		} else if (c == '\\' && peek(lexer, 1) == '\n') {
			lexer->line++;
			lexer->at += 2;
		} else if (c == '/' && peek(lexer, 1) == '*') {
			if (!skip_comment(lexer))
				return false;
		} else if (at_line_comment(lexer)) {
			lexer->at = line_end(lexer->at, lexer->end);
		} else if (c == '#' && lexer->is_line_start) {
			if (!take_control_line(lexer))
				return false;
		} else {
			break;
		}
	}
	lexer->is_line_start = false;
	return true;
}

static void lex_error(struct lexer *lexer, struct token *token, const char *tag, const char *text)
{
	diag_error(lexer->diag, token->file, token->line, tag, "%s", text);
	token->kind = TOKEN_ERROR;
}

/* --- Numbers --- */

static bool take_suffix(struct token *token, const char *at, size_t size)
{
	size_t i = 0;

	if (i < size && (at[i] == 'u' || at[i] == 'U')) {
		token->is_unsigned = true;
		i++;
	}
	while (i < size && token->longs < 2 && (at[i] == 'l' || at[i] == 'L')) {
		token->longs++;
		i++;
	}
	if (i < size && !token->is_unsigned && (at[i] == 'u' || at[i] == 'U')) {
		token->is_unsigned = true;
		i++;
	}
	return i == size;
}

static int digit_value(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : 99;
}

/* Parses digits of a base and a suffix, which must be all of `text`. NULL, or an error tag. */
static const char *read_number(struct token *token, const char *text, size_t size)
{
	unsigned int base = 10;
	size_t i = 0, first;

	if (size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		i = 2;
	} else if (size > 1 && text[0] == '0' && isdigit((unsigned char)text[1])) {
		base = 8;
		i = 1;
	}
	token->kind = TOKEN_INT;
	token->is_decimal = base == 10 && !(size == 1 && *text == '0');
	for (first = i; i < size && digit_value((unsigned char)text[i]) < (base == 16 ? 16 : 10); i++) {
		unsigned int digit = (unsigned int)digit_value((unsigned char)text[i]);

		if (digit >= base)
			return "D_INT_DIGIT";
		if (__builtin_mul_overflow(token->value, (uint64_t)base, &token->value) ||
		    __builtin_add_overflow(token->value, (uint64_t)digit, &token->value))
			return "D_INT_OFLOW";
	}
	if (i == first || !take_suffix(token, text + i, size - i))
		return "D_SYNTAX";
	return NULL;
}

static bool looks_like_float(const char *text, size_t size)
{
	bool is_hex = size > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return memchr(text, '.', size) || (!is_hex && (memchr(text, 'e', size) || memchr(text, 'E', size)));
}

static void lex_number(struct lexer *lexer, struct token *token)
{
	size_t size = 0;
	const char *tag;

	while (isalnum(peek(lexer, size)) || peek(lexer, size) == '_' || peek(lexer, size) == '.')
		size++;
	lexer->at += size;
	tag = read_number(token, token->start, size);
	if (!tag)
		return;
	if (strcmp(tag, "D_SYNTAX") == 0 && looks_like_float(token->start, size))
		lex_error(lexer, token, tag, "invalid constant: D has no floating-point numbers");
	else if (strcmp(tag, "D_INT_DIGIT") == 0)
		lex_error(lexer, token, tag, "invalid octal constant: its digits are 0 to 7");
	else
		lex_error(lexer, token, tag,
			  arena_printf(lexer->arena,
				       strcmp(tag, "D_SYNTAX") == 0
					       ? "syntax error near \"%.*s\": it is not a number"
					       : "integer constant \"%.*s\": it does not fit 64 bits",
				       (int)(size < 100 ? size : 100), token->start));
}

/* --- Text --- */

static int escape_octal(const char **at, const char *end)
{
	int value = 0;

	for (int i = 0; i < 3 && *at < end && **at >= '0' && **at <= '7'; i++, (*at)++)
		value = value * 8 + **at - '0';
	return value & 0xff;
}

static int escape_hex(const char **at, const char *end)
{
	int value = 0;

	for (; *at < end && isxdigit((unsigned char)**at); (*at)++)
		value = (value * 16 + digit_value((unsigned char)**at)) & 0xff;
	return value;
}

/* `*at` is after the backslash. */
static int escape(const char **at, const char *end)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *found;

	if (**at >= '0' && **at <= '7')
		return escape_octal(at, end);
	if (**at == 'x') {
		(*at)++;
		return escape_hex(at, end);
	}
	found = strchr(letters, **at);
	return (unsigned char)(found ? (++*at, values[found - letters]) : *(*at)++);
}

/* True for an escape; otherwise the backslash is literal. */
static bool is_escape(const char *at, const char *end)
{
	if (*at == 'x')
		return end - at > 1 && isxdigit((unsigned char)at[1]);
	return *at && strchr("01234567abfnrtv\\\"'?", *at);
}

/* The text with escapes resolved. */
static void set_text(struct lexer *lexer, struct token *token, const char *at, const char *end)
{
	char *text = arena_alloc(lexer->arena, (size_t)(end - at) + 1);
	size_t length = 0;

	while (at < end)
		if (*at == '\\' && end - at > 1 && is_escape(at + 1, end)) {
			at++;
			text[length++] = (char)escape(&at, end);
		} else {
			text[length++] = *at++;
		}
	token->text = text;
	token->length = length;
}

/* Takes the text from after the opening quote up to the closing one. */
static bool lex_quoted(struct lexer *lexer, struct token *token, char quote)
{
	const char *first = ++lexer->at, *end;

	while (lexer->at < lexer->end && *lexer->at != quote && *lexer->at != '\n')
		lexer->at += *lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n' ? 2 : 1;
	end = lexer->at;
	if (end >= lexer->end || *end == '\n')
		return false;
	lexer->at++;
	set_text(lexer, token, first, end);
	return true;
}

static void lex_string(struct lexer *lexer, struct token *token)
{
	token->kind = TOKEN_STRING;
	if (!lex_quoted(lexer, token, '"')) {
		if (lexer->at < lexer->end)
			lex_error(lexer, token, "D_STR_NL",
				  "unterminated string: '\"' is missing at the end of the line");
		else
			lex_error(lexer, token, "D_SYNTAX",
				  "unterminated string: '\"' is missing at the end of the program");
		return;
	}
	/* Strings end at their first NUL, as in C. */
	token->length = strlen(token->text);
}

/* 'a', or up to eight characters: the first is the most significant byte, as in gcc. */
static void lex_char(struct lexer *lexer, struct token *token)
{
	token->kind = TOKEN_INT;
	token->is_decimal = true;
	if (!lex_quoted(lexer, token, '\'')) {
		lex_error(lexer, token, "D_CHR_NL",
			  "unterminated character constant: \"'\" is missing at the end of the line");
		return;
	}
	if (!token->length)
		lex_error(lexer, token, "D_CHR_NULL", "invalid character constant: it is empty");
	if (token->length > sizeof(token->value))
		lex_error(lexer, token, "D_CHR_OFLOW", "invalid character constant: it has more than eight characters");
	if (token->kind == TOKEN_ERROR)
		return;
	for (size_t i = 0; i < token->length; i++)
		token->value = token->value << 8 | (unsigned char)token->text[i];
}

/* --- Words --- */

static int keyword_find(const char *text)
{
	size_t low = 0, high = sizeof(keywords) / sizeof(*keywords);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(text, keywords[middle]);

		if (order == 0)
			return KEYWORD_AUTO + (int)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return TOKEN_IDENT;
}

bool lex_is_keyword(const struct token *token)
{
	return token->kind >= KEYWORD_AUTO && token->kind <= KEYWORD_XLATE;
}

static void set_word(struct lexer *lexer, struct token *token, const char *text, size_t size)
{
	token->text = arena_strndup(lexer->arena, text, size);
	token->length = size;
	token->kind = keyword_find(token->text);
}

static void lex_word(struct lexer *lexer, struct token *token)
{
	size_t size = 1;

	while (is_ident(peek(lexer, size)))
		size++;
	set_word(lexer, token, lexer->at, size);
	lexer->at += size;
}

static void lex_agg(struct lexer *lexer, struct token *token)
{
	size_t size = 1;

	if (isalpha(peek(lexer, 1)) || peek(lexer, 1) == '_')
		while (isalnum(peek(lexer, size)) || peek(lexer, size) == '_')
			size++;
	token->kind = TOKEN_AGG;
	token->text = size > 1 ? arena_strndup(lexer->arena, lexer->at + 1, size - 1) : "_";
	lexer->at += size;
}

/* --- Macro variables --- */

static bool is_number_text(const char *text)
{
	char *end;

	(void)strtoull(text, &end, 0);
	if (end == text)
		return false;
	end += *end == 'u' || *end == 'U';
	for (int i = 0; i < 2; i++)
		end += *end == 'l' || *end == 'L';
	return !*end;
}

/* Escapes are resolved as in a string literal. */
static void set_string(struct lexer *lexer, struct token *token, const char *text, size_t length)
{
	token->kind = TOKEN_STRING;
	set_text(lexer, token, text, text + length);
	token->length = strlen(token->text);
}

static bool is_ident_text(const char *text)
{
	if (!is_ident_start((unsigned char)*text))
		return false;
	while (is_ident((unsigned char)*text))
		text++;
	return !*text;
}

/* The form of an argument determines its kind: a number, an identifier, otherwise a string (with or without quotes). */
static void set_argument(struct lexer *lexer, struct token *token, const char *text)
{
	size_t length = strlen(text);

	if (is_number_text(text)) {
		token->is_negative = *text == '-';
		if (*text == '-' || *text == '+')
			text++;
		if (read_number(token, text, strlen(text)))
			lex_error(lexer, token, "D_MACRO_OFLOW",
				  arena_printf(lexer->arena, "%.*s is %s, which does not fit 64 bits", (int)token->size,
					       token->start, text));
	} else if (is_ident_text(text)) {
		set_word(lexer, token, text, length);
	} else {
		bool has_quotes = length > 1 && *text == '"' && text[length - 1] == '"';

		set_string(lexer, token, text + has_quotes, length - 2 * (size_t)has_quotes);
	}
}

static void set_int(struct token *token, uint64_t value)
{
	token->kind = TOKEN_INT;
	token->is_decimal = true;
	token->value = value;
}

/* $name, $1; with two '$' as a string. */
static void lex_macro(struct lexer *lexer, struct token *token)
{
	bool is_string = peek(lexer, 1) == '$';
	const char *name = lexer->at + 1 + is_string;
	size_t size = macro_name_size(name);
	struct macro_value macro;

	lexer->at = name + size;
	token->size = (size_t)(lexer->at - token->start);
	if (!size) {
		lex_error(lexer, token, "D_SYNTAX",
			  "syntax error near \"$\": the name of a macro variable must follow");
		return;
	}
	macro = macro_value(lexer->arena, lexer->macros, name, size);
	if (macro.result == MACRO_UNDEFINED) {
		lex_error(lexer, token, "D_MACRO_UNDEF",
			  arena_printf(lexer->arena, "%.*s is not defined",
				       (int)(token->size < 100 ? token->size : 100), token->start));
	} else if (is_string) {
		set_string(lexer, token, macro.text, strlen(macro.text));
	} else if (macro.result == MACRO_INT) {
		set_int(token, macro.value);
	} else if (!*macro.text) {
		set_int(token, 0);
	} else {
		set_argument(lexer, token, macro.text);
	}
}

/* --- Operators --- */

/* Longer operators come before their prefixes. */
static const struct {
	char text[4];
	int kind;
} operators[] = {
	{ "...", TOKEN_ELLIPSIS }, { "<<=", TOKEN_SHL_SET }, { ">>=", TOKEN_SHR_SET }, { "++", TOKEN_ADD_ADD },
	{ "--", TOKEN_SUB_SUB },   { "->", TOKEN_ARROW },    { "<<", TOKEN_SHL },      { ">>", TOKEN_SHR },
	{ "<=", TOKEN_LE },	   { ">=", TOKEN_GE },	     { "==", TOKEN_EQ },       { "!=", TOKEN_NE },
	{ "&&", TOKEN_AND_AND },   { "||", TOKEN_OR_OR },    { "^^", TOKEN_XOR_XOR },  { "+=", TOKEN_ADD_SET },
	{ "-=", TOKEN_SUB_SET },   { "*=", TOKEN_MUL_SET },  { "/=", TOKEN_DIV_SET },  { "%=", TOKEN_MOD_SET },
	{ "&=", TOKEN_AND_SET },   { "|=", TOKEN_OR_SET },   { "^=", TOKEN_XOR_SET },
};

static void unexpected(struct lexer *lexer, struct token *token)
{
	int c = peek(lexer, 0);

	lexer->at++;
	lex_error(lexer, token, "D_SYNTAX",
		  arena_printf(lexer->arena,
			       isprint(c) ? "syntax error near \"%c\"" : "syntax error near character 0x%02x", c));
}

static void lex_operator(struct lexer *lexer, struct token *token)
{
	size_t left = (size_t)(lexer->end - lexer->at);

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t size = strlen(operators[i].text);

		if (size <= left && memcmp(lexer->at, operators[i].text, size) == 0) {
			token->kind = operators[i].kind;
			lexer->at += size;
			return;
		}
	}
	if (!peek(lexer, 0) || !strchr("+-*/%&|^~!<>=?:;,.()[]{}", peek(lexer, 0))) {
		unexpected(lexer, token);
		return;
	}
	token->kind = (unsigned char)*lexer->at++;
}

const char *lex_behind_blanks(const char *at, const char *end)
{
	while (at < end) {
		if (is_blank(*at) || *at == '\n') {
			at++;
		} else if (*at == '/' && end - at > 1 && at[1] == '*') {
			for (at += 2; at < end && !(*at == '*' && end - at > 1 && at[1] == '/'); at++)
				;
			at = at < end ? at + 2 : end;
		} else if (*at == '/' && end - at > 1 && at[1] == '/') {
			at = line_end(at, end);
		} else {
			break;
		}
	}
	return at;
}

/* In a predicate, '/' divides, unless the next token cannot be a divisor. */
static bool ends_predicate(const struct lexer *lexer)
{
	const char *next = lex_behind_blanks(lexer->at + 1, lexer->end);

	return next == lexer->end || strchr("{;/", *next);
}

static void lex_slash(struct lexer *lexer, struct token *token)
{
	if (lexer->in_predicate && ends_predicate(lexer)) {
		token->kind = TOKEN_PREDICATE_END;
		lexer->at++;
	} else {
		lex_operator(lexer, token);
	}
}

static void lex_expression(struct lexer *lexer, struct token *token)
{
	int c = peek(lexer, 0);

	if (isdigit(c) || (c == '.' && isdigit(peek(lexer, 1))))
		lex_number(lexer, token);
	else if (is_ident_start(c))
		lex_word(lexer, token);
	else if (c == '"')
		lex_string(lexer, token);
	else if (c == '\'')
		lex_char(lexer, token);
	else if (c == '@')
		lex_agg(lexer, token);
	else if (c == '$')
		lex_macro(lexer, token);
	else if (c == '/')
		lex_slash(lexer, token);
	else
		lex_operator(lexer, token);
}

/* --- Between clauses --- */

/* "gfp_t x": a kernel type if a name or a '*' follows. */
static bool is_kernel_type(struct lexer *lexer, const char *word)
{
	const char *next = lex_behind_blanks(lexer->at + strlen(word), lexer->end);

	return lexer->kernel && next < lexer->end && (is_ident_start((unsigned char)*next) || *next == '*') &&
	       kernel_types_named(lexer->kernel, word);
}

static bool begins_declaration(struct lexer *lexer, const char *word)
{
	switch (keyword_find(word)) {
	case TOKEN_IDENT: return type_named(lexer->types, word) || is_kernel_type(lexer, word);
	case KEYWORD_AUTO:
	case KEYWORD_CHAR:
	case KEYWORD_CONST:
	case KEYWORD_DOUBLE:
	case KEYWORD_ENUM:
	case KEYWORD_EXTERN:
	case KEYWORD_FLOAT:
	case KEYWORD_INLINE:
	case KEYWORD_INT:
	case KEYWORD_LONG:
	case KEYWORD_PROVIDER:
	case KEYWORD_REGISTER:
	case KEYWORD_RESTRICT:
	case KEYWORD_SELF:
	case KEYWORD_SHORT:
	case KEYWORD_SIGNED:
	case KEYWORD_STATIC:
	case KEYWORD_STRING:
	case KEYWORD_STRUCT:
	case KEYWORD_THIS:
	case KEYWORD_TRANSLATOR:
	case KEYWORD_TYPEDEF:
	case KEYWORD_UNION:
	case KEYWORD_UNSIGNED:
	case KEYWORD_USERLAND:
	case KEYWORD_VOID:
	case KEYWORD_VOLATILE: return true;
	default: return false;
	}
}

/* "int" begins a declaration, "int:::" and "int-x" are probes; "int*" is a declaration unless a colon follows. */
static bool is_declaration(struct lexer *lexer, size_t size)
{
	size_t word = 0;

	while (word < size && is_ident((unsigned char)lexer->at[word]))
		word++;
	if (!word || (word < size && lexer->at[word] != '*') || memchr(lexer->at, ':', size))
		return false;
	return begins_declaration(lexer, arena_strndup(lexer->arena, lexer->at, word));
}

/* "beam*:shop:order/2:entry": the arity of an Erlang function. A colon follows, which cannot follow a predicate. */
static bool begins_arity(const struct lexer *lexer, size_t at)
{
	size_t size = 1;

	if (peek(lexer, at) != '/' || !memchr(lexer->at, ':', at))
		return false;
	while (isdigit(peek(lexer, at + size)))
		size++;
	return size > 1 && peek(lexer, at + size) == ':';
}

static void lex_outer(struct lexer *lexer, struct token *token)
{
	size_t size = 0;

	while (is_spec(peek(lexer, size)) || begins_arity(lexer, size))
		size++;
	/* A number is the id of a probe. */
	if (!size || strspn(lexer->at, "0123456789") == size) {
		lex_expression(lexer, token);
		return;
	}
	if (is_declaration(lexer, size)) {
		token->kind = TOKEN_DECLARATION;
		return;
	}
	token->kind = TOKEN_SPEC;
	token->text = arena_strndup(lexer->arena, lexer->at, size);
	token->length = size;
	lexer->at += size;
}

void lex_next(struct lexer *lexer, enum lex_world world, struct token *token)
{
	bool is_ok = skip_blanks(lexer);

	*token = (struct token){ .kind = TOKEN_END, .file = lexer->file, .line = lexer->line, .start = lexer->at };
	if (!is_ok)
		token->kind = TOKEN_ERROR;
	else if (lexer->at >= lexer->end)
		token->kind = TOKEN_END;
	else if (world == LEX_OUTER)
		lex_outer(lexer, token);
	else
		lex_expression(lexer, token);
	token->size = (size_t)(lexer->at - token->start);
}

/* --- After an error --- */

static void skip_quoted(struct lexer *lexer, int quote)
{
	for (lexer->at++; lexer->at < lexer->end && peek(lexer, 0) != '\n'; lexer->at++) {
		if (peek(lexer, 0) == quote) {
			lexer->at++;
			return;
		}
		if (peek(lexer, 0) == '\\' && peek(lexer, 1) && peek(lexer, 1) != '\n')
			lexer->at++;
	}
}

void lex_skip(struct lexer *lexer, unsigned int braces, bool is_declaration)
{
	/* "struct { ... } x;" ends with ';', but an error before any brace can be a missing brace. */
	bool brace_ends = !is_declaration || !braces;
	size_t errors = lexer->diag->errors;

	lexer->in_predicate = false;
	while (skip_blanks(lexer) && lexer->at < lexer->end) {
		int c = peek(lexer, 0);

		if (c == '"' || c == '\'') {
			skip_quoted(lexer, c);
			continue;
		}
		lexer->at++;
		if (c == '{')
			braces++;
		if (c == ';' && !braces)
			return;
		if (c == '}' && braces <= 1 && brace_ends) {
			if (skip_blanks(lexer) && peek(lexer, 0) == ';')
				lexer->at++;
			return;
		}
		if (c == '}' && braces)
			braces--;
	}
	/* An open comment or a bad control line: the rest has no meaning. */
	if (lexer->diag->errors != errors)
		lexer->at = lexer->end;
}
