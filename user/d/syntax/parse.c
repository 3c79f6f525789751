// SPDX-License-Identifier: BSD-2-Clause
/*
 * The program: clauses, with probe descriptions, predicates and statements. Declarations and expressions have their own
 * files. Input is the text of one program, output the tree of ast.h.
 */
#include "d/syntax/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "d/syntax/macro.h"
#include "d/syntax/parse_internal.h"

#define FIELDS 4
#define NEAR_MOST 40 /* characters of the program in a message */

/* --- Tokens --- */

int parse_peek(struct parser *parser)
{
	if (parser->is_broken)
		return TOKEN_END;
	if (!parser->has_token) {
		lex_next(&parser->lexer, parser->world, &parser->token);
		parser->has_token = true;
		/* The lexer has reported an error and skipped its text. */
		if (parser->token.kind == TOKEN_ERROR) {
			parser->is_broken = true;
			parser->has_token = false;
			return TOKEN_END;
		}
	}
	return parser->token.kind;
}

void parse_next(struct parser *parser)
{
	int kind = parse_peek(parser);

	if (parser->is_broken)
		return;
	parser->file = parser->token.file;
	parser->line = parser->token.line;
	parser->has_token = false;
	if (kind == '{')
		parser->braces++;
	if (kind == '}' && parser->braces)
		parser->braces--;
}

bool parse_take(struct parser *parser, int kind)
{
	if (parse_peek(parser) != kind)
		return false;
	parse_next(parser);
	return true;
}

void parse_error(struct parser *parser, const char *tag, const char *format, ...)
{
	char text[400];
	va_list args;

	parse_peek(parser);
	if (parser->is_broken)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diag_error(parser->diag, parser->token.file, parser->token.line, tag, "%s", text);
	parser->is_broken = true;
	/* Skipping starts with this token. */
	parser->has_token = false;
	parser->lexer.at = parser->token.start;
	parser->lexer.line = parser->token.line;
}

void parse_expected(struct parser *parser, const char *what)
{
	size_t size;

	if (parse_peek(parser) == TOKEN_END) {
		parse_error(parser, "D_SYNTAX", "syntax error near end of input: %s is expected", what);
		return;
	}
	size = parser->token.size ? parser->token.size : strcspn(parser->token.start, " \t\r\n;{}");
	parse_error(parser, "D_SYNTAX", "syntax error near \"%.*s%s\": %s is expected",
		    (int)(size < NEAR_MOST ? size : NEAR_MOST), parser->token.start, size > NEAR_MOST ? "..." : "",
		    what);
}

bool parse_expect(struct parser *parser, int kind, const char *what)
{
	if (parse_take(parser, kind))
		return true;
	parse_expected(parser, what);
	return false;
}

const char *parse_name(struct parser *parser, const char *what)
{
	const char *name;

	if (parse_peek(parser) != TOKEN_IDENT) {
		parse_expected(parser, what);
		return "";
	}
	name = parser->token.text;
	parse_next(parser);
	return name;
}

bool parse_enter(struct parser *parser)
{
	if (++parser->depth <= NESTING_MOST)
		return true;
	parse_error(parser, "D_SYNTAX", "program nests too deeply");
	return false;
}

void parse_leave(struct parser *parser)
{
	parser->depth--;
}

/* --- Probe descriptions --- */

/* "pid$target", "lib$1.so": macro variables are text here. NULL and an error if one is undefined. */
static const char *expand_field(struct parser *parser, const char *field)
{
	const char *text = "";

	for (const char *dollar; (dollar = strchr(field, '$'));) {
		const char *name = dollar + 1 + (dollar[1] == '$');
		size_t size = macro_name_size(name);
		struct macro_value macro = { .result = MACRO_UNDEFINED };

		if (size)
			macro = macro_value(parser->arena, parser->input->macros, name, size);
		if (macro.result == MACRO_UNDEFINED) {
			parse_error(parser, "D_PDESC_INVAL",
				    "invalid probe description \"%.100s\": $%.*s is not defined", parser->token.text,
				    (int)(size < NEAR_MOST ? size : NEAR_MOST), name);
			return NULL;
		}
		text = arena_printf(parser->arena, "%s%.*s%s", text, (int)(dollar - field), field, macro.text);
		field = name + size;
	}
	return *text ? arena_printf(parser->arena, "%s%s", text, field) : field;
}

/* Fields from the right: "name", "function:name" ... A missing field matches everything. */
static bool set_fields(struct parser *parser, struct probe_spec *spec)
{
	const char **fields[FIELDS] = { &spec->provider, &spec->module, &spec->function, &spec->name };
	size_t last = parser->input->fields ? parser->input->fields : FIELDS;
	char *text = arena_strdup(parser->arena, spec->text), *colon;
	const char *parts[FIELDS];
	size_t count = 0;

	spec->provider = spec->module = spec->function = spec->name = "";
	do {
		colon = strrchr(text, ':');
		if (count == last) {
			parse_error(parser, "D_PDESC_INVAL",
				    "invalid probe description \"%.100s\": it has more than %zu fields", spec->text,
				    last);
			return false;
		}
		parts[count] = expand_field(parser, colon ? colon + 1 : text);
		if (!parts[count])
			return false;
		count++;
		if (colon)
			*colon = '\0';
	} while (colon);
	for (size_t i = 0; i < count; i++)
		*fields[last - 1 - i] = parts[i];
	return true;
}

/* spec: DESCRIPTION | NUMBER */
static struct probe_spec *parse_spec(struct parser *parser)
{
	struct probe_spec *spec = arena_alloc(parser->arena, sizeof(*spec));

	spec->provider = spec->module = spec->function = spec->name = "";
	spec->text = "";
	switch (parse_peek(parser)) {
	case TOKEN_SPEC:
		spec->text = parser->token.text;
		set_fields(parser, spec);
		break;
	case TOKEN_INT:
		spec->is_id = true;
		spec->id = parser->token.value;
		spec->text = arena_strndup(parser->arena, parser->token.start, parser->token.size);
		break;
	default: parse_expected(parser, "a probe description or a declaration");
	}
	if (++parser->program->spec_count == PARSE_SPECS_MOST + 1)
		parse_error(parser, "D_UNKNOWN", "too many probe descriptions: at most %d are possible",
			    PARSE_SPECS_MOST);
	spec->file = parser->token.file;
	spec->line = parser->token.line;
	parse_next(parser);
	return spec;
}

/* specs: spec { "," spec } */
static struct probe_spec *parse_specs(struct parser *parser)
{
	struct probe_spec *first = parse_spec(parser), *last = first;

	while (parse_take(parser, ',')) {
		last->next = parse_spec(parser);
		last = last->next;
	}
	return first;
}

/* --- Statements --- */

static struct statement *parse_statement(struct parser *parser);

static struct statement *statement_new(struct parser *parser, enum statement_kind kind)
{
	struct statement *statement = arena_alloc(parser->arena, sizeof(*statement));

	parse_peek(parser);
	statement->kind = kind;
	statement->file = parser->token.file;
	statement->line = parser->token.line;
	return statement;
}

/* statements: { statement }, up to the "}" */
static struct statement *parse_statements(struct parser *parser)
{
	struct statement *first = NULL, **end = &first;

	while (parse_peek(parser) != '}' && parse_peek(parser) != TOKEN_END) {
		if (parse_take(parser, ';'))
			continue;
		*end = parse_statement(parser);
		end = &(*end)->next;
	}
	return first;
}

/* "{" statements "}" */
static struct statement *parse_block(struct parser *parser)
{
	struct statement *first = NULL;

	if (parse_enter(parser)) {
		parse_expect(parser, '{', "\"{\"");
		first = parse_statements(parser);
		parse_expect(parser, '}', "\"}\"");
	}
	parse_leave(parser);
	return first;
}

/* The body of an if: one statement, possibly empty. */
static struct statement *parse_branch(struct parser *parser)
{
	struct statement *branch = NULL;

	if (parse_enter(parser) && !parse_take(parser, ';'))
		branch = parse_statement(parser);
	parse_leave(parser);
	return branch;
}

/* if: "if" "(" expression ")" statement [ "else" statement ] */
static struct statement *parse_if(struct parser *parser)
{
	struct statement *statement = statement_new(parser, STATEMENT_IF);

	parse_next(parser);
	parse_expect(parser, '(', "\"(\"");
	statement->expression = parse_expression(parser);
	parse_expect(parser, ')', "\")\"");
	statement->then = parse_branch(parser);
	if (parse_take(parser, KEYWORD_ELSE))
		statement->otherwise = parse_branch(parser);
	return statement;
}

/* statement: if | "{" statements "}" | expression [ ";" ]; only the last one in a block can omit ";" */
static struct statement *parse_statement(struct parser *parser)
{
	struct statement *statement;

	if (parse_peek(parser) == KEYWORD_IF)
		return parse_if(parser);
	if (parse_peek(parser) == '{') {
		statement = statement_new(parser, STATEMENT_BLOCK);
		statement->then = parse_block(parser);
		return statement;
	}
	statement = statement_new(parser, STATEMENT_EXPRESSION);
	statement->expression = parse_expression(parser);
	if (!parse_take(parser, ';') && parse_peek(parser) != '}')
		parse_expected(parser, "\";\" or \"}\"");
	return statement;
}

/* --- Clauses --- */

/* predicate: "/" expression "/", after the first "/" */
static struct node *parse_predicate(struct parser *parser)
{
	struct node *predicate;

	parser->lexer.in_predicate = true;
	predicate = parse_expression(parser);
	parse_peek(parser);
	parser->lexer.in_predicate = false;
	parse_expect(parser, TOKEN_PREDICATE_END, "the end of the predicate, \"/ {\",");
	if (parse_peek(parser) != '{')
		parse_expected(parser, "\"{\" with the actions, after a predicate,");
	return predicate;
}

void parse_require(struct parser *parser, struct clause *clause, struct node *condition)
{
	struct node *both;

	if (!clause->predicate) {
		clause->predicate = condition;
		return;
	}
	both = arena_alloc(parser->arena, sizeof(*both));
	both->kind = NODE_BINARY;
	both->op = OP_LAND;
	both->file = clause->file;
	both->line = clause->line;
	both->a = condition;
	both->b = clause->predicate;
	clause->predicate = both;
}

static void add_clause(struct parser *parser, struct clause *clause)
{
	clause->id = parser->last ? parser->last->id + 1 : 1;
	*(parser->last ? &parser->last->next : &parser->program->clauses) = clause;
	parser->last = clause;
	for (; parser->pending; parser->pending = parser->pending->next)
		parser->pending->before = clause;
}

/* Other text between clauses, such as "define X 5", is read as descriptions. */
static void expect_body(struct parser *parser, const struct clause *clause)
{
	if (parser->input->is_file && !clause->has_body)
		parse_expected(parser, "\"{\" with the actions, after a probe description,");
}

/* clause: specs [ predicate ] [ "{" statements "}" ] */
static void parse_clause(struct parser *parser)
{
	struct clause *clause = arena_alloc(parser->arena, sizeof(*clause));

	clause->specs = parse_specs(parser);
	clause->file = clause->specs->file;
	clause->line = clause->specs->line;
	/* A clause is in C mode until its first error; not after its last brace. */
	parse_peek(parser);
	if (parse_peek(parser) == '/' || parse_peek(parser) == '{')
		parser->world = LEX_EXPRESSION;
	if (parse_take(parser, '/'))
		clause->predicate = parse_predicate(parser);
	clause->has_body = parse_peek(parser) == '{';
	if (clause->has_body) {
		parse_next(parser);
		clause->body = parse_statements(parser);
		parser->world = LEX_OUTER;
		parse_expect(parser, '}', "\"}\"");
	}
	parser->world = LEX_OUTER;
	expect_body(parser, clause);
	if (parser->is_broken)
		return;
	parse_app_names(parser, clause);
	parse_beam_names(parser, clause);
	add_clause(parser, clause);
}

/* program: { clause | declaration } */
static void parse_program(struct parser *parser)
{
	while (parse_peek(parser) != TOKEN_END) {
		if (parser->token.kind == TOKEN_DECLARATION) {
			parser->world = LEX_EXPRESSION;
			parser->has_token = false;
			parser->in_declaration = true;
			parse_external(parser);
			parser->in_declaration = parser->is_broken;
			parser->world = LEX_OUTER;
		} else {
			parse_clause(parser);
		}
	}
}

/* Continues after an error, to report the next one. */
static void recover(struct parser *parser)
{
	lex_skip(&parser->lexer, parser->braces, parser->in_declaration);
	parser->in_declaration = false;
	parser->braces = 0;
	parser->depth = 0;
	parser->world = LEX_OUTER;
	parser->has_token = false;
	parser->is_broken = false;
}

static bool says_nothing(const struct program *program)
{
	if (program->clauses || program->providers)
		return false;
	for (const struct d_translator *translator = program->translators; translator; translator = translator->next)
		if (!translator->is_prelude)
			return false;
	for (const struct declaration *declaration = program->declarations; declaration;
	     declaration = declaration->next)
		if (declaration->is_inline && !declaration->is_prelude)
			return false;
	return true;
}

static void parser_start(struct parser *parser)
{
	struct pragma **pragmas = &parser->program->pragmas;

	while (*pragmas)
		pragmas = &(*pragmas)->next;
	parser->declarations = &parser->program->declarations;
	for (; *parser->declarations; parser->declarations = &(*parser->declarations)->next) {
		parse_know(parser, *parser->declarations);
		if (!(*parser->declarations)->before && !parser->pending)
			parser->pending = *parser->declarations;
	}
	parser->last = parser->program->clauses;
	while (parser->last && parser->last->next)
		parser->last = parser->last->next;
	parser->lexer = (struct lexer){
		.arena = parser->arena,
		.types = parser->types,
		.kernel = parser->input->kernel,
		.diag = parser->diag,
		.macros = parser->input->macros,
		.pragmas = pragmas,
	};
	lex_start(&parser->lexer, parser->input->text, parser->input->size);
}

bool parse(struct arena *arena, struct type_table *types, struct diag *diag, const struct parse_input *input,
	   struct program *program)
{
	struct parser parser = { .arena = arena, .types = types, .diag = diag, .input = input, .program = program };
	size_t errors = diag->errors;

	parser_start(&parser);
	parse_program(&parser);
	while (parser.is_broken && diag->errors < DIAG_MOST) {
		recover(&parser);
		parse_program(&parser);
	}
	if (diag->errors == errors && !input->empty_ok && says_nothing(program))
		diag_error(diag, NULL, 0, "D_EMPTY", "the program is empty");
	return diag->errors == errors;
}
