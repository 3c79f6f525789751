// SPDX-License-Identifier: BSD-2-Clause
/* Classification of checked nodes, and compatibility of types: the rules of C, plus D's strings and dynamic nodes. */
#include "d/check/checker.h"

#include "base/arena.h"
#include "d/types/kernel_types.h"

bool node_is_dynamic(const struct node *node)
{
	switch (node->kind) {
	case NODE_AGG:
	case NODE_XLATE: return true;
	case NODE_ASSIGN: return node->a->kind == NODE_AGG;
	case NODE_IDENT: return node->symbol && node->symbol->kind == SYMBOL_ASSOC;
	default: return false;
	}
}

bool node_is_int(const struct node *node)
{
	return !node_is_dynamic(node) && type_is_int(node->type);
}

bool node_is_scalar(const struct node *node)
{
	return !node_is_dynamic(node) && type_is_scalar(node->type);
}

bool node_is_pointer(const struct node *node)
{
	return !node_is_dynamic(node) && type_element(node->type);
}

bool node_is_string(const struct node *node)
{
	return !node_is_dynamic(node) && type_is_string(node->type);
}

bool node_is_void(const struct node *node)
{
	return !node_is_dynamic(node) && type_real(node->type)->kind == TYPE_VOID;
}

bool node_is_action(const struct node *node)
{
	return node->kind == NODE_CALL && node->function && node->function->kind == FUNCTION_ACTION;
}

bool node_is_aggregating(const struct node *node)
{
	return node->kind == NODE_CALL && node->function && node->function->kind == FUNCTION_AGGREGATING;
}

bool node_is_mixed(const struct node *node)
{
	return node->kind == NODE_COND && node_is_scratch(node->b) != node_is_scratch(node->c) &&
	       !node_is_zero(node->b) && !node_is_zero(node->c);
}

bool node_is_bit_field(const struct node *node)
{
	const struct type_member *member;
	struct type *type;
	uint64_t offset;

	if (node->kind != NODE_MEMBER || !node->a || !node->a->type)
		return false;
	type = node->is_arrow ? type_element(node->a->type) : node->a->type;
	member = type ? type_member(type_real(type), node->name, &offset) : NULL;
	return member && member->bits > 0;
}

/*
 * True if the program can assign to the node: its own variables, and memory of alloca() behind a pointer in such a
 * variable. The address is checked at run time.
 */
bool node_is_writable(const struct node *node)
{
	switch (node->kind) {
	case NODE_IDENT:
		return node->symbol && (node->symbol->kind == SYMBOL_VARIABLE || node->symbol->kind == SYMBOL_ASSOC);
	case NODE_INDEX:
	case NODE_MEMBER:
	case NODE_CAST: return node_is_writable(node->a);
	case NODE_UNARY: return node->op == OP_DEREF && node_is_writable(node->a);
	case NODE_BINARY:
		return node->op == OP_ADD &&
		       (node_is_writable(node->a) || (node_is_pointer(node->b) && node_is_writable(node->b)));
	case NODE_STEP:
	case NODE_ASSIGN: return node_is_writable(node->a) && type_is_pointer(node->type);
	case NODE_CALL: return type_is_pointer(node->type);
	default: return false;
	}
}

struct type *type_element(struct type *type)
{
	struct type *real = type_real(type);

	return real->kind == TYPE_POINTER || real->kind == TYPE_ARRAY ? real->base : NULL;
}

static bool is_void(struct type *type)
{
	return type_real(type)->kind == TYPE_VOID;
}

/* The type as a pointer; for a string, a pointer to its characters. */
static struct type *as_pointer(struct checker *checker, struct type *type)
{
	struct type_table *types = checker->unit->types;

	if (type_is_string(type))
		return type_pointer(types, type_int(types, 1, true));
	return type_element(type) ? type_pointer(types, type_element(type)) : NULL;
}

bool node_pointers_fit(struct checker *checker, const struct node *a, const struct node *b, struct type **type)
{
	struct type *left, *right;

	if (node_is_dynamic(a) || node_is_dynamic(b) || (node_is_int(a) && node_is_int(b)) ||
	    (node_is_int(a) && !node_is_zero(a)) || (node_is_int(b) && !node_is_zero(b)))
		return false;

	left = as_pointer(checker, a->type);
	right = as_pointer(checker, b->type);
	if (node_is_int(a))
		left = right;
	else if (node_is_int(b))
		right = left;
	if (!left || !right)
		return false;
	if (type)
		*type = is_void(right->base) ? left : right;
	return is_void(left->base) || is_void(right->base) || type_same(left->base, right->base);
}

bool type_takes(struct checker *checker, struct type *type, const struct node *node)
{
	struct node parameter = { .kind = NODE_CAST, .type = type };
	enum type_kind kind = type_real(type)->kind;

	if (node_is_dynamic(node))
		return false;
	if ((type_is_int(type) && type_is_int(node->type)) ||
	    (type_is_stringish(type) && type_is_stringish(node->type)))
		return true;
	switch (kind) {
	case TYPE_STACK:
	case TYPE_SYMBOL:
	case TYPE_TERM: return type_real(node->type)->kind == kind;
	case TYPE_STRUCT:
	case TYPE_UNION: return type_same(type, node->type);
	default: return node_pointers_fit(checker, &parameter, node, NULL);
	}
}

bool type_lacks_members(struct checker *checker, struct type *type)
{
	struct type *real = type_real(type);

	return real->is_incomplete && !kernel_types_complete(checker->unit->kernel, real);
}

const char *symbol_kind_text(const struct symbol *symbol)
{
	switch (symbol->kind) {
	case SYMBOL_ASSOC: return "associative array";
	case SYMBOL_AGGREGATION: return "aggregation";
	case SYMBOL_BUILTIN: return symbol->type ? "scalar" : "array";
	case SYMBOL_INLINE: return symbol->params ? "inline function" : "inline";
	case SYMBOL_PARAMETER:
	case SYMBOL_VARIABLE: break;
	}
	return "scalar";
}

const char *node_type_text(struct checker *checker, const struct node *node)
{
	if (node_is_dynamic(node))
		return node->symbol ? symbol_kind_text(node->symbol) : "dynamic";
	return type_text(checker->unit->types, node->type);
}
