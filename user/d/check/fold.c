// SPDX-License-Identifier: BSD-2-Clause
/* Constants: computed as the kernel would at run time, in 64 bits, then cut to the type of the result. */
#include "d/check/checker.h"

uint64_t int_of_type(uint64_t value, struct type *type)
{
	struct type *real = type_real(type);
	unsigned int unused;

	if (real->size == 0 || real->size >= 8)
		return value;
	unused = 64 - 8 * (unsigned int)real->size;
	if (type_is_int(type) && real->is_signed)
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

void node_set_int(struct node *node, uint64_t value, struct type *type)
{
	node->kind = NODE_INT;
	node->a = node->b = node->c = node->args = NULL;
	node->symbol = NULL;
	node->common = NULL;
	node->is_lvalue = false;
	node->is_constant = true;
	node->value = int_of_type(value, type);
	node->type = type;
}

void fold_unary(struct node *node)
{
	uint64_t value = node->a->value;

	if (node->a->kind != NODE_INT)
		return;
	switch (node->op) {
	case OP_NEG: value = -value; break;
	case OP_NOT: value = ~value; break;
	case OP_LNOT: value = !value; break;
	case OP_PLUS: break;
	default: return;
	}
	node_set_int(node, value, node->type);
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder)
{
	if (is_signed && (int64_t)b == -1) /* the least number has no opposite */
		return remainder ? 0 : -a;
	if (is_signed)
		return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return remainder ? a % b : a / b;
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* False: not an operator of two integers. */
static bool compute(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value)
{
	switch (op) {
	case OP_ADD: *value = a + b; break;
	case OP_SUB: *value = a - b; break;
	case OP_MUL: *value = a * b; break;
	case OP_DIV: *value = divide(a, b, is_signed, false); break;
	case OP_MOD: *value = divide(a, b, is_signed, true); break;
	case OP_AND: *value = a & b; break;
	case OP_OR: *value = a | b; break;
	case OP_XOR: *value = a ^ b; break;
	case OP_SHL: *value = a << (b & 63); break;
	case OP_SHR: *value = is_signed ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63); break;
	case OP_LAND: *value = a && b; break;
	case OP_LOR: *value = a || b; break;
	case OP_LXOR: *value = !a != !b; break;
	case OP_EQ: *value = a == b; break;
	case OP_NE: *value = a != b; break;
	case OP_LT: *value = is_less(a, b, is_signed); break;
	case OP_LE: *value = !is_less(b, a, is_signed); break;
	case OP_GT: *value = is_less(b, a, is_signed); break;
	case OP_GE: *value = !is_less(a, b, is_signed); break;
	default: return false;
	}
	return true;
}

/* Without a common type, as of && or the count of a shift, an operand is taken as it is. */
static uint64_t operand(const struct node *node, const struct node *side)
{
	bool is_count = side == node->b && (node->op == OP_SHL || node->op == OP_SHR);

	return node->common && !is_count ? int_of_type(side->value, node->common) : side->value;
}

void fold_binary(struct node *node)
{
	struct type *type = node->common ? node->common : node->type;
	uint64_t value;

	if (node->a->kind != NODE_INT || node->b->kind != NODE_INT || !type_is_int(type))
		return;
	if (compute(node->op, operand(node, node->a), operand(node, node->b), type_real(type)->is_signed, &value))
		node_set_int(node, value, node->type);
}

void fold_cast(struct node *node)
{
	if (node->a->kind == NODE_INT && type_is_int(node->type))
		node_set_int(node, node->a->value, node->type);
}
