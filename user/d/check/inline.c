// SPDX-License-Identifier: BSD-2-Clause
/*
 * Inlines and translators are expanded where they are used: a copy of their value is checked there, with the parameters
 * bound to the arguments. A name refers only to earlier definitions, so expansion ends; but each level can double the
 * size, so copies are counted.
 */
#include "d/check/checker.h"

#include <string.h>

#include "base/arena.h"

struct node *node_clone(struct checker *checker, const struct node *node)
{
	struct node *copy;

	if (!node)
		return NULL;
	checker->expanded++;
	copy = arena_alloc(checker->unit->arena, sizeof(*copy));
	*copy = *node;
	if (checker->expanded > CHECK_EXPANDED) { /* already reported: see expand() */
		*copy = (struct node){ .kind = NODE_INT, .file = node->file, .line = node->line };
		return copy;
	}
	copy->a = node_clone(checker, node->a);
	copy->b = node_clone(checker, node->b);
	copy->c = node_clone(checker, node->c);
	copy->args = NULL;
	for (struct node **end = &copy->args, *arg = node->args; arg; arg = arg->next) {
		*end = node_clone(checker, arg);
		(*end)->next = NULL;
		end = &(*end)->next;
	}
	copy->next = NULL;
	return copy;
}

/* Messages about an expansion point to its use, not to the definition. */
static void move_to(struct node *node, const struct node *place)
{
	if (!node)
		return;
	node->file = place->file;
	node->line = place->line;
	move_to(node->a, place);
	move_to(node->b, place);
	move_to(node->c, place);
	for (struct node *arg = node->args; arg; arg = arg->next)
		move_to(arg, place);
}

/* Replaces `node` by a checked copy of `value`, with the parameters in `bindings`. */
static bool expand(struct checker *checker, struct node *node, const struct node *value, struct substitute *bindings)
{
	struct substitute *outer = checker->bindings;
	struct node *copy = node_clone(checker, value), *next = node->next;
	bool ok;

	if (checker->expanded > CHECK_EXPANDED) {
		check_error(checker, node, "D_UNKNOWN", "inlines expand to too many nodes");
		return false;
	}
	move_to(copy, node);
	checker->bindings = bindings;
	ok = check_expression(checker, copy);
	checker->bindings = outer;
	if (!ok)
		return false;
	*node = *copy;
	node->next = next;
	return true;
}

/* The value, cast to the declared type. */
static bool convert(struct checker *checker, struct node *node, struct type *type)
{
	struct node *value;

	if (node->kind == NODE_XLATE || type_same(type, node->type) || !type_is_scalar(type))
		return true;
	value = arena_alloc(checker->unit->arena, sizeof(*value));
	*value = *node;
	value->next = NULL;
	*node = (struct node){
		.kind = NODE_CAST,
		.named = type,
		.type = type,
		.a = value,
		.next = node->next,
		.file = value->file,
		.line = value->line,
	};
	node_fold(checker, node);
	return true;
}

static bool bind_arguments(struct checker *checker, struct node *node, const struct symbol *symbol, struct node *args,
			   struct substitute **bindings)
{
	struct type_key *keys = NULL, **end = &keys;
	struct declaration *param;

	for (param = symbol->params; param; param = param->next) {
		*end = arena_alloc(checker->unit->arena, sizeof(**end));
		(*end)->type = param->type;
		end = &(*end)->next;
	}
	if (!check_keys(checker, node, keys, arena_printf(checker->unit->arena, "%s[]", symbol->name), args))
		return false;
	for (param = symbol->params; param; param = param->next, args = args->next) {
		struct substitute *binding = arena_alloc(checker->unit->arena, sizeof(*binding));

		*binding = (struct substitute){ param->name ? param->name : "", param->type, args, *bindings };
		*bindings = binding;
	}
	return true;
}

/* An inline, or a call of an inline function with checked arguments. */
bool expand_inline(struct checker *checker, struct node *node, struct symbol *symbol, struct node *args)
{
	struct substitute *bindings = NULL;

	if (symbol->params && !bind_arguments(checker, node, symbol, args, &bindings))
		return false;
	return expand(checker, node, symbol->value, bindings) && convert(checker, node, symbol->type);
}

static struct type *output_of(struct type *type)
{
	return type_is_pointer(type) ? type_element(type) : type;
}

static const struct d_translator *translator_find(struct checker *checker, struct type *to, const struct node *from)
{
	const struct d_translator *translator = checker->unit->program.translators;

	for (; translator; translator = translator->next)
		if (type_same(translator->to, output_of(to)) && type_takes(checker, translator->from, from))
			return translator;
	return NULL;
}

/* xlate <T> (e) alone: only its members have values. */
bool check_xlate(struct checker *checker, struct node *node)
{
	if (!check_expression(checker, node->a))
		return false;
	if (!translator_find(checker, node->named, node->a)) {
		check_error(checker, node, "D_XLATE_NONE", "cannot translate from \"%s\" to \"%s\"",
			    node_type_text(checker, node->a), type_text(checker->unit->types, node->named));
		return false;
	}
	node->type = type_void(checker->unit->types);
	return true;
}

/* A member of a checked xlate <T> (e). */
const struct d_translator *translator_of(struct checker *checker, const struct node *xlate)
{
	return translator_find(checker, xlate->named, xlate->a);
}

static const struct translator_member *member_find(const struct d_translator *translator, const char *name)
{
	const struct translator_member *member = translator->members;

	while (member && strcmp(member->name, name) != 0)
		member = member->next;
	return member;
}

/* xlate <T> (e).member */
bool expand_translated(struct checker *checker, struct node *node)
{
	struct node *from = node->a->a;
	const struct d_translator *translator = translator_find(checker, node->a->named, from);
	const struct translator_member *member = member_find(translator, node->name);
	const struct type_member *output;
	struct substitute *input = arena_alloc(checker->unit->arena, sizeof(*input));
	uint64_t offset;

	if (node->is_arrow != type_is_pointer(node->a->named)) {
		check_error(checker, node, node->is_arrow ? "D_OP_PTR" : "D_OP_SOU",
			    node->is_arrow ? "operator -> must be applied to a pointer"
					   : "operator . must be applied to a struct or union");
		return false;
	}
	if (!member) {
		check_error(checker, node, "D_XLATE_NOCONV", "member \"%s\": the translator does not define it",
			    node->name);
		return false;
	}
	output = type_member(translator->to, node->name, &offset);
	*input = (struct substitute){ translator->input, translator->from, from, NULL };
	return output && expand(checker, node, member->value, input) && convert(checker, node, output->type);
}

static bool check_translator_member(struct checker *checker, const struct d_translator *translator,
				    const struct translator_member *member)
{
	const struct type_member *output = NULL;
	struct node *value;
	uint64_t offset;

	output = type_member(translator->to, member->name, &offset);
	if (!output) {
		check_error(checker, member->value, "D_XLATE_MEMB", "member \"%s\": it is not a member of %s",
			    member->name, type_text(checker->unit->types, translator->to));
		return false;
	}
	value = node_clone(checker, member->value);
	if (!check_expression(checker, value))
		return false;
	if (value->kind == NODE_XLATE || type_takes(checker, output->type, value))
		return true;
	check_error(checker, member->value, "D_XLATE_INCOMPAT",
		    "translator member %s definition uses incompatible types: \"%s\" = \"%s\"", member->name,
		    type_text(checker->unit->types, output->type), node_type_text(checker, value));
	return false;
}

static bool is_redeclared(struct checker *checker, const struct d_translator *translator)
{
	const struct d_translator *other = checker->unit->program.translators;

	for (; other && other != translator; other = other->next)
		if (type_same(other->to, translator->to) && type_same(other->from, translator->from))
			return true;
	return false;
}

bool check_translator(struct checker *checker, struct d_translator *translator)
{
	struct node place = { .file = translator->file, .line = translator->line };
	struct substitute input = { translator->input, translator->from, NULL, NULL }, *outer = checker->bindings;
	bool ok = true;

	if (is_redeclared(checker, translator)) {
		check_error(checker, &place, "D_XLATE_REDECL", "translator from %s to %s has already been declared",
			    type_text(checker->unit->types, translator->from),
			    type_text(checker->unit->types, translator->to));
		return false;
	}
	checker->bindings = &input;
	for (const struct translator_member *member = translator->members; member; member = member->next)
		ok = check_translator_member(checker, translator, member) && ok;
	checker->bindings = outer;
	return ok;
}
