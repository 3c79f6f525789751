// SPDX-License-Identifier: BSD-2-Clause
/*
 * Declarations: C's, plus D's storage classes (self, this), associative arrays ("int x[int, string]"), inlines and
 * translators.
 */
#include <string.h>

#include "base/arena.h"
#include "d/lang/builtins.h"
#include "d/lang/function.h"
#include "d/types/type_build.h"
#include "d/syntax/parse_type.h"

/* --- Names --- */

/* A name that the program defined. */
const char *parse_own_name(struct parser *parser, const char *what)
{
	const char *name = parse_name(parser, what);

	if (strchr(name, '`'))
		parse_error(parser, "D_DECL_SCOPE", "name \"%s\": only symbols of the kernel have ` in their names",
			    name);
	return name;
}

/* A variable overrides an enumerator of a header, so that new built-in variables are possible. */
bool parse_is_variable(const struct parser *parser, const char *name)
{
	return !parser->file && (names_find(&parser->variables, 0, name) || d_builtin_find(name) ||
				 function_find(parser->input->functions, name));
}

/* --- Variables and typedefs --- */

static struct declaration *declaration_new(struct parser *parser, const struct declarator *declarator,
					   struct type *type)
{
	struct declaration *declaration = arena_alloc(parser->arena, sizeof(*declaration));

	declaration->name = declarator->name ? declarator->name : "";
	declaration->type = type;
	declaration->file = declarator->file;
	declaration->line = declarator->line;
	return declaration;
}

void parse_know(struct parser *parser, struct declaration *declaration)
{
	if (declaration->scope == SCOPE_GLOBAL)
		names_put(&parser->variables, parser->arena, 0, declaration->name, declaration);
}

static void declaration_add(struct parser *parser, struct declaration *declaration)
{
	if (parser->is_broken)
		return;
	*parser->declarations = declaration;
	parser->declarations = &declaration->next;
	parse_know(parser, declaration);
	if (!parser->pending)
		parser->pending = declaration;
}

/* A program can repeat definitions that it cannot know: headers define size_t and the like. */
static void declare_typedef(struct parser *parser, const struct declarator *declarator, struct type *type)
{
	struct type *is_there = type_named(parser->types, declarator->name);
	int64_t value;

	if (type_real(type)->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_DYNOBJ", "typedef \"%s\": only a variable can be an associative array",
			    declarator->name);
	else if (parse_is_variable(parser, declarator->name) ||
		 type_enumerator(parser->types, declarator->name, &value, NULL))
		parse_error(parser, "D_DECL_IDRED", "typedef \"%s\": a variable has this name already",
			    declarator->name);
	else if (is_there && !type_same(is_there, type) && !type_name_is_intrinsic(parser->types, declarator->name))
		parse_error(parser, "D_DECL_IDRED", "typedef \"%s\": it is declared already", declarator->name);
	if (!parser->is_broken && !(is_there && type_same(is_there, type)))
		type_name_add(parser->types, declarator->name, type);
}

/* The element type of an array. */
static struct type *object_of(struct type *type)
{
	type = type_real(type);
	while (type->kind == TYPE_ARRAY || type->kind == TYPE_ASSOC)
		type = type_real(type->base);
	return type;
}

static void check_variable(struct parser *parser, const struct specifiers *specifiers,
			   const struct declarator *declarator, struct type *type)
{
	struct type *object = object_of(type);
	const struct derivation *array = declarator->derivations;
	bool is_extern = specifiers->storage == STORAGE_EXTERN;

	parse_complete(parser, object);
	if (array && array->kind == DERIVED_ARRAY && !array->has_count && !is_extern)
		parse_error(parser, "D_DECL_ARRNULL", "array \"%s\": its size or its keys are missing",
			    declarator->name);
	else if (array && array->kind == DERIVED_ARRAY && !array->count && !is_extern)
		parse_error(parser, "D_DECL_ARRSUB", "array \"%s\": its size must be a positive integer constant",
			    declarator->name);
	else if (type_named(parser->types, declarator->name))
		parse_error(parser, "D_DECL_IDRED", "variable \"%s\": a type has this name already", declarator->name);
	else if (object->kind == TYPE_VOID)
		parse_error(parser, "D_DECL_VOIDOBJ", "variable \"%s\": it cannot be void", declarator->name);
	else if ((type_is_struct(object) || object->kind == TYPE_ENUM) && object->is_incomplete)
		parse_error(parser, "D_DECL_INCOMPLETE", "%s is not defined, which is the type of %s",
			    type_text(parser->types, object), declarator->name);
	else if (type->kind == TYPE_ASSOC && specifiers->storage == STORAGE_THIS)
		parse_error(parser, "D_DECL_LOCASSC", "variable \"%s\": an associative array cannot be this->",
			    declarator->name);
}

static void declare_variable(struct parser *parser, const struct specifiers *specifiers,
			     const struct declarator *declarator, struct type *type)
{
	struct declaration *declaration = declaration_new(parser, declarator, type);
	int64_t value;

	check_variable(parser, specifiers, declarator, type);
	declaration->scope = specifiers->storage == STORAGE_SELF   ? SCOPE_SELF
			     : specifiers->storage == STORAGE_THIS ? SCOPE_THIS
								   : SCOPE_GLOBAL;
	if (declaration->scope == SCOPE_GLOBAL && type_enumerator(parser->types, declaration->name, &value, NULL))
		parse_error(parser, "D_DECL_IDRED", "variable \"%s\": an enumerator has this name already",
			    declaration->name);
	declaration->is_extern = specifiers->storage == STORAGE_EXTERN;
	declaration_add(parser, declaration);
}

/* Functions in headers: D ignores their bodies. False: there is no body. */
static bool skip_body(struct parser *parser, const struct type *type)
{
	if (!parser->file || type->kind != TYPE_FUNCTION || parse_peek(parser) != '{')
		return false;
	parser->lexer.at = parser->token.start;
	parser->lexer.line = parser->token.line;
	parser->has_token = false;
	lex_skip(&parser->lexer, 0, false);
	return true;
}

/* D has no initializers: "int x = 1;" is a syntax error at "=". True: nothing follows, not even ";". */
static bool parse_init_declarator(struct parser *parser, const struct specifiers *specifiers)
{
	struct declarator declarator = { 0 };
	struct type *type;

	parse_declarator(parser, &declarator);
	type = parse_declared_type(parser, specifiers, &declarator);
	if (!declarator.name) {
		parse_expected(parser, "the name of the declaration");
		return false;
	}
	if (parse_peek(parser) == '=') {
		parse_expected(parser, "\";\" (a variable is given its value in a clause, as in BEGIN)");
		return false;
	}
	if (skip_body(parser, type))
		return true;
	if (specifiers->storage == STORAGE_TYPEDEF)
		declare_typedef(parser, &declarator, type);
	else
		declare_variable(parser, specifiers, &declarator, type);
	return false;
}

static bool is_for_functions(enum storage storage)
{
	return storage == STORAGE_AUTO || storage == STORAGE_REGISTER || storage == STORAGE_STATIC;
}

/* declaration: specifiers [ declarator { "," declarator } ] ";" */
static void parse_declaration(struct parser *parser)
{
	struct specifiers specifiers = { 0 };

	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "a declaration");
	if (is_for_functions(specifiers.storage) && !parser->file)
		parse_error(parser, "D_DECL_BADCLASS", "unknown storage class: D has self, this, extern and typedef");
	if (parse_peek(parser) == ';' && !specifiers.defines)
		parse_error(parser, "D_DECL_USELESS", "empty declaration: a name is missing");
	if (parse_take(parser, ';'))
		return;
	do {
		if (parse_init_declarator(parser, &specifiers))
			return;
	} while (parse_take(parser, ','));
	parse_expect(parser, ';', "\";\"");
}

/* --- Inlines, translators --- */

/* inline: "inline" specifiers declarator "=" assignment ";" */
static void parse_inline(struct parser *parser)
{
	struct specifiers specifiers = { 0 };
	struct declarator declarator = { 0 };
	struct declaration *declaration;
	struct type *type;

	parse_next(parser);
	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "the type of the inline");
	if (specifiers.storage)
		parse_error(parser, "D_DECL_BADCLASS", "invalid inline: it cannot have a storage class");
	parse_declarator(parser, &declarator);
	type = parse_declared_type(parser, &specifiers, &declarator);
	if (!declarator.name)
		parse_expected(parser, "the name of the inline");
	declaration = declaration_new(parser, &declarator, type->kind == TYPE_ASSOC ? type->base : type);
	if (type->kind == TYPE_ARRAY)
		parse_error(parser, "D_DECL_ARRNULL", "inline \"%s\": it cannot be an array", declaration->name);
	if (declarator.name)
		check_variable(parser, &specifiers, &declarator, type);
	if (type->kind == TYPE_ASSOC && declarator.derivations)
		declaration->params = declarator.derivations->params;
	declaration->is_inline = true;
	parse_expect(parser, '=', "\"=\"");
	declaration->value = parse_value(parser);
	parse_expect(parser, ';', "\";\"");
	declaration_add(parser, declaration);
}

/* "{" { name "=" assignment ";" } "}" */
static struct translator_member *parse_translator_members(struct parser *parser)
{
	struct translator_member *first = NULL, **end = &first;

	parse_expect(parser, '{', "\"{\"");
	while (parse_peek(parser) != '}' && parse_peek(parser) != TOKEN_END) {
		struct translator_member *member = arena_alloc(parser->arena, sizeof(*member));

		member->name = parse_name(parser, "the name of a member");
		parse_expect(parser, '=', "\"=\"");
		member->value = parse_value(parser);
		parse_expect(parser, ';', "\";\"");
		*end = member;
		end = &member->next;
	}
	parse_expect(parser, '}', "\"}\"");
	return first;
}

/* The output type must be complete by now, even if it is defined later. */
static struct type *parse_translated(struct parser *parser)
{
	struct type *type = parse_type_name(parser), *real = type_real(type);

	parse_complete(parser, real);
	if (!parser->is_broken && (!type_is_struct(real) || real->is_incomplete))
		parse_error(parser, "D_XLATE_SOU", "translator output type must be a struct or union%s",
			    type_is_struct(real) ? " that is defined already" : "");
	return type;
}

/* translator: "translator" type "<" specifiers declarator ">" members ";" */
static void parse_translator(struct parser *parser)
{
	struct d_translator *translator = arena_alloc(parser->arena, sizeof(*translator));
	struct d_translator **end = &parser->program->translators;
	struct specifiers specifiers = { 0 };
	struct declarator declarator = { 0 };

	parse_next(parser);
	translator->file = parser->file;
	translator->line = parser->line;
	translator->to = parse_translated(parser);
	parse_expect(parser, '<', "\"<\"");
	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "the input type of the translator");
	parse_declarator(parser, &declarator);
	translator->from = parse_declared_type(parser, &specifiers, &declarator);
	translator->input = declarator.name;
	if (!declarator.name)
		parse_expected(parser, "the input name of the translator");
	parse_expect(parser, '>', "\">\"");
	translator->members = parse_translator_members(parser);
	parse_expect(parser, ';', "\";\"");
	if (++parser->program->translator_count == PARSE_TRANSLATORS_MOST + 1)
		parse_error(parser, "D_UNKNOWN", "too many translators: at most %d are possible",
			    PARSE_TRANSLATORS_MOST);
	while (parser->program->translator_count <= PARSE_TRANSLATORS_MOST && *end)
		end = &(*end)->next;
	if (!parser->is_broken && !*end)
		*end = translator;
}

/* external: inline | translator | provider | declaration */
void parse_external(struct parser *parser)
{
	switch (parse_peek(parser)) {
	case KEYWORD_INLINE: parse_inline(parser); break;
	case KEYWORD_TRANSLATOR: parse_translator(parser); break;
	case KEYWORD_PROVIDER: parse_provider(parser); break;
	default: parse_declaration(parser);
	}
}
