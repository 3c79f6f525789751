// SPDX-License-Identifier: BSD-2-Clause
/* Nodes with constant operands become constants. */
#include "d/check/checker.h"

#include "d/lang/fold.h"

void node_set_int(struct node *node, uint64_t value, struct type *type)
{
	node->kind = NODE_INT;
	node->a = node->b = node->c = node->args = NULL;
	node->symbol = NULL;
	node->common = NULL;
	node->is_lvalue = false;
	node->is_constant = true;
	node->value = value;
	node->type = type;
}

static bool is_constant(const struct node *node)
{
	return node->kind == NODE_INT && type_is_int(node->type);
}

static struct folded constant_of(const struct node *node)
{
	return (struct folded){ node->value, node->type };
}

void node_fold(struct checker *checker, struct node *node)
{
	struct type_table *types = checker->unit->types;
	struct folded a, b, result;
	bool ok;

	if (!is_constant(node->a) || (node->kind == NODE_BINARY && !is_constant(node->b)))
		return;
	a = constant_of(node->a);
	switch (node->kind) {
	case NODE_UNARY: ok = fold_unary(types, node->op, &a, &result); break;
	case NODE_BINARY:
		b = constant_of(node->b);
		ok = fold_binary(types, node->op, &a, &b, &result);
		break;
	case NODE_CAST:
		ok = type_is_int(node->type);
		if (ok) {
			result = a;
			fold_cast(&result, node->type);
		}
		break;
	default: return;
	}
	if (ok)
		node_set_int(node, result.value, node->type);
}
