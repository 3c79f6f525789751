// SPDX-License-Identifier: BSD-2-Clause
/* Operators must compute what emit.c and bpf/d/ compute at run time: tests/tools/test_d_constants.py compares. */
#include "d/lang/fold.h"

#include <string.h>

uint64_t fold_extend(uint64_t value, struct type *type)
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

bool fold_is_cut(struct type *from, struct type *to)
{
	size_t size = type_is_int(from) ? type_real(from)->size : 8;
	bool was_signed = type_is_int(from) && type_real(from)->is_signed;

	if (!type_is_int(to) || type_real(to)->size >= 8)
		return false;
	if (type_real(to)->size > size)
		return was_signed && !type_real(to)->is_signed;
	return type_real(to)->size < size || type_real(to)->is_signed != was_signed;
}

void fold_cast(struct folded *folded, struct type *to)
{
	if (fold_is_cut(folded->type, to))
		folded->value = fold_extend(folded->value, to);
	folded->type = to;
}

static bool divide(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value)
{
	bool is_remainder = op == OP_MOD;

	if (!b)
		return false;
	if (is_signed && (int64_t)b == -1) /* the least number has no opposite */
		*value = is_remainder ? 0 : -a;
	else if (is_signed)
		*value = (uint64_t)(is_remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	else
		*value = is_remainder ? a % b : a / b;
	return true;
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

bool fold_words(enum node_op op, uint64_t a, uint64_t b, bool is_signed, uint64_t *value)
{
	switch (op) {
	case OP_ADD: *value = a + b; break;
	case OP_SUB: *value = a - b; break;
	case OP_MUL: *value = a * b; break;
	case OP_DIV:
	case OP_MOD: return divide(op, a, b, is_signed, value);
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

static struct type *int_type(struct type_table *types)
{
	return type_int(types, 4, true);
}

bool fold_unary(struct type_table *types, enum node_op op, const struct folded *a, struct folded *result)
{
	struct type *type = op == OP_LNOT ? int_type(types) : type_promote(types, a->type);
	uint64_t value = a->value;

	switch (op) {
	case OP_NEG:
		/* -1U is 4294967295, as in DTrace; a non-constant operand is negated as a whole word. */
		value = type_real(type)->is_signed ? -value : fold_extend(-value, type);
		break;
	case OP_NOT: value = ~value; break;
	case OP_LNOT: value = !value; break;
	case OP_PLUS: break;
	default: return false;
	}
	*result = (struct folded){ value, type };
	return true;
}

/* The type that decides whether an operator is signed; NULL: irrelevant. */
static struct type *computing_type(struct type_table *types, enum node_op op, struct type *a, struct type *b)
{
	switch (op) {
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR: return NULL;
	case OP_SHL:
	case OP_SHR: return type_promote(types, a);
	default: return type_common(types, a, b);
	}
}

bool fold_binary(struct type_table *types, enum node_op op, const struct folded *a, const struct folded *b,
		 struct folded *result)
{
	struct type *type = computing_type(types, op, a->type, b->type);
	bool is_truth = !type || (op >= OP_EQ && op <= OP_GE);
	uint64_t value;

	if (!fold_words(op, a->value, b->value, type && type_real(type)->is_signed, &value))
		return false;
	if (is_truth)
		type = int_type(types);
	*result = (struct folded){ value, type };
	return true;
}

/* --- Expressions --- */

struct type *fold_number_type(struct type_table *types, const struct node *number)
{
	if (number->type)
		return number->type;
	if ((int64_t)number->value < 0)
		return type_int(types, 8, false);
	return type_int(types, number->value <= INT32_MAX ? 4 : 8, true);
}

/* An enumerator, or an inline that is a number. */
static bool fold_name(struct type_table *types, const struct program *program, const char *name, struct folded *result)
{
	const struct declaration *declaration = program->declarations;
	int64_t number;

	if (type_enumerator(types, name, &number, NULL)) {
		*result = (struct folded){ (uint64_t)number, type_of_enumerator(types, number) };
		return true;
	}
	for (; declaration; declaration = declaration->next) {
		if (declaration->is_inline && !declaration->params && strcmp(declaration->name, name) == 0 &&
		    declaration->value->kind == NODE_INT && type_is_int(declaration->type)) {
			*result = (struct folded){ declaration->value->value,
						   fold_number_type(types, declaration->value) };
			fold_cast(result, declaration->type);
			return true;
		}
	}
	return false;
}

static bool fold_size(struct type_table *types, uint64_t size, struct folded *result)
{
	struct type *type = type_named(types, "size_t");

	*result = (struct folded){ size, type ? type : type_int(types, 8, false) };
	return true;
}

/* If both sides are constant, the type is the common type; otherwise the value does not depend on the other side. */
static bool fold_choice(struct type_table *types, const struct program *program, const struct node *node,
			struct folded *result)
{
	struct folded condition, other;

	if (!fold_node(types, program, node->a, &condition) ||
	    !fold_node(types, program, condition.value ? node->b : node->c, result))
		return false;
	if (fold_node(types, program, condition.value ? node->c : node->b, &other))
		result->type = type_common(types, result->type, other.type);
	return true;
}

static bool fold_cast_node(struct type_table *types, const struct program *program, const struct node *node,
			   struct folded *result)
{
	if (!type_is_int(node->named) || !fold_node(types, program, node->a, result))
		return false;
	fold_cast(result, node->named);
	return true;
}

bool fold_node(struct type_table *types, const struct program *program, const struct node *node, struct folded *result)
{
	struct folded right;
	uint64_t offset;

	switch (node->kind) {
	case NODE_INT: *result = (struct folded){ node->value, fold_number_type(types, node) }; return true;
	case NODE_IDENT: return node->scope == SCOPE_GLOBAL && fold_name(types, program, node->name, result);
	case NODE_UNARY:
		return fold_node(types, program, node->a, result) && fold_unary(types, node->op, result, result);
	case NODE_BINARY:
		return fold_node(types, program, node->a, result) && fold_node(types, program, node->b, &right) &&
		       fold_binary(types, node->op, result, &right, result);
	case NODE_COND: return fold_choice(types, program, node, result);
	case NODE_CAST: return fold_cast_node(types, program, node, result);
	case NODE_SIZEOF: return node->named && fold_size(types, type_real(node->named)->size, result);
	case NODE_OFFSETOF:
		return type_is_struct(node->named) && type_member(node->named, node->name, &offset) &&
		       fold_size(types, offset / 8, result);
	default: return false;
	}
}
