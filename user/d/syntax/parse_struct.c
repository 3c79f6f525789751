// SPDX-License-Identifier: BSD-2-Clause
/* struct, union and enum: tags and members. */
#include <limits.h>
#include <string.h>

#include "d/lang/builtins.h"
#include "d/lang/function.h"
#include "d/types/type_build.h"
#include "d/syntax/parse_type.h"

/* Each level searches the members of all nested levels. */
#define ANONYMOUS_DEPTH_MOST 16

/* --- struct, union --- */

static void check_member(struct parser *parser, struct type *of, struct type *type, const char *name)
{
	struct type *real = type_real(type);
	uint64_t offset;

	parse_complete(parser, real);
	if (real->kind == TYPE_VOID)
		parse_error(parser, "D_DECL_VOIDOBJ", "member \"%s\": it cannot be void", name);
	else if ((type_is_struct(real) || real->kind == TYPE_ENUM) && real->is_incomplete)
		parse_error(parser, "D_DECL_INCOMPLETE", "the type of member %s is not defined yet: %s", name,
			    type_text(parser->types, type));
	else if (real->kind == TYPE_FUNCTION || real->kind == TYPE_ASSOC)
		parse_error(parser, real->kind == TYPE_ASSOC ? "D_DECL_DYNOBJ" : "D_DECL_VOIDOBJ",
			    "a member cannot be %s: %s",
			    real->kind == TYPE_ASSOC ? "an associative array" : "a function", name);
	if (name && type_member(of, name, &offset))
		parse_error(parser, "D_UNKNOWN", "member \"%s\": another one has this name already", name);
}

/* bits: ":" constant, after the colon */
static void parse_bits(struct parser *parser, struct type_layout *layout, const char *name, struct type *type)
{
	uint64_t bits;
	struct node *node = parse_conditional(parser);

	if (!parse_count(parser, node, &bits) || (name && !bits))
		parse_error(parser, "D_DECL_BFCONST", "bit-field \"%s\": its size must be a positive integer constant",
			    name ? name : "");
	else if (!type_is_int(type))
		parse_error(parser, "D_DECL_BFTYPE", "bit-field \"%s\": it must be of an integer type",
			    name ? name : "");
	else if (bits > type->size * 8)
		parse_error(parser, "D_DECL_BFSIZE", "bit-field \"%s\": it is larger than its type", name ? name : "");
	if (parser->is_broken)
		return;
	check_member(parser, layout->type, type, name);
	type_layout_add_bits(parser->types, layout, name, type, (unsigned int)bits);
}

/* declarator [ bits ] | bits */
static void parse_member_declarator(struct parser *parser, struct type_layout *layout,
				    const struct specifiers *specifiers)
{
	struct declarator declarator = { 0 };
	struct type *type;

	if (parse_take(parser, ':')) {
		parse_bits(parser, layout, NULL, specifiers->type);
		return;
	}
	parse_declarator(parser, &declarator);
	type = parse_declared_type(parser, specifiers, &declarator);
	if (!declarator.name) {
		parse_error(parser, "D_DECL_MNAME", "invalid member: its name is missing");
		return;
	}
	if (parse_take(parser, ':')) {
		parse_bits(parser, layout, declarator.name, type);
		return;
	}
	check_member(parser, layout->type, type, declarator.name);
	if (!parser->is_broken)
		type_layout_add(parser->types, layout, declarator.name, type);
	if (layout->bits / 8 > TYPE_SIZE_MOST)
		parse_error(parser, "D_DECL_ARRBIG", "member \"%s\": the type is too big with it", declarator.name);
}

/* member: specifiers [ declarator { "," declarator } ] ";" */
static void parse_member_line(struct parser *parser, struct type_layout *layout)
{
	struct specifiers specifiers = { 0 };

	/* An extra ";", as in kernel headers. */
	if (parser->file && parse_take(parser, ';'))
		return;
	if (!parse_specifiers(parser, &specifiers)) {
		parse_expected(parser, "the type of a member");
		return;
	}
	if (specifiers.storage) {
		parse_error(parser, "D_DECL_BADCLASS", "invalid member: it cannot have a storage class");
		return;
	}
	if (parse_take(parser, ';')) {
		/* Without a tag, its members belong to the outer struct. */
		if (!specifiers.defines)
			parse_error(parser, "D_DECL_USELESS", "empty declaration: invalid member: its name is missing");
		else if (type_anonymous_depth(specifiers.type) >= ANONYMOUS_DEPTH_MOST)
			parse_error(parser, "D_SYNTAX", "structs without a name nest too deeply");
		else if (type_is_struct(specifiers.type) && !specifiers.type->name)
			type_layout_add(parser->types, layout, NULL, specifiers.type);
		return;
	}
	do {
		parse_member_declarator(parser, layout, &specifiers);
	} while (parse_take(parser, ','));
	parse_expect(parser, ';', "\";\" after the member");
}

/* "{" member { member } "}"; GNU C allows no members */
static void parse_members(struct parser *parser, struct type *type)
{
	struct type_layout layout = { .type = type };

	type->is_begun = true;
	parse_next(parser);
	if (!parser->file && parse_peek(parser) == '}')
		parse_expected(parser, "the type of a member");
	while (parse_peek(parser) != '}' && parse_peek(parser) != TOKEN_END)
		parse_member_line(parser, &layout);
	parse_expect(parser, '}', "\"}\"");
	if (!parser->is_broken)
		type_layout_end(&layout);
}

/* --- enum --- */

/* An enumerator is an int. Unsigned values wrap: ~0u is -1. */
static bool parse_enumerator_value(struct parser *parser, int64_t *value)
{
	struct folded folded;

	if (!parse_constant(parser, parse_conditional(parser), &folded))
		return false;
	if (type_real(folded.type)->size <= 4)
		*value = (int32_t)folded.value;
	else if (!parser->file && !type_real(folded.type)->is_signed && folded.value > INT64_MAX)
		*value = INT64_MAX;
	else
		*value = (int64_t)folded.value;
	return true;
}

/* name [ "=" constant ] */
static void parse_enumerator(struct parser *parser, struct type *type, int64_t *value)
{
	const char *name = parse_own_name(parser, "the name of an enumerator");
	struct type *other = NULL;
	int64_t is_there;

	if (parse_take(parser, '=') && !parse_enumerator_value(parser, value)) {
		parse_error(parser, "D_DECL_ENCONST", "enumerator \"%s\": its value must be an integer constant", name);
		return;
	}
	/* GNU C allows larger ones in headers. */
	if (!parser->file && (*value < INT_MIN || *value > INT_MAX)) {
		parse_error(parser, "D_DECL_ENOFLOW", "enumerator \"%s\": its value does not fit an int", name);
		return;
	}
	if (type_enumerator(parser->types, name, &is_there, &other) || type_named(parser->types, name) ||
	    parse_is_variable(parser, name)) {
		parse_error(parser, other == type ? "D_UNKNOWN" : "D_DECL_IDRED",
			    "enumerator \"%s\": it is declared already", name);
		return;
	}
	if (!parser->is_broken)
		type_enumerator_add(parser->types, type, name, *value);
	++*value;
}

/* "{" enumerator { "," enumerator } [ "," ] "}" */
static void parse_enumerators(struct parser *parser, struct type *type)
{
	int64_t value = 0;

	parse_next(parser);
	do {
		if (parse_peek(parser) == '}' && type->enumerators)
			break;
		parse_enumerator(parser, type, &value);
	} while (parse_take(parser, ','));
	parse_expect(parser, '}', "\",\" or \"}\"");
	type->is_incomplete = false;
}

/* Scopes of type names: the kernel, or D and the program. */
static const char *const scopes[] = { KERNEL_SCOPE, "D`", "C`" };

static size_t scope_length(const char *name)
{
	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++) {
		if (!strncmp(name, scopes[i], strlen(scopes[i])))
			return strlen(scopes[i]);
	}
	return 0;
}

/* Definitions have no scope: kernel types cannot be defined. */
static const char *parse_tag(struct parser *parser)
{
	const char *name;
	size_t scope;

	parse_peek(parser);
	scope = parser->token.kind == TOKEN_IDENT ? scope_length(parser->token.text) : 0;
	if (!scope)
		return parse_own_name(parser, "a tag or \"{\"");
	name = parse_name(parser, "a tag");
	if (parse_peek(parser) == '{')
		parse_error(parser, "D_DECL_SCOPE", "type \"%s\": a definition cannot have a scope", name);
	return name + scope;
}

/* "struct" [ tag ] [ members ]; the same for union and enum */
struct type *parse_tagged(struct parser *parser, struct specifiers *specifiers)
{
	int keyword = parse_peek(parser);
	enum type_kind kind = keyword == KEYWORD_STRUCT	 ? TYPE_STRUCT
			      : keyword == KEYWORD_UNION ? TYPE_UNION
							 : TYPE_ENUM;
	struct type *type = NULL;
	const char *tag = NULL;

	parse_next(parser);
	specifiers->defines = true;
	if (parse_peek(parser) != '{') {
		tag = parse_tag(parser);
		type = type_tagged(parser->types, kind, tag);
	}
	if (!type)
		type = type_tag_add(parser->types, kind, tag);
	if (parse_peek(parser) != '{')
		return type;
	type_renew(parser->types, type);
	if (!type->is_incomplete)
		parse_error(parser, "D_DECL_TYPERED", "type \"%s\": it is defined already",
			    type_text(parser->types, type));
	else if (kind == TYPE_ENUM)
		parse_enumerators(parser, type);
	else
		parse_members(parser, type);
	return type;
}
