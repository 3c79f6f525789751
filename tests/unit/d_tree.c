// SPDX-License-Identifier: BSD-2-Clause
#include "d_tree.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *join(struct tree *tree, const char *text, const char *more)
{
	return arena_printf(tree->arena, "%s%s%s", text, *text && *more ? " " : "", more);
}

struct tree *tree_new_input(struct parse_input input)
{
	char *argv[] = {
		check_text("script"), check_text("17"), check_text("a b"),
		check_text("name"),   check_text("-5"), check_text("18446744073709551616"),
	};
	struct macros macros = { .argc = COUNT(argv), .argv = argv, .target = 42 };
	struct tree *tree = calloc(1, sizeof(*tree));

	tree->arena = arena_new();
	tree->types = type_table_new(tree->arena, 256);
	tree->diag.arena = tree->arena;
	tree->input = input;
	if (!tree->input.macros)
		tree->input.macros = &macros;
	tree->is_ok = parse(tree->arena, tree->types, &tree->diag, &tree->input, &tree->program);
	return tree;
}

struct tree *tree_new(const char *text)
{
	return tree_new_input((struct parse_input){ .text = text, .size = strlen(text), .empty_ok = true });
}

void tree_free(struct tree *tree)
{
	arena_free(tree->arena);
	free(tree);
}

static const char *sign_text(enum node_op op)
{
	static const char *const texts[] = {
		[OP_NONE] = "",	      [OP_ADD] = "+",	  [OP_SUB] = "-",     [OP_MUL] = "*",	[OP_DIV] = "/",
		[OP_MOD] = "%",	      [OP_AND] = "&",	  [OP_OR] = "|",      [OP_XOR] = "^",	[OP_SHL] = "<<",
		[OP_SHR] = ">>",      [OP_LAND] = "&&",	  [OP_LOR] = "||",    [OP_LXOR] = "^^", [OP_EQ] = "==",
		[OP_NE] = "!=",	      [OP_LT] = "<",	  [OP_LE] = "<=",     [OP_GT] = ">",	[OP_GE] = ">=",
		[OP_COMMA] = ",",     [OP_NEG] = "neg",	  [OP_PLUS] = "plus", [OP_NOT] = "~",	[OP_LNOT] = "!",
		[OP_DEREF] = "deref", [OP_ADDR] = "addr",
	};

	return texts[op];
}

static const char *args_text(struct tree *tree, const struct node *arg)
{
	const char *text = "";

	for (; arg; arg = arg->next)
		text = join(tree, text, tree_node(tree, arg));
	return text;
}

static const char *ident_text(struct tree *tree, const struct node *node)
{
	static const char *const scopes[] = { "", "self.", "this.", "kernel:" };

	return arena_printf(tree->arena, "%s%s", scopes[node->scope], node->name);
}

static const char *list(struct tree *tree, const char *head, const char *tail)
{
	return arena_printf(tree->arena, "(%s)", join(tree, head, tail));
}

const char *tree_node(struct tree *tree, const struct node *node)
{
	const char *a = node->a ? tree_node(tree, node->a) : "", *b = node->b ? tree_node(tree, node->b) : "";
	const char *args = args_text(tree, node->args), *op = sign_text(node->op);
	const char *named = node->named ? arena_printf(tree->arena, "<%s>", type_text(tree->types, node->named)) : "";

	switch (node->kind) {
	case NODE_INT: return arena_printf(tree->arena, "%lld", (long long)node->value);
	case NODE_STRING: return arena_printf(tree->arena, "\"%s\"", node->text);
	case NODE_IDENT: return ident_text(tree, node);
	case NODE_AGG: return list(tree, arena_printf(tree->arena, "@%s", node->name), args);
	case NODE_CALL: return list(tree, arena_printf(tree->arena, "call %s", node->name), args);
	case NODE_UNARY: return list(tree, op, a);
	case NODE_BINARY: return list(tree, op, join(tree, a, b));
	case NODE_ASSIGN: return list(tree, arena_printf(tree->arena, "%s=", op), join(tree, a, b));
	case NODE_STEP: return list(tree, arena_printf(tree->arena, node->is_prefix ? "%s%s_" : "_%s%s", op, op), a);
	case NODE_COND: return list(tree, "?", join(tree, a, join(tree, b, tree_node(tree, node->c))));
	case NODE_INDEX: return list(tree, "[]", join(tree, a, args));
	case NODE_MEMBER: return list(tree, node->is_arrow ? "->" : ".", join(tree, a, node->name));
	case NODE_CAST: return list(tree, "cast", join(tree, named, a));
	case NODE_SIZEOF: return list(tree, "sizeof", join(tree, named, a));
	case NODE_OFFSETOF: return list(tree, "offsetof", join(tree, named, node->name));
	case NODE_STRINGOF: return list(tree, "stringof", a);
	case NODE_XLATE: return list(tree, "xlate", join(tree, named, a));
	}
	return "?";
}

static const char *statements_text(struct tree *tree, const struct statement *statement)
{
	const char *text = "";

	for (; statement; statement = statement->next) {
		const char *one = statement->expression ? tree_node(tree, statement->expression) : "";

		if (statement->kind == STATEMENT_IF)
			one = list(tree, "if",
				   join(tree, one,
					arena_printf(tree->arena, "{%s} {%s}", statements_text(tree, statement->then),
						     statements_text(tree, statement->otherwise))));
		else if (statement->kind == STATEMENT_BLOCK)
			one = arena_printf(tree->arena, "{%s}", statements_text(tree, statement->then));
		text = join(tree, text, one);
	}
	return text;
}

const char *tree_clauses(struct tree *tree)
{
	const char *text = "";

	for (const struct clause *clause = tree->program.clauses; clause; clause = clause->next) {
		for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next)
			text = join(tree, text,
				    spec->is_id ? arena_printf(tree->arena, "#%llu", (unsigned long long)spec->id)
						: arena_printf(tree->arena, "%s:%s:%s:%s", spec->provider, spec->module,
							       spec->function, spec->name));
		if (clause->predicate)
			text = join(tree, text, arena_printf(tree->arena, "/%s/", tree_node(tree, clause->predicate)));
		if (clause->has_body)
			text = join(tree, text, arena_printf(tree->arena, "{%s}", statements_text(tree, clause->body)));
	}
	return text;
}

static const char *params_text(struct tree *tree, const struct declaration *param)
{
	const char *text = "";

	for (; param; param = param->next)
		text = join(tree, text,
			    arena_printf(tree->arena, "%s:%s", param->name, type_text(tree->types, param->type)));
	return text;
}

const char *tree_declarations(struct tree *tree)
{
	static const char *const scopes[] = { "", "self ", "this ", "kernel " };
	const char *text = "";

	for (const struct declaration *d = tree->program.declarations; d; d = d->next)
		text = join(tree, text,
			    arena_printf(tree->arena, "%s%s%s%s:%s%s%s%s%s;", d->is_inline ? "inline " : "",
					 d->is_extern ? "extern " : "", scopes[d->scope], d->name,
					 type_text(tree->types, d->type), d->params ? " " : "",
					 params_text(tree, d->params), d->value ? "=" : "",
					 d->value ? tree_node(tree, d->value) : ""));
	return text;
}

const char *tree_errors(struct tree *tree)
{
	const char *text = "";

	for (const struct d_message *message = tree->diag.first; message; message = message->next)
		text = join(tree, text, arena_printf(tree->arena, "%s:%d", message->tag, message->line));
	return text;
}
