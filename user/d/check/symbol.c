// SPDX-License-Identifier: BSD-2-Clause
/*
 * Name resolution. Global names are variables, inlines, built-in variables, constants and functions; self->, this-> and
 * aggregations have separate name spaces. A declaration or the first assignment creates a variable, in program order.
 */
#include "d/check/checker.h"

#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "d/lang/builtins.h"

struct identifier *symbol_find(struct checker *checker, enum scope scope, const char *name)
{
	return names_find(&checker->globals, scope, name);
}

/* The unit's list for a kind of symbol, and the next number. */
static struct symbol ***list_of(struct checker *checker, enum symbol_kind kind)
{
	switch (kind) {
	case SYMBOL_VARIABLE: return &checker->variables_end;
	case SYMBOL_ASSOC: return &checker->arrays_end;
	case SYMBOL_AGGREGATION: return &checker->aggregations_end;
	default: return NULL;
	}
}

static bool has_room(struct checker *checker, const struct node *node, enum symbol_kind kind)
{
	if (kind == SYMBOL_AGGREGATION && checker->counts[kind] >= D_MOST_AGGS) {
		check_error(checker, node, "D_ID_OFLOW", "cannot create @%s: there are %d aggregations already",
			    node->name, D_MOST_AGGS);
		return false;
	}
	if ((kind == SYMBOL_ASSOC || (kind == SYMBOL_VARIABLE && node->scope == SCOPE_SELF)) &&
	    ++checker->maps > D_MAX_ARRAYS) {
		check_error(checker, node, "D_ID_OFLOW",
			    "cannot create %s: there are %d associative arrays and self-> variables already",
			    node->name, D_MAX_ARRAYS);
		return false;
	}
	return true;
}

struct identifier *symbol_add(struct checker *checker, const struct node *node, enum symbol_kind kind)
{
	struct arena *arena = checker->unit->arena;
	struct identifier *identifier = arena_alloc(arena, sizeof(*identifier));
	struct symbol *symbol = arena_alloc(arena, sizeof(*symbol)), ***list = list_of(checker, kind);

	*symbol = (struct symbol){
		.kind = kind,
		.name = node->name,
		.scope = node->scope,
		.file = node->file,
		.line = node->line,
	};
	identifier->symbol = symbol;
	if (list && has_room(checker, node, kind)) {
		symbol->id = checker->counts[kind]++;
		**list = symbol;
		*list = &symbol->next;
	} else {
		identifier->is_wrong = list != NULL;
	}
	if (kind == SYMBOL_AGGREGATION)
		names_put(&checker->aggs, arena, 0, node->name, identifier);
	else
		names_put(&checker->globals, arena, node->scope, node->name, identifier);
	return identifier;
}

static const char *scope_text(enum scope scope)
{
	return scope == SCOPE_SELF ? "self->" : scope == SCOPE_THIS ? "this->" : "";
}

static bool bad_reference(struct checker *checker, const struct node *node, const char *what, const char *as)
{
	check_error(checker, node, "D_IDENT_BADREF", "%s \"%s\" cannot be referenced as %s", what, node->name, as);
	return false;
}

static bool undefined(struct checker *checker, const struct node *node)
{
	if (node->scope == SCOPE_SELF || node->scope == SCOPE_THIS)
		check_error(checker, node, "D_VAR_UNDEF", "variable \"%s%s\": it has not been declared or assigned yet",
			    scope_text(node->scope), node->name);
	else
		check_error(checker, node, "D_IDENT_UNDEF", "name \"%s\": unknown variable", node->name);
	return false;
}

/* The value of an inline's parameter here. */
static bool check_parameter(struct checker *checker, struct node *node, const struct substitute *binding)
{
	struct node *next = node->next;

	if (!binding->value) {
		node->symbol = arena_alloc(checker->unit->arena, sizeof(*node->symbol));
		*node->symbol = (struct symbol){ .kind = SYMBOL_PARAMETER, .name = node->name, .type = binding->type };
		node->type = binding->type;
		return true;
	}
	if (type_is_int(binding->type) && type_is_int(binding->value->type)) {
		node->kind = NODE_CAST;
		node->named = node->type = binding->type;
		node->a = binding->value;
		node_fold(checker, node);
		return true;
	}
	*node = *binding->value;
	node->next = next;
	return true;
}

static const struct substitute *binding_find(const struct checker *checker, const char *name)
{
	const struct substitute *binding = checker->bindings;

	while (binding && strcmp(binding->name, name) != 0)
		binding = binding->next;
	return binding;
}

bool symbol_is_parameter(struct checker *checker, const struct node *node)
{
	return node->scope == SCOPE_GLOBAL && binding_find(checker, node->name);
}

struct identifier *symbol_builtin(struct checker *checker, const struct node *node)
{
	const struct builtin_variable *builtin = node->scope == SCOPE_GLOBAL ? d_builtin_find(node->name) : NULL;
	struct identifier *identifier;

	if (!builtin)
		return NULL;
	identifier = symbol_add(checker, node, SYMBOL_BUILTIN);
	identifier->symbol->builtin = builtin->builtin;
	if (builtin->builtin == BUILTIN_ARGTERM)
		identifier->symbol->type = type_of_kind(checker->unit->types, TYPE_TERM);
	else if (builtin->type)
		identifier->symbol->type = type_parse(checker->unit->types, builtin->type);
	return identifier;
}

static void note_use(struct checker *checker, const struct symbol *symbol)
{
	struct unit *unit = checker->unit;
	enum builtin builtin = symbol->builtin;

	if (checker->clause)
		checker->clause->uses_args |= builtin <= BUILTIN_ARGS;
	unit->uses_probe_names |= builtin >= BUILTIN_PROBEPROV && builtin <= BUILTIN_PROBENAME;
	unit->uses_argterm |= builtin == BUILTIN_ARGTERM;
	unit->uses_term |= builtin == BUILTIN_ARGTERM;
	unit->reads_kernel |= d_builtin_find(symbol->name)->reads_kernel;
}

/* A name with a symbol, used as a value. */
static bool check_symbol(struct checker *checker, struct node *node, struct symbol *symbol)
{
	node->symbol = symbol;
	if (!check_stability(checker, node, symbol->name, stability_of_symbol(checker, symbol)))
		return false;
	switch (symbol->kind) {
	case SYMBOL_ASSOC:
		if (symbol->scope == SCOPE_GLOBAL)
			return bad_reference(checker, node, symbol_kind_text(symbol), "scalar");
		node->type = type_void(checker->unit->types);
		return true;
	case SYMBOL_INLINE:
		if (symbol->params)
			return bad_reference(checker, node, symbol_kind_text(symbol), "scalar");
		return expand_inline(checker, node, symbol, NULL);
	case SYMBOL_BUILTIN:
		if (!symbol->type)
			return bad_reference(checker, node, "array", "scalar");
		if (!check_rights_to_read(checker, node, symbol))
			return false;
		note_use(checker, symbol);
		break;
	default: break;
	}
	if (!symbol->type) {
		check_error(checker, node, "D_VAR_UNDEF", "variable \"%s%s\": it has not been declared or assigned yet",
			    scope_text(node->scope), node->name);
		return false;
	}
	node->type = symbol->type;
	node->is_lvalue = type_real(symbol->type)->kind != TYPE_ARRAY;
	return true;
}

bool check_identifier(struct checker *checker, struct node *node)
{
	const struct substitute *binding = node->scope == SCOPE_GLOBAL ? binding_find(checker, node->name) : NULL;
	const struct builtin_constant *constant;
	struct type *type;
	struct identifier *identifier;
	int64_t value;

	if (binding)
		return check_parameter(checker, node, binding);
	if (node->scope == SCOPE_KERNEL)
		return check_kernel_symbol(checker, node);
	identifier = symbol_find(checker, node->scope, node->name);
	if (!identifier)
		identifier = symbol_builtin(checker, node);
	if (identifier)
		return !identifier->is_wrong && check_symbol(checker, node, identifier->symbol);
	if (node->scope != SCOPE_GLOBAL)
		return undefined(checker, node);
	if (type_enumerator(checker->unit->types, node->name, &value, &type)) {
		node_set_int(node, (uint64_t)value, type_of_enumerator(checker->unit->types, value));
		return true;
	}
	constant = d_constant_find(node->name);
	if (constant) {
		node_set_int(node, (uint64_t)constant->value, type_parse(checker->unit->types, constant->type));
		return true;
	}
	if (function_find(checker->unit->functions, node->name))
		return bad_reference(checker, node, "function", "scalar");
	return undefined(checker, node);
}

/* True if no variable can have that name. */
bool symbol_is_taken(struct checker *checker, const struct node *node)
{
	struct type *type;
	int64_t value;

	return node->scope == SCOPE_KERNEL ||
	       (node->scope == SCOPE_GLOBAL &&
		(binding_find(checker, node->name) || d_builtin_find(node->name) || d_constant_find(node->name) ||
		 function_find(checker->unit->functions, node->name) ||
		 type_enumerator(checker->unit->types, node->name, &value, &type)));
}

/*
 * The target of an assignment, created if new. *identifier is NULL if it is no variable: it is checked like any other
 * expression.
 */
bool symbol_claim(struct checker *checker, struct node *node, struct identifier **identifier)
{
	*identifier = symbol_find(checker, node->scope, node->name);
	if (!*identifier && symbol_is_taken(checker, node))
		return check_identifier(checker, node);
	if (!*identifier)
		*identifier = symbol_add(checker, node, SYMBOL_VARIABLE);
	if ((*identifier)->is_wrong)
		return false;
	node->symbol = (*identifier)->symbol;
	if (node->symbol->kind != SYMBOL_VARIABLE || node->symbol->type) {
		*identifier = NULL;
		return check_identifier(checker, node);
	}
	return true;
}

/* The key types of a new array: text is compared by content, wherever it is stored. */
struct type_key *key_types(struct checker *checker, struct node *args)
{
	struct type_table *types = checker->unit->types;
	struct type_key *keys = NULL, **end = &keys;

	for (struct node *arg = args; arg; arg = arg->next) {
		struct type_key *key = arena_alloc(checker->unit->arena, sizeof(*key));

		key->type = type_is_char_array(arg->type) ? type_string(types) : arg->type;
		*end = key;
		end = &key->next;
	}
	return keys;
}

bool check_keys(struct checker *checker, struct node *node, struct type_key *keys, const char *what, struct node *args)
{
	size_t passed = 0, expected = 0, number = 1;
	struct type_key *key = keys;

	for (struct node *arg = args; arg; arg = arg->next)
		passed++;
	for (; key; key = key->next)
		expected++;
	if (passed != expected) {
		check_error(checker, node, "D_PROTO_LEN", "%s prototype mismatch: %zu key%s passed, %zu expected", what,
			    passed, passed == 1 ? "" : "s", expected);
		return false;
	}
	for (key = keys; key; key = key->next, args = args->next, number++) {
		if (type_takes(checker, key->type, args))
			continue;
		check_error(checker, node, "D_PROTO_ARG",
			    "%s key #%zu is incompatible with prototype: expected %s, found %s", what, number,
			    type_text(checker->unit->types, key->type), node_type_text(checker, args));
		return false;
	}
	return true;
}

static bool same_keys(const struct type_key *a, const struct type_key *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!type_same(a->type, b->type))
			return false;
	return !a && !b;
}

static bool redeclared(struct checker *checker, const struct node *node, const char *what)
{
	check_error(checker, node, "D_DECL_IDRED", "%s \"%s%s\": it is declared already", what, scope_text(node->scope),
		    node->name);
	return false;
}

/* Redeclaration is allowed if it is identical. */
static bool check_again(struct checker *checker, const struct node *node, const struct symbol *symbol,
			struct type *type)
{
	struct type *real = type_real(type);
	bool is_same;

	if (symbol->kind == SYMBOL_ASSOC)
		is_same = real->kind == TYPE_ASSOC && symbol->type && type_same(real->base, symbol->type->base) &&
			  same_keys(real->keys, symbol->keys);
	else
		is_same = symbol->kind == SYMBOL_VARIABLE && symbol->type && type_same(type, symbol->type);
	return is_same || redeclared(checker, node, "identifier");
}

static bool check_object_type(struct checker *checker, const struct node *node, struct type *type)
{
	struct type *real = type_real(type);

	if (real->kind == TYPE_ASSOC) {
		if (node->scope == SCOPE_THIS) {
			check_error(checker, node, "D_DECL_LOCASSC",
				    "variable \"%s\": an associative array cannot be this->", node->name);
			return false;
		}
		real = type_real(real->base);
	}
	if (real->kind == TYPE_VOID) {
		check_error(checker, node, "D_DECL_VOIDOBJ", "variable \"%s\": it cannot be void", node->name);
		return false;
	}
	if (real->is_incomplete || (type_is_struct(real) && real->size == 0)) {
		check_error(checker, node, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
			    type_text(checker->unit->types, real), node->name);
		return false;
	}
	return true;
}

static bool check_inline_type(struct checker *checker, struct declaration *declaration, const struct node *node)
{
	struct substitute *outer = checker->bindings;
	struct node *value;
	bool ok;

	for (struct declaration *param = declaration->params; param; param = param->next) {
		struct substitute *binding = arena_alloc(checker->unit->arena, sizeof(*binding));

		*binding = (struct substitute){ param->name ? param->name : "", param->type, NULL, checker->bindings };
		checker->bindings = binding;
	}
	value = node_clone(checker, declaration->value);
	ok = check_expression(checker, value);
	checker->bindings = outer;
	if (!ok)
		return false;
	if (value->kind == NODE_XLATE || type_takes(checker, declaration->type, value))
		return true;
	check_error(checker, node, "D_OP_INCOMPAT", "inline %s definition uses incompatible types: \"%s\" = \"%s\"",
		    node->name, type_text(checker->unit->types, declaration->type), node_type_text(checker, value));
	return false;
}

bool check_declaration(struct checker *checker, struct declaration *declaration)
{
	struct node node = {
		.kind = NODE_IDENT,
		.name = declaration->name,
		.scope = declaration->scope,
		.file = declaration->file,
		.line = declaration->line,
	};
	struct identifier *identifier = symbol_find(checker, node.scope, node.name);
	struct type *type = declaration->type;
	struct symbol *symbol;

	if (declaration->is_extern || type_real(type)->kind == TYPE_FUNCTION)
		return true;
	if (!identifier && node.scope == SCOPE_GLOBAL &&
	    (d_builtin_find(node.name) || function_find(checker->unit->functions, node.name)))
		return redeclared(checker, &node, "built-in identifier");
	if (declaration->is_inline && identifier)
		return redeclared(checker, &node, "identifier");
	if (!check_object_type(checker, &node, type))
		return false;
	if (identifier)
		return check_again(checker, &node, identifier->symbol, type);
	if (declaration->is_inline && !declaration->is_prelude && !check_inline_type(checker, declaration, &node))
		return false;

	identifier = symbol_add(checker, &node,
				declaration->is_inline		      ? SYMBOL_INLINE
				: type_real(type)->kind == TYPE_ASSOC ? SYMBOL_ASSOC
								      : SYMBOL_VARIABLE);
	symbol = identifier->symbol;
	symbol->type = type;
	symbol->value = declaration->value;
	symbol->params = declaration->params;
	if (symbol->kind == SYMBOL_ASSOC)
		symbol->keys = type_real(type)->keys;
	return !identifier->is_wrong;
}
