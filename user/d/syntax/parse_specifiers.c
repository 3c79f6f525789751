// SPDX-License-Identifier: BSD-2-Clause
/*
 * Specifiers: the words before a declarator, "self unsigned long", and their combination. Structs, unions and enums are
 * in parse_struct.c.
 */
#include <ctype.h>
#include <string.h>

#include "d/lang/builtins.h"
#include "d/types/kernel_types.h"
#include "d/syntax/parse_type.h"

/*
 * Reading the kernel's types takes time, so only for text that looks like a type, "gfp_t x", "(gfp_t *)", and is not a
 * variable.
 */
static bool may_be_kernel_type(struct parser *parser)
{
	const char *next = lex_behind_blanks(parser->lexer.at, parser->lexer.end);

	return parser->input->kernel && next < parser->lexer.end &&
	       (isalpha((unsigned char)*next) || strchr("_*),>[]", *next)) &&
	       !names_find(&parser->variables, 0, parser->token.text) && !d_builtin_find(parser->token.text);
}

/* "D`name" is a type of D, including those that the program declares; "C`name" is a synonym. */
static const char *without_scope(const char *name)
{
	return (*name == 'D' || *name == 'C') && name[1] == '`' ? name + 2 : name;
}

struct type *parse_type_at(struct parser *parser)
{
	struct type *type;

	if (parse_peek(parser) != TOKEN_IDENT)
		return NULL;
	if (!strncmp(parser->token.text, KERNEL_SCOPE, strlen(KERNEL_SCOPE)))
		return may_be_kernel_type(parser)
			       ? kernel_types_typedef(parser->input->kernel, parser->token.text + strlen(KERNEL_SCOPE))
			       : NULL;
	type = type_named(parser->types, without_scope(parser->token.text));
	return type || !may_be_kernel_type(parser) ? type
						   : kernel_types_named(parser->input->kernel, parser->token.text);
}

/* True for a name in "(name)x" or "(name *)x", but not "(name)" or "(name * y)". */
static bool looks_like_cast(struct parser *parser)
{
	const char *at = parser->lexer.at, *end = parser->lexer.end;

	do {
		at = lex_behind_blanks(at, end);
	} while (at < end && *at == '*' && at++);
	if (at == end || *at != ')')
		return false;
	at = lex_behind_blanks(at + 1, end);
	return at < end && (isalnum((unsigned char)*at) || strchr("_`(~!&\"$@", *at));
}

bool parse_at_cast(struct parser *parser)
{
	if (parse_peek(parser) == TOKEN_IDENT && !type_named(parser->types, parser->token.text) &&
	    !looks_like_cast(parser))
		return false;
	return parse_at_type(parser);
}

void parse_complete(struct parser *parser, struct type *type)
{
	if (type && type->is_incomplete && !type->is_begun && parser->input->kernel)
		kernel_types_complete(parser->input->kernel, type);
}

bool parse_at_type(struct parser *parser)
{
	switch (parse_peek(parser)) {
	case KEYWORD_CHAR:
	case KEYWORD_CONST:
	case KEYWORD_DOUBLE:
	case KEYWORD_ENUM:
	case KEYWORD_FLOAT:
	case KEYWORD_INT:
	case KEYWORD_LONG:
	case KEYWORD_RESTRICT:
	case KEYWORD_SHORT:
	case KEYWORD_SIGNED:
	case KEYWORD_STRING:
	case KEYWORD_STRUCT:
	case KEYWORD_UNION:
	case KEYWORD_UNSIGNED:
	case KEYWORD_USERLAND:
	case KEYWORD_VOID:
	case KEYWORD_VOLATILE: return true;
	default: return parse_type_at(parser) != NULL;
	}
}

enum storage parse_storage(int kind)
{
	switch (kind) {
	case KEYWORD_AUTO: return STORAGE_AUTO;
	case KEYWORD_REGISTER: return STORAGE_REGISTER;
	case KEYWORD_STATIC: return STORAGE_STATIC;
	case KEYWORD_EXTERN: return STORAGE_EXTERN;
	case KEYWORD_TYPEDEF: return STORAGE_TYPEDEF;
	case KEYWORD_SELF: return STORAGE_SELF;
	case KEYWORD_THIS: return STORAGE_THIS;
	default: return STORAGE_NONE;
	}
}

static void set_storage(struct parser *parser, struct specifiers *specifiers, enum storage storage)
{
	if (specifiers->storage)
		parse_error(parser, "D_DECL_CLASS", "invalid declaration: it can have only one storage class");
	specifiers->storage = storage;
	parse_next(parser);
}

static void set_type(struct parser *parser, struct specifiers *specifiers, struct type *type)
{
	if (specifiers->type)
		parse_error(parser, "D_DECL_COMBO", "invalid type: these types cannot be combined");
	specifiers->type = type;
}

static struct type *keyword_type(struct parser *parser, int kind)
{
	switch (kind) {
	case KEYWORD_CHAR: return type_int(parser->types, 1, true);
	case KEYWORD_INT: return type_int(parser->types, 4, true);
	case KEYWORD_FLOAT: return type_named(parser->types, "float");
	case KEYWORD_DOUBLE: return type_named(parser->types, "double");
	case KEYWORD_STRING: return type_string(parser->types);
	case KEYWORD_VOID: return type_void(parser->types);
	default: return NULL;
	}
}

/* long, unsigned and so on. False: another word. */
bool parse_attribute(struct parser *parser, struct specifiers *specifiers)
{
	switch (parse_peek(parser)) {
	case KEYWORD_LONG: specifiers->longs++; break;
	case KEYWORD_SHORT: specifiers->shorts++; break;
	case KEYWORD_SIGNED: specifiers->is_signed = true; break;
	case KEYWORD_UNSIGNED: specifiers->is_unsigned = true; break;
	case KEYWORD_USERLAND: specifiers->is_user = true; break;
	case KEYWORD_CONST:
	case KEYWORD_VOLATILE:
	case KEYWORD_RESTRICT: break;
	default: return false;
	}
	parse_next(parser);
	return true;
}

bool parse_has_attributes(const struct specifiers *specifiers)
{
	return specifiers->longs || specifiers->shorts || specifiers->is_signed || specifiers->is_unsigned;
}

/* Parses one specifier. False: none. */
static bool take_specifier(struct parser *parser, struct specifiers *specifiers)
{
	int kind = parse_peek(parser);
	struct type *type = keyword_type(parser, kind);

	if (parse_storage(kind)) {
		set_storage(parser, specifiers, parse_storage(kind));
		return true;
	}
	if (parse_attribute(parser, specifiers))
		return true;
	/* "static inline" in a header declares a function; D's own inline has no storage class. */
	if (kind == KEYWORD_INLINE && parser->file && specifiers->storage) {
		parse_next(parser);
		return true;
	}
	if (kind == KEYWORD_STRUCT || kind == KEYWORD_UNION || kind == KEYWORD_ENUM) {
		set_type(parser, specifiers, parse_tagged(parser, specifiers));
		return true;
	}
	/* After a type, a type name is the declared name. */
	if (kind == TOKEN_IDENT && !specifiers->type && !parse_has_attributes(specifiers))
		type = parse_type_at(parser);
	if (!type)
		return false;
	set_type(parser, specifiers, type);
	parse_next(parser);
	return true;
}

/* The tag of an error in the combination of words, or NULL. */
static const char *combination_error(const struct specifiers *specifiers)
{
	const struct type *type = specifiers->type;

	if (specifiers->longs && specifiers->shorts)
		return "D_UNKNOWN";
	if (specifiers->longs > 2 || specifiers->shorts > 1 || (specifiers->is_signed && specifiers->is_unsigned))
		return "D_DECL_COMBO";
	if (!type)
		return NULL;
	if (type->kind == TYPE_VOID && parse_has_attributes(specifiers))
		return "D_DECL_VOIDATTR";
	if (type->kind == TYPE_INT && type->size == 1 && (specifiers->longs || specifiers->shorts))
		return "D_DECL_CHARATTR";
	if (type->kind != TYPE_INT && (specifiers->is_signed || specifiers->is_unsigned))
		return "D_DECL_SIGNINT";
	if (type->kind != TYPE_INT && type->kind != TYPE_FLOAT && specifiers->longs)
		return "D_DECL_LONGINT";
	if (type->kind != TYPE_INT && specifiers->shorts)
		return "D_DECL_COMBO";
	if (type->kind == TYPE_FLOAT && specifiers->longs && (type->size != 8 || specifiers->longs > 1))
		return "D_DECL_COMBO";
	return NULL;
}

static struct type *combine(struct parser *parser, const struct specifiers *specifiers)
{
	static const char *const names[2][5] = {
		{ "signed char", "short", "int", "long", "long long" },
		{ "unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long" },
	};
	struct type *type = specifiers->type;

	if (type && !parse_has_attributes(specifiers))
		return type;
	if (type && type->kind == TYPE_FLOAT)
		return type_named(parser->types, "long double");
	if (type && type->size == 1)
		return type_named(parser->types, names[specifiers->is_unsigned][0]);
	return type_named(parser->types, names[specifiers->is_unsigned][2 + specifiers->longs - specifiers->shorts]);
}

/* specifiers: { storage class | type | attribute }. False: none. */
bool parse_specifiers(struct parser *parser, struct specifiers *specifiers)
{
	const char *tag;
	bool any = false;

	if (!parse_enter(parser)) {
		parse_leave(parser);
		specifiers->type = type_int(parser->types, 4, true);
		return true;
	}
	while (take_specifier(parser, specifiers))
		any = true;
	tag = combination_error(specifiers);
	if (tag)
		parse_error(parser, tag, "invalid type: these words cannot be combined");
	specifiers->type = tag ? type_int(parser->types, 4, true) : combine(parser, specifiers);
	parse_leave(parser);
	return any;
}
