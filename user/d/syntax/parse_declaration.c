// SPDX-License-Identifier: BSD-2-Clause
/*
 * Declarations: C's, with D's storage classes (self, this), associative arrays ("int x[int, string]"), inlines
 * and translators. A declarator is read from its name outwards into a list of derivations (array of, pointer
 * to, ...), which then are applied to the type of the specifiers from the far end.
 */
#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "d/lang/builtins.h"
#include "d/lang/function.h"
#include "d/syntax/parse_internal.h"
#include "d/lang/type_build.h"

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
	bool is_signed, is_unsigned, is_user, defines; /* defines: a struct, union or enum, which is of use by itself */
};

enum derived { DERIVED_POINTER, DERIVED_ARRAY, DERIVED_ASSOC, DERIVED_FUNCTION };

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
};

static void parse_declarator(struct parser *parser, struct declarator *declarator);
static struct type *declared_type(struct parser *parser, const struct specifiers *specifiers,
				  const struct declarator *declarator);
static bool parse_specifiers(struct parser *parser, struct specifiers *specifiers);

/* --- Specifiers --- */

static struct type *name_at(struct parser *parser)
{
	return parse_peek(parser) == TOKEN_IDENT ? type_named(parser->types, parser->token.text) : NULL;
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
	default: return name_at(parser) != NULL;
	}
}

static enum storage storage_of(int kind)
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

/* --- struct, union --- */

static void check_member(struct parser *parser, const struct type *of, struct type *type, const char *name)
{
	struct type *real = type_real(type);

	if (real->kind == TYPE_VOID)
		parse_error(parser, "D_DECL_VOIDOBJ", "a member cannot be void: %s", name);
	else if ((type_is_struct(real) || real->kind == TYPE_ENUM) && real->is_incomplete)
		parse_error(parser, "D_DECL_INCOMPLETE", "the type of member %s is not defined yet: %s", name,
			    type_text(parser->types, type));
	else if (real->kind == TYPE_FUNCTION || real->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_DYNOBJ", "a member cannot be %s: %s",
			    real->kind == TYPE_ASSOC ? "an associative array" : "a function", name);
	for (const struct type_member *member = of->members; name && member; member = member->next)
		if (member->name && strcmp(member->name, name) == 0)
			parse_error(parser, "D_UNKNOWN", "there is a member %s already", name);
}

/* bits: ":" constant; the colon is taken already */
static void parse_bits(struct parser *parser, struct type_layout *layout, const char *name, struct type *type)
{
	int64_t bits;
	struct node *node = parse_conditional(parser);

	if (!parse_constant(parser, node, &bits) || bits < 0 || (name && !bits))
		parse_error(parser, "D_DECL_BFCONST", "the size of a bit-field is a positive integer constant: %s",
			    name ? name : "");
	else if (!type_is_int(type))
		parse_error(parser, "D_DECL_BFTYPE", "a bit-field is of an integer type: %s", name ? name : "");
	else if ((uint64_t)bits > type->size * 8)
		parse_error(parser, "D_DECL_BFSIZE", "a bit-field is no larger than its type: %s", name ? name : "");
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
	type = declared_type(parser, specifiers, &declarator);
	if (!declarator.name) {
		parse_error(parser, "D_DECL_MNAME", "the name of a member is missing");
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
		parse_error(parser, "D_DECL_ARRBIG", "the type is too big with member %s", declarator.name);
}

/* member: specifiers [ declarator { "," declarator } ] ";" */
static void parse_member_line(struct parser *parser, struct type_layout *layout)
{
	struct specifiers specifiers = { 0 };

	if (!parse_specifiers(parser, &specifiers)) {
		parse_expected(parser, "the type of a member");
		return;
	}
	if (specifiers.storage) {
		parse_error(parser, "D_DECL_BADCLASS", "a member has no storage class");
		return;
	}
	if (parse_take(parser, ';')) {
		/* Without a tag its members are those of the outer one. */
		if (!specifiers.defines)
			parse_error(parser, "D_DECL_USELESS", "this declares no member");
		else if (type_is_struct(specifiers.type) && !specifiers.type->name)
			type_layout_add(parser->types, layout, NULL, specifiers.type);
		return;
	}
	do {
		parse_member_declarator(parser, layout, &specifiers);
	} while (parse_take(parser, ','));
	parse_expect(parser, ';', "\";\" behind the member");
}

/* "{" { member } "}" */
static void parse_members(struct parser *parser, struct type *type)
{
	struct type_layout layout = { .type = type };

	parse_next(parser);
	while (parse_peek(parser) != '}' && parse_peek(parser) != TOKEN_END)
		parse_member_line(parser, &layout);
	parse_expect(parser, '}', "\"}\"");
	if (!parser->is_broken)
		type_layout_end(&layout);
}

/* --- enum --- */

/* A name that is the program's own. */
static const char *declared_name(struct parser *parser, const char *what)
{
	const char *name = parse_name(parser, what);

	if (strchr(name, '`'))
		parse_error(parser, "D_DECL_SCOPE", "only a symbol of the kernel has ` in its name: %s", name);
	return name;
}

/* An enumerator of a header gives way to a variable of that name, so that built-in ones may come to be. */
static bool is_variable(const struct parser *parser, const char *name)
{
	const struct declaration *declaration = parser->program->declarations;

	if (parser->file)
		return false;
	while (declaration && (declaration->scope != SCOPE_GLOBAL || strcmp(declaration->name, name) != 0))
		declaration = declaration->next;
	return declaration || d_builtin_find(name) || function_find(parser->input->functions, name);
}

/* name [ "=" constant ] */
static void parse_enumerator(struct parser *parser, struct type *type, int64_t *value)
{
	const char *name = declared_name(parser, "the name of an enumerator");
	struct type *other = NULL;
	int64_t is_there;

	if (parse_take(parser, '=') && !parse_constant(parser, parse_conditional(parser), value)) {
		parse_error(parser, "D_DECL_ENCONST", "the value of enumerator %s is no integer constant", name);
		return;
	}
	if (*value < INT_MIN || *value > INT_MAX) {
		parse_error(parser, "D_DECL_ENOFLOW", "the value of enumerator %s does not fit an int", name);
		return;
	}
	if (type_enumerator(parser->types, name, &is_there, &other) || type_named(parser->types, name) ||
	    is_variable(parser, name)) {
		parse_error(parser, other == type ? "D_UNKNOWN" : "D_DECL_IDRED", "%s is declared already", name);
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

/* "struct" [ tag ] [ members ]; union, enum alike */
static struct type *parse_tagged(struct parser *parser, struct specifiers *specifiers)
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
		tag = declared_name(parser, "a tag or \"{\"");
		type = type_tagged(parser->types, kind, tag);
	}
	if (!type)
		type = type_tag_add(parser->types, kind, tag);
	if (parse_peek(parser) != '{')
		return type;
	if (!type->is_incomplete)
		parse_error(parser, "D_DECL_TYPERED", "%s is defined already", type_text(parser->types, type));
	else if (kind == TYPE_ENUM)
		parse_enumerators(parser, type);
	else
		parse_members(parser, type);
	return type;
}

/* --- Combinations of specifiers --- */

static void set_storage(struct parser *parser, struct specifiers *specifiers, enum storage storage)
{
	if (specifiers->storage)
		parse_error(parser, "D_DECL_CLASS", "a declaration has at most one storage class");
	specifiers->storage = storage;
	parse_next(parser);
}

static void set_type(struct parser *parser, struct specifiers *specifiers, struct type *type)
{
	if (specifiers->type)
		parse_error(parser, "D_DECL_COMBO", "these types do not go together");
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

/* long, unsigned and their kind. False: it is none. */
static bool take_attribute(struct parser *parser, struct specifiers *specifiers)
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

static bool has_attributes(const struct specifiers *specifiers)
{
	return specifiers->longs || specifiers->shorts || specifiers->is_signed || specifiers->is_unsigned;
}

/* One specifier. False: here is none. */
static bool take_specifier(struct parser *parser, struct specifiers *specifiers)
{
	int kind = parse_peek(parser);
	struct type *type = keyword_type(parser, kind);

	if (storage_of(kind)) {
		set_storage(parser, specifiers, storage_of(kind));
		return true;
	}
	if (take_attribute(parser, specifiers))
		return true;
	if (kind == KEYWORD_STRUCT || kind == KEYWORD_UNION || kind == KEYWORD_ENUM) {
		set_type(parser, specifiers, parse_tagged(parser, specifiers));
		return true;
	}
	/* Behind a type, the name of a type is what is declared. */
	if (kind == TOKEN_IDENT && !specifiers->type && !has_attributes(specifiers))
		type = name_at(parser);
	if (!type)
		return false;
	set_type(parser, specifiers, type);
	parse_next(parser);
	return true;
}

/* What is wrong with the words together: a tag, or NULL. */
static const char *combination_error(const struct specifiers *specifiers)
{
	const struct type *type = specifiers->type;

	if (specifiers->longs > 2 || specifiers->shorts > 1 || (specifiers->longs && specifiers->shorts) ||
	    (specifiers->is_signed && specifiers->is_unsigned))
		return "D_DECL_COMBO";
	if (!type)
		return NULL;
	if (type->kind == TYPE_VOID && has_attributes(specifiers))
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

	if (type && !has_attributes(specifiers))
		return type;
	if (type && type->kind == TYPE_FLOAT)
		return type_named(parser->types, "long double");
	if (type && type->size == 1)
		return type_named(parser->types, names[specifiers->is_unsigned][0]);
	return type_named(parser->types, names[specifiers->is_unsigned][2 + specifiers->longs - specifiers->shorts]);
}

/* specifiers: { storage class | type | attribute }. False: there are none. */
static bool parse_specifiers(struct parser *parser, struct specifiers *specifiers)
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
		parse_error(parser, tag, "these words do not go together in one type");
	specifiers->type = tag ? type_int(parser->types, 4, true) : combine(parser, specifiers);
	parse_leave(parser);
	return any;
}

/* --- Declarators --- */

static struct derivation *derive(struct parser *parser, struct declarator *declarator, enum derived kind)
{
	struct derivation *derivation = arena_alloc(parser->arena, sizeof(*derivation));

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
		parse_error(parser, "D_DECL_PROTO_NAME", "a parameter that is void has no name: %s", param->name);
	else if (is_void && !is_key)
		parse_error(parser, "D_DECL_PROTO_VOID", "void stands alone in a list of parameters");
	else if (real->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_PROTO_TYPE", "an associative array cannot be a parameter");
	else if (is_key && (is_void || type_is_struct(real) || real->kind == TYPE_FUNCTION))
		parse_error(parser, "D_DECL_PROTO_TYPE", "%s cannot be a key", type_text(parser->types, type));
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
		parse_error(parser, "D_DECL_PARMCLASS", "a parameter has no storage class");
	parse_declarator(parser, &declarator);
	param->name = declarator.name;
	param->type = declared_type(parser, &specifiers, &declarator);
	param->file = declarator.file;
	param->line = declarator.line;
	if (type_real(param->type)->kind == TYPE_ARRAY && of == DERIVED_FUNCTION)
		param->type = type_pointer(parser->types, type_real(param->type)->base);
	return param;
}

/* "..." is C's, for functions. */
static bool take_ellipsis(struct parser *parser, const struct derivation *of)
{
	if (parse_peek(parser) != TOKEN_ELLIPSIS)
		return false;
	if (of->kind == DERIVED_ASSOC)
		parse_error(parser, "D_DECL_PROTO_VARARGS",
			    "the keys of an associative array are all named: \"...\" is for functions");
	parse_next(parser);
	return true;
}

static void check_param_name(struct parser *parser, const struct declaration *params, const struct declaration *param)
{
	for (; param->name && params; params = params->next) {
		if (params->name && !strcmp(params->name, param->name))
			parse_error(parser, "D_DECL_PROTO_FORM", "two parameters are called %s", param->name);
	}
}

static bool is_lone_void(const struct declaration *param)
{
	return type_real(param->type)->kind == TYPE_VOID && !param->name;
}

/* params: [ "void" | param { "," param } [ "," "..." ] ], up to the closing token */
static void parse_params(struct parser *parser, struct derivation *of, int closing, const char *what)
{
	struct declaration **end = &of->params;

	while (parse_peek(parser) != closing && parse_peek(parser) != TOKEN_END) {
		struct declaration *param;

		if (take_ellipsis(parser, of))
			break;
		param = parse_param(parser, of->kind);
		/* "(void)"; "(void *p)" is a parameter like others. */
		if (of->kind == DERIVED_FUNCTION && !of->params && is_lone_void(param) && parse_peek(parser) == closing)
			break;
		check_param(parser, of->kind, param);
		check_param_name(parser, of->params, param);
		*end = param;
		end = &param->next;
		if (!parse_take(parser, ','))
			break;
	}
	parse_expect(parser, closing, what);
}

/* "[" "]" | "[" constant "]" | "[" params "]"; the bracket is taken already */
static void parse_array_suffix(struct parser *parser, struct declarator *declarator)
{
	struct derivation *derivation = derive(parser, declarator, DERIVED_ARRAY);
	int64_t count;

	if (parse_take(parser, ']'))
		return;
	if (parse_at_type(parser) || parse_peek(parser) == TOKEN_ELLIPSIS || storage_of(parse_peek(parser))) {
		derivation->kind = DERIVED_ASSOC;
		parse_params(parser, derivation, ']', "\",\" or \"]\"");
		return;
	}
	if (!parse_constant(parser, parse_conditional(parser), &count) || count < 0) {
		parse_error(parser, "D_DECL_ARRSUB",
			    "an array is declared with a positive integer constant, or the types of its keys: %s",
			    declarator->name ? declarator->name : "");
		return;
	}
	if (count > UINT_MAX)
		parse_error(parser, "D_DECL_ARRBIG", "the array is too big: %s",
			    declarator->name ? declarator->name : "");
	derivation->has_count = true;
	derivation->count = (uint64_t)count;
	parse_expect(parser, ']', "\"]\"");
}

/* Is what follows "(" a declarator in parentheses, rather than parameters? */
static bool nests(struct parser *parser)
{
	int kind = parse_peek(parser);

	return kind == '*' || kind == '(' || kind == '[' || (kind == TOKEN_IDENT && !name_at(parser));
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
		declarator->name = declared_name(parser, "a name");
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
static void parse_declarator(struct parser *parser, struct declarator *declarator)
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

			if (++pointers > PARSE_DEPTH_MOST)
				parse_error(parser, "D_SYNTAX", "the program nests too deeply here");
			while (take_attribute(parser, &qualifiers))
				is_user |= qualifiers.is_user;
			if (has_attributes(&qualifiers))
				parse_error(parser, "D_SYNTAX",
					    "syntax error behind \"*\": only qualifiers can follow it");
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

	if (real->kind == TYPE_FUNCTION || real->kind == TYPE_ASSOC || real->kind == TYPE_VOID ||
	    (type_is_struct(real) && real->is_incomplete)) {
		parse_error(parser,
			    real->kind == TYPE_VOID    ? "D_DECL_VOIDOBJ"
			    : real->kind == TYPE_ASSOC ? "D_DECL_DYNOBJ"
						       : "D_DECL_INCOMPLETE",
			    "there are no arrays of %s", type_text(parser->types, type));
		return type;
	}
	type = type_array(parser->types, type, derivation->count);
	if (type->size > TYPE_SIZE_MOST) {
		parse_error(parser, "D_DECL_ARRBIG", "the array is too big");
		type->size = 0;
	}
	return type;
}

static struct type *apply(struct parser *parser, struct type *type, const struct derivation *derivation, bool is_user)
{
	switch (derivation->kind) {
	case DERIVED_POINTER:
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

static struct type *declared_type(struct parser *parser, const struct specifiers *specifiers,
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
		parse_error(parser, "D_DECL_PARMCLASS", "a type here has no storage class");
	parse_declarator(parser, &declarator);
	type = declared_type(parser, &specifiers, &declarator);
	if (declarator.name)
		parse_error(parser, "D_DECL_IDENT", "only a type is expected, without a name: %s", declarator.name);
	else if (type_real(type)->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_DYNOBJ", "only a variable can be an associative array");
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

static void declaration_add(struct parser *parser, struct declaration *declaration)
{
	if (parser->is_broken)
		return;
	*parser->declarations = declaration;
	parser->declarations = &declaration->next;
	if (!parser->pending)
		parser->pending = declaration;
}

/* A program may say again what it cannot know to be there: headers define size_t and the like. */
static void declare_typedef(struct parser *parser, const struct declarator *declarator, struct type *type)
{
	struct type *is_there = type_named(parser->types, declarator->name);
	int64_t value;

	if (type_real(type)->kind == TYPE_ASSOC)
		parse_error(parser, "D_DECL_DYNOBJ", "only a variable can be an associative array: %s",
			    declarator->name);
	else if (is_variable(parser, declarator->name) ||
		 type_enumerator(parser->types, declarator->name, &value, NULL))
		parse_error(parser, "D_DECL_IDRED", "there is a variable %s already", declarator->name);
	else if (is_there && !type_same(is_there, type) && !type_name_is_intrinsic(parser->types, declarator->name))
		parse_error(parser, "D_DECL_IDRED", "typedef %s is declared already", declarator->name);
	if (!parser->is_broken && !(is_there && type_same(is_there, type)))
		type_name_add(parser->types, declarator->name, type);
}

/* Of an array, what its elements are. */
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

	if (array && array->kind == DERIVED_ARRAY && !array->has_count)
		parse_error(parser, "D_DECL_ARRNULL", "the size or the keys of an array are missing: %s",
			    declarator->name);
	else if (array && array->kind == DERIVED_ARRAY && !array->count)
		parse_error(parser, "D_DECL_ARRSUB", "an array is declared with a positive integer constant: %s",
			    declarator->name);
	else if (type_named(parser->types, declarator->name))
		parse_error(parser, "D_DECL_IDRED", "%s is a type already", declarator->name);
	else if (object->kind == TYPE_VOID)
		parse_error(parser, "D_DECL_VOIDOBJ", "a variable cannot be void: %s", declarator->name);
	else if ((type_is_struct(object) || object->kind == TYPE_ENUM) && object->is_incomplete)
		parse_error(parser, "D_DECL_INCOMPLETE", "%s is not defined, which is the type of %s",
			    type_text(parser->types, object), declarator->name);
	else if (type->kind == TYPE_ASSOC && specifiers->storage == STORAGE_THIS)
		parse_error(parser, "D_DECL_LOCASSC", "a this-> variable cannot be an associative array: %s",
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
		parse_error(parser, "D_DECL_IDRED", "%s is an enumerator already", declaration->name);
	declaration->is_extern = specifiers->storage == STORAGE_EXTERN;
	declaration_add(parser, declaration);
}

/* D has no initializers: "int x = 1;" is a syntax error at its "=". */
static void parse_init_declarator(struct parser *parser, const struct specifiers *specifiers)
{
	struct declarator declarator = { 0 };
	struct type *type;

	parse_declarator(parser, &declarator);
	type = declared_type(parser, specifiers, &declarator);
	if (!declarator.name) {
		parse_expected(parser, "the name of what is declared");
		return;
	}
	if (parse_peek(parser) == '=') {
		parse_expected(parser, "\";\" (a variable is given its value in a clause, as in BEGIN)");
		return;
	}
	if (specifiers->storage == STORAGE_TYPEDEF)
		declare_typedef(parser, &declarator, type);
	else
		declare_variable(parser, specifiers, &declarator, type);
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
	if (is_for_functions(specifiers.storage))
		parse_error(parser, "D_DECL_BADCLASS",
			    "D knows no such storage class: only self, this, extern and typedef");
	if (parse_peek(parser) == ';' && !specifiers.defines)
		parse_error(parser, "D_DECL_USELESS", "this declares nothing");
	if (parse_take(parser, ';'))
		return;
	do {
		parse_init_declarator(parser, &specifiers);
	} while (parse_take(parser, ','));
	parse_expect(parser, ';', "\";\"");
}

/* --- Inlines, translators, providers --- */

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
		parse_error(parser, "D_DECL_BADCLASS", "an inline has no storage class");
	parse_declarator(parser, &declarator);
	type = declared_type(parser, &specifiers, &declarator);
	if (!declarator.name)
		parse_expected(parser, "the name of the inline");
	declaration = declaration_new(parser, &declarator, type->kind == TYPE_ASSOC ? type->base : type);
	if (type->kind == TYPE_ARRAY)
		parse_error(parser, "D_DECL_ARRNULL", "an inline cannot be an array: %s", declaration->name);
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
	translator->to = parse_type_name(parser);
	parse_expect(parser, '<', "\"<\"");
	if (!parse_specifiers(parser, &specifiers))
		parse_expected(parser, "the type of what is translated");
	parse_declarator(parser, &declarator);
	translator->from = declared_type(parser, &specifiers, &declarator);
	translator->input = declarator.name;
	if (!declarator.name)
		parse_expected(parser, "the name of what is translated");
	parse_expect(parser, '>', "\">\"");
	translator->members = parse_translator_members(parser);
	parse_expect(parser, ';', "\";\"");
	while (*end)
		end = &(*end)->next;
	if (!parser->is_broken)
		*end = translator;
}

/* Definitions of providers are for programs that are to be traced: on Linux, <sys/sdt.h> does that. */
static void parse_provider(struct parser *parser)
{
	parse_next(parser);
	parse_name(parser, "the name of a provider");
	if (parse_peek(parser) == '{')
		parse_error(parser, "D_UNKNOWN",
			    "providers cannot be defined here; programs get their probes with <sys/sdt.h>");
	else
		parse_expected(parser, "\"{\"");
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
