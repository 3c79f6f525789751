// SPDX-License-Identifier: BSD-2-Clause
/*
 * NULL strings: their last byte, which text never reaches, is 1 (bpf/d/string.bpf.h). In Oracle's DTrace, an unassigned
 * string is NULL. It differs from "" and sorts before it; recording it, using it as a key or reading its characters is
 * a fault. In illumos, NULL equals "". A string that cannot be NULL costs nothing; others need a branch only where a
 * fault is possible.
 */
#include <string.h>

#include "d.h"
#include "d/lang/function.h"
#include "d/lang/symbol.h"
#include "d/lower/lower.h"

bool lower_has_null(const struct lower *lower)
{
	return lower->unit->options.compat == COMPAT_ORACLE;
}

static bool gives_null(const struct d_function *function)
{
	static const char *const names[] = { "strchr", "strrchr", "strstr", "strtok", "json" };

	for (size_t i = 0; function && i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(function->name, names[i]))
			return true;
	}
	return false;
}

static bool may_be_null(const struct node *node)
{
	switch (node->kind) {
	case NODE_INT: return true;
	case NODE_IDENT:
		if (node->symbol && node->symbol->value)
			return may_be_null(node->symbol->value);
		return type_is_string(node->type) && node->symbol && node->symbol->kind == SYMBOL_VARIABLE;
	case NODE_INDEX: return type_is_string(node->type) && node->a->kind == NODE_IDENT && node->symbol;
	case NODE_CALL: return gives_null(node->function);
	case NODE_STRINGOF:
	case NODE_CAST: return type_is_string(node->a->type) && may_be_null(node->a);
	case NODE_COND: return may_be_null(node->b) || may_be_null(node->c);
	case NODE_ASSIGN: return node->op == OP_NONE && type_is_string(node->type) && may_be_null(node->b);
	case NODE_BINARY: return node->op == OP_COMMA && may_be_null(node->b);
	default: return false;
	}
}

bool lower_may_be_null(const struct lower *lower, const struct node *node)
{
	return lower_has_null(lower) && may_be_null(node);
}

struct place lower_is_null(struct lower *lower, const struct node *node, struct place string)
{
	struct ir *ir;

	if (!lower_may_be_null(lower, node))
		return place_const(0);
	ir = lower_add(lower, IR_LOAD);
	ir->dst = lower_temp(lower);
	ir->a = place_plus(string, (uint32_t)lower->layout->room - 1);
	ir->size = 1;
	return ir->dst;
}

struct place lower_not_null(struct lower *lower, const struct node *node, struct place string)
{
	struct place is_null = lower_is_null(lower, node, string);
	int good = lower_label(lower);
	struct ir *ir;

	if (is_null.area == AREA_CONST)
		return string;
	lower_if(lower, is_null, OP_EQ, place_const(0), false, good);
	ir = lower_add(lower, IR_FAULT);
	ir->imm = D_FAULT_BADADDR;
	ir->a = place_const(0);
	ir->label = lower->fault;
	lower_here(lower, good);
	return string;
}

void lower_set_null(struct lower *lower, struct place string)
{
	struct ir *ir;

	if (!lower_has_null(lower))
		return;
	ir = lower_add(lower, IR_STORE);
	ir->dst = place_plus(string, (uint32_t)lower->layout->room - 1);
	ir->a = place_const(1);
	ir->size = 1;
}

struct place lower_null(struct lower *lower)
{
	struct place slot;

	if (!lower_has_null(lower))
		return lower_constant(lower, "", 0);
	slot = lower_slot(lower);
	lower_copy(lower, slot, lower_constant(lower, "", 0), lower->layout->room);
	lower_set_null(lower, slot);
	return slot;
}
