// SPDX-License-Identifier: BSD-2-Clause
/* Classification of checked nodes, for the checker and the lowering. */
#include "d/lang/ast.h"

#include <string.h>

#include "d/lang/symbol.h"

bool node_is_zero(const struct node *node)
{
	return node->kind == NODE_INT && node->value == 0;
}

static bool is_scratch_symbol(const struct symbol *symbol)
{
	return symbol && symbol->is_scratch && !symbol->is_elsewhere;
}

bool node_is_scratch(const struct node *node)
{
	switch (node->kind) {
	case NODE_CALL: return strcmp(node->name, "alloca") == 0 || strcmp(node->name, "copyin") == 0;
	case NODE_IDENT: return is_scratch_symbol(node->symbol);
	case NODE_INDEX:
		return node->symbol ? is_scratch_symbol(node->symbol)
				    : type_real(node->type)->kind == TYPE_ARRAY && node_is_scratch(node->a);
	case NODE_MEMBER: return type_real(node->type)->kind == TYPE_ARRAY && node_is_scratch(node->a);
	case NODE_CAST:
	case NODE_STEP: return node_is_scratch(node->a);
	case NODE_ASSIGN: return node->op == OP_NONE ? node_is_scratch(node->b) : node_is_scratch(node->a);
	case NODE_COND:
		return node_is_scratch(node->b) ? node_is_scratch(node->c) || node_is_zero(node->c)
						: node_is_zero(node->b) && node_is_scratch(node->c);
	case NODE_BINARY:
		return node->op == OP_COMMA ? node_is_scratch(node->b)
					    : (node->op == OP_ADD || node->op == OP_SUB) &&
						      (node_is_scratch(node->a) || node_is_scratch(node->b));
	case NODE_UNARY:
		if (node->op == OP_ADDR) /* &p[i], &p->x, &*p */
			return node->a->a && !node->a->symbol && node_is_scratch(node->a->a);
		return node->op == OP_DEREF && type_real(node->type)->kind == TYPE_ARRAY && node_is_scratch(node->a);
	default: return false;
	}
}

const char *op_text(enum node_op op)
{
	static const char *const texts[] = {
		[OP_NONE] = "=", [OP_ADD] = "+",   [OP_SUB] = "-",   [OP_MUL] = "*",  [OP_DIV] = "/",  [OP_MOD] = "%",
		[OP_AND] = "&",	 [OP_OR] = "|",	   [OP_XOR] = "^",   [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_LAND] = "&&",
		[OP_LOR] = "||", [OP_LXOR] = "^^", [OP_EQ] = "==",   [OP_NE] = "!=",  [OP_LT] = "<",   [OP_LE] = "<=",
		[OP_GT] = ">",	 [OP_GE] = ">=",   [OP_COMMA] = ",", [OP_NEG] = "-",  [OP_PLUS] = "+", [OP_NOT] = "~",
		[OP_LNOT] = "!", [OP_DEREF] = "*", [OP_ADDR] = "&",
	};

	return texts[op];
}
