// SPDX-License-Identifier: BSD-2-Clause
/*
 * Declarators such as "*x[3]". They are read from the name outwards into a list of derivations (array of, pointer to,
 * ...), which are then applied to the type of the specifiers in reverse.
 */
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "d/types/type_build.h"
#include "d/syntax/parse_type.h"

static struct derivation *derive(struct parser *parser, struct declarator *declarator, enum derived kind)
{
	struct derivation *derivation = arena_alloc(parser->arena, sizeof(*derivation));

	if (++declarator->count > NESTING_MOST)
		parse_error(parser, "D_SYNTAX", "program nests too deeply");
	derivation->kind = kind;
	*declarator->end = derivation;
	declarator->end = &derivation->next;
	return derivation;
}

static void check_param(struct parser *parser, enum derived of, const struct declaration *param)
{
	struct type *type = param->type, *real = type_real(type);
	bool is_void = real->kind == TYPE_VOID, is_key = of == DERIVED_ASSOC;

	if (is_void && !is_key && param->name)
		parse_error(parser, "D_DECL_PROTO_NAME", "parameter \"%s\": it cannot be void", param->name);
	else if (is_void && !is_key)
		parse_error(parser, "D_DECL_PROTO_VOID", "invalid parameters: void must be the only one");
	else if (real->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_PROTO_TYPE", "invalid parameter: it cannot be an associative array");
	else if (is_key && (is_void || type_is_struct(real) || real->kind == TYPE_FUNCTION))
		parse_error(parser, "D_DECL_PROTO_TYPE", "invalid key: it cannot be of type \"%s\"",
			    type_text(parser->types, type));
}

/* param: specifiers [ declarator ] */
static struct declaration *parse_param(struct parser *parser, enum derived of)
{
	struct declaration *param = arena_alloc(parser->arena, sizeof(*param));
	struct specifiers specifiers = { 0 };
	struct declarator declarator = { 0 };

	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "a type");
	if (specifiers.storage)
		parse_error(parser, "D_DECL_PARMCLASS", "invalid parameter: it cannot have a storage class");
	parse_declarator(parser, &declarator);
	param->name = declarator.name;
	param->type = parse_declared_type(parser, &specifiers, &declarator);
	param->file = declarator.file;
	param->line = declarator.line;
	if (type_real(param->type)->kind == TYPE_ARRAY && of != DERIVED_ASSOC)
		param->type = type_pointer(parser->types, type_real(param->type)->base);
	return param;
}

/* "..." as in C, for functions. */
static bool take_ellipsis(struct parser *parser, const struct derivation *of)
{
	if (parse_peek(parser) != TOKEN_ELLIPSIS)
		return false;
	if (of->kind != DERIVED_FUNCTION)
		parse_error(parser, "D_DECL_PROTO_VARARGS", "invalid %s: \"...\" is for functions only",
			    of->kind == DERIVED_ASSOC ? "key" : "parameter");
	parse_next(parser);
	return true;
}

static void check_param_name(struct parser *parser, const struct declaration *params, const struct declaration *param)
{
	for (; param->name && params; params = params->next) {
		if (params->name && !strcmp(params->name, param->name))
			parse_error(parser, "D_DECL_PROTO_FORM", "parameter \"%s\": another one has this name already",
				    param->name);
	}
}

static bool is_lone_void(const struct declaration *param)
{
	return type_real(param->type)->kind == TYPE_VOID && !param->name;
}

/* params: [ "void" | param { "," param } [ "," "..." ] ], up to the closing token */
void parse_params(struct parser *parser, struct derivation *of, int closing, const char *what)
{
	struct declaration **end = &of->params;
	size_t count = 0;

	while (parse_peek(parser) != closing && parse_peek(parser) != TOKEN_END) {
		struct declaration *param;

		if (take_ellipsis(parser, of))
			break;
		param = parse_param(parser, of->kind);
		if (++count > PARSE_PARAMS_MOST)
			parse_error(parser, "D_UNKNOWN", "too many parameters or keys: at most %d are possible",
				    PARSE_PARAMS_MOST);
		/* "(void)"; "(void *p)" is a parameter like others. */
		if (of->kind != DERIVED_ASSOC && !of->params && is_lone_void(param) && parse_peek(parser) == closing)
			break;
		check_param(parser, of->kind, param);
		if (of->kind != DERIVED_OUTPUT)
			check_param_name(parser, of->params, param);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it begins at a member */
		*end = param;
		end = &param->next;
		if (!parse_take(parser, ','))
			break;
	}
	parse_expect(parser, closing, what);
}

/*
 * C's qualifiers in the brackets of a parameter, "[restrict]", "[static 3]", "[restrict count]": it is a pointer,
 * whatever its size.
 */
static bool take_parameter_array(struct parser *parser)
{
	if (!parser->file || (parse_peek(parser) != KEYWORD_RESTRICT && parse_peek(parser) != KEYWORD_STATIC))
		return false;
	while (parse_peek(parser) != ']' && parse_peek(parser) != TOKEN_END)
		parse_next(parser);
	parse_expect(parser, ']', "\"]\"");
	return true;
}

/* "[" "]" | "[" constant "]" | "[" params "]", after the bracket */
static void parse_array_suffix(struct parser *parser, struct declarator *declarator)
{
	struct derivation *derivation = derive(parser, declarator, DERIVED_ARRAY);
	uint64_t count;

	if (parse_take(parser, ']') || take_parameter_array(parser))
		return;
	if (parse_at_type(parser) || parse_peek(parser) == TOKEN_ELLIPSIS || parse_storage(parse_peek(parser))) {
		derivation->kind = DERIVED_ASSOC;
		parse_params(parser, derivation, ']', "\",\" or \"]\"");
		return;
	}
	if (!parse_count(parser, parse_conditional(parser), &count)) {
		parse_error(parser, "D_DECL_ARRSUB",
			    "array \"%s\": its size must be a positive integer constant; to declare an associative "
			    "array, give the types of its keys",
			    declarator->name ? declarator->name : "");
		return;
	}
	if (count > UINT_MAX)
		parse_error(parser, "D_DECL_ARRBIG", "array \"%s\": it is too big",
			    declarator->name ? declarator->name : "");
	derivation->has_count = true;
	derivation->count = count;
	parse_expect(parser, ']', "\"]\"");
}

/* True if a declarator in parentheses follows "(", instead of parameters. */
static bool nests(struct parser *parser)
{
	int kind = parse_peek(parser);

	return kind == '*' || kind == '(' || kind == '[' || (kind == TOKEN_IDENT && !parse_type_at(parser));
}

static void parse_function_suffix(struct parser *parser, struct declarator *declarator)
{
	parse_params(parser, derive(parser, declarator, DERIVED_FUNCTION), ')', "\",\" or \")\"");
}

static void parse_suffixes(struct parser *parser, struct declarator *declarator)
{
	for (;;) {
		if (parse_take(parser, '['))
			parse_array_suffix(parser, declarator);
		else if (parse_take(parser, '('))
			parse_function_suffix(parser, declarator);
		else
			return;
	}
}

/* direct: [ name | "(" declarator ")" ] { "[" ... "]" | "(" params ")" } */
static void parse_direct(struct parser *parser, struct declarator *declarator)
{
	if (parse_peek(parser) == TOKEN_IDENT) {
		declarator->name = parse_own_name(parser, "a name");
		declarator->line = parser->line;
		declarator->file = parser->file;
	} else if (parse_take(parser, '(')) {
		if (nests(parser)) {
			parse_declarator(parser, declarator);
			parse_expect(parser, ')', "\")\"");
		} else {
			parse_function_suffix(parser, declarator);
		}
	}
	parse_suffixes(parser, declarator);
}

/* declarator: { "*" { qualifier } } direct */
void parse_declarator(struct parser *parser, struct declarator *declarator)
{
	unsigned int pointers = 0;
	bool is_user = false;

	if (!declarator->end) {
		declarator->end = &declarator->derivations;
		declarator->file = parser->file;
		declarator->line = parser->line;
	}
	if (parse_enter(parser)) {
		while (parse_take(parser, '*')) {
			struct specifiers qualifiers = { 0 };

			if (++pointers > NESTING_MOST)
				parse_error(parser, "D_SYNTAX", "program nests too deeply");
			while (parse_attribute(parser, &qualifiers))
				is_user |= qualifiers.is_user;
			if (parse_has_attributes(&qualifiers))
				parse_error(parser, "D_SYNTAX",
					    "syntax error after \"*\": only qualifiers can follow it");
		}
		parse_direct(parser, declarator);
		while (pointers--)
			derive(parser, declarator, DERIVED_POINTER)->is_user = is_user;
	}
	parse_leave(parser);
}

static struct type_key *keys_of(struct parser *parser, const struct declaration *params)
{
	struct type_key *first = NULL, **end = &first;

	for (; params; params = params->next) {
		*end = arena_alloc(parser->arena, sizeof(**end));
		(*end)->type = params->type;
		end = &(*end)->next;
	}
	return first;
}

static struct type *apply_array(struct parser *parser, struct type *type, const struct derivation *derivation)
{
	struct type *real = type_real(type);

	parse_complete(parser, real);
	if (real->kind == TYPE_FUNCTION || real->kind == TYPE_ASSOC || real->kind == TYPE_VOID ||
	    (type_is_struct(real) && real->is_incomplete)) {
		parse_error(parser,
			    real->kind == TYPE_VOID    ? "D_DECL_VOIDOBJ"
			    : real->kind == TYPE_ASSOC ? "D_DECL_DYNOBJ"
						       : "D_DECL_INCOMPLETE",
			    "invalid array: its elements cannot be of type \"%s\"", type_text(parser->types, type));
		return type;
	}
	type = type_array(parser->types, type, derivation->count);
	if (type->size > TYPE_SIZE_MOST) {
		parse_error(parser, "D_DECL_ARRBIG", "invalid array: it is too big");
		type->size = 0;
	}
	return type;
}

static struct type *apply(struct parser *parser, struct type *type, const struct derivation *derivation, bool is_user)
{
	switch (derivation->kind) {
	case DERIVED_POINTER:
		if (type_real(type)->kind == TYPE_ASSOC)
			parse_error(parser, "D_DECL_DYNOBJ",
				    "invalid pointer: it cannot point to an associative array");
		type = type_pointer(parser->types, type);
		type->is_user |= is_user || derivation->is_user;
		return type;
	case DERIVED_ARRAY: return apply_array(parser, type, derivation);
	case DERIVED_ASSOC: return type_assoc(parser->types, type, keys_of(parser, derivation->params));
	default: return type_function(parser->types, type, keys_of(parser, derivation->params));
	}
}

static struct derivation *reversed(struct derivation *list)
{
	struct derivation *result = NULL;

	while (list) {
		struct derivation *next = list->next;

		list->next = result;
		result = list;
		list = next;
	}
	return result;
}

struct type *parse_declared_type(struct parser *parser, const struct specifiers *specifiers,
				 const struct declarator *declarator)
{
	struct derivation *far = reversed(declarator->derivations);
	struct type *type = specifiers->type;

	for (const struct derivation *derivation = far; derivation; derivation = derivation->next)
		type = apply(parser, type, derivation, specifiers->is_user);
	reversed(far);
	return type;
}

/* type name: specifiers [ declarator without a name ] */
struct type *parse_type_name(struct parser *parser)
{
	struct specifiers specifiers = { 0 };
	struct declarator declarator = { 0 };
	struct type *type;

	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "a type");
	if (specifiers.storage)
		parse_error(parser, "D_DECL_PARMCLASS", "invalid type: it cannot have a storage class here");
	parse_declarator(parser, &declarator);
	type = parse_declared_type(parser, &specifiers, &declarator);
	if (declarator.name)
		parse_error(parser, "D_DECL_IDENT", "name \"%s\": only a type is expected here", declarator.name);
	else if (type_real(type)->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_DYNOBJ", "invalid type: only a variable can be an associative array");
	return type;
}

struct type *type_parse(struct type_table *table, const char *text)
{
	struct arena *arena = type_arena(table);
	struct diag diag = { .arena = arena };
	struct parse_input input = { .text = text, .size = strlen(text) };
	struct program program = { 0 };
	struct parser parser = {
		.arena = arena,
		.types = table,
		.diag = &diag,
		.input = &input,
		.program = &program,
		.world = LEX_EXPRESSION,
		.lexer = { .arena = arena, .types = table, .diag = &diag, .pragmas = &program.pragmas },
	};
	struct type *type;

	lex_start(&parser.lexer, text, input.size);
	type = parse_type_name(&parser);
	return !parser.is_broken && parse_peek(&parser) == TOKEN_END && !parser.is_broken ? type : NULL;
}
