// SPDX-License-Identifier: BSD-2-Clause
/* Expressions: C's, computed in words; and strings. */
#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "d/lang/function.h"
#include "d/lower/lower.h"
#include "d/lang/symbol.h"

static bool is_signed(struct type *type)
{
	struct type *real = type_real(type);

	return (real->kind == TYPE_INT || real->kind == TYPE_ENUM) && real->is_signed;
}

/* True for a string as an operand of a comparison, an assignment or a choice. */
static bool is_string(const struct node *node)
{
	return type_is_string(node->type);
}

/* Comparisons. */

static struct place compare_words(struct lower *lower, enum node_op how, struct place a, struct place b, bool sign)
{
	struct place result = lower_temp(lower);
	int end = lower_label(lower);

	lower_move(lower, result, place_const(1));
	lower_if(lower, a, how, b, sign, end);
	lower_move(lower, result, place_const(0));
	lower_here(lower, end);
	return result;
}

/* True if exactly one of them is NULL. */
static struct place null_xor(struct lower *lower, struct place first, const struct node *b, struct place second)
{
	return lower_compute(lower, OP_XOR, first, lower_is_null(lower, b, second), false);
}

static struct place and_not(struct lower *lower, struct ir *same, struct place differs)
{
	same->dst = lower_temp(lower);
	if (differs.area == AREA_CONST)
		return same->dst;
	return lower_compute(lower, OP_AND, same->dst, lower_compute(lower, OP_XOR, differs, place_const(1), false),
			     false);
}

static struct place same_strings(struct lower *lower, struct node *a, struct node *b)
{
	struct place first = lower_string(lower, a), differs = lower_is_null(lower, a, first);
	struct ir *ir;

	if (b->kind == NODE_STRING) {
		ir = lower_add(lower, IR_SAME_TEXT);
		ir->text = b->text;
		ir->size = (uint32_t)(b->length > lower->unit->options.strsize ? lower->unit->options.strsize
									       : b->length);
		ir->a = first;
	} else {
		struct place second = lower_string(lower, b);

		ir = lower_add(lower, IR_SAME_STRING);
		ir->a = first;
		ir->b = second;
		ir->size = (uint32_t)lower->layout->room;
		differs = null_xor(lower, differs, b, second);
	}
	return and_not(lower, ir, differs);
}

/* A string compared with 0 or NULL. Unless NULL is distinct, an empty or unset string equals it. */
static struct place compare_with_null(struct lower *lower, enum node_op how, struct node *string)
{
	struct ir *ir;
	struct place place = lower_string(lower, string), is_null;

	if (lower_has_null(lower)) {
		is_null = lower_is_null(lower, string, place);
		return compare_words(lower, how, lower_compute(lower, OP_XOR, is_null, place_const(1), false),
				     place_const(0), false);
	}
	ir = lower_add(lower, IR_LOAD);
	ir->dst = lower_temp(lower);
	ir->a = place;
	ir->size = 1;
	return compare_words(lower, how, ir->dst, place_const(0), false);
}

static struct place compare_strings(struct lower *lower, struct node *node)
{
	struct node *a = node->a, *b = node->b;
	struct place args[2], order;

	if (!type_is_stringish(a->type))
		return compare_with_null(lower, node->op, b);
	if (!type_is_stringish(b->type))
		return compare_with_null(lower, node->op, a);
	if (a->kind == NODE_STRING && (node->op == OP_EQ || node->op == OP_NE)) {
		a = node->b;
		b = node->a;
	}
	if (node->op == OP_EQ)
		return same_strings(lower, a, b);
	if (node->op == OP_NE)
		return lower_compute(lower, OP_XOR, same_strings(lower, a, b), place_const(1), false);
	args[0] = lower_in_frame(lower, lower_string(lower, a));
	args[1] = lower_in_frame(lower, lower_string(lower, b));
	order = lower_call(lower, "d_strcmp", args, 2);
	/* NULL sorts before "", although its text is empty. */
	if (lower_may_be_null(lower, a))
		order = lower_compute(lower, OP_SUB, order, lower_is_null(lower, a, args[0]), false);
	if (lower_may_be_null(lower, b))
		order = lower_compute(lower, OP_ADD, order, lower_is_null(lower, b, args[1]), false);
	return compare_words(lower, node->op, order, place_const(0), true);
}

static struct place compare(struct lower *lower, struct node *node)
{
	struct type *common = node->common ? node->common : node->a->type;
	struct place a, b;

	if (is_string(node->a) || is_string(node->b))
		return compare_strings(lower, node);
	a = lower_word(lower, node->a);
	b = lower_word(lower, node->b);
	return compare_words(lower, node->op, a, b, is_signed(common));
}

/* Arithmetic. */

static struct place divide(struct lower *lower, struct node *node, struct place a, struct place b, struct type *type)
{
	struct place args[] = { a, b };
	const char *name = node->op == OP_DIV ? (is_signed(type) ? "d_sdiv" : "d_udiv")
					      : (is_signed(type) ? "d_smod" : "d_umod");

	return lower_call(lower, name, args, 2);
}

static size_t pointed_size(struct type *pointer)
{
	struct type *base = type_real(type_real(pointer)->base);

	return base->kind == TYPE_VOID || !base->size ? 1 : base->size;
}

static bool is_address(struct type *type)
{
	enum type_kind kind = type_real(type)->kind;

	return kind == TYPE_POINTER || kind == TYPE_ARRAY;
}

static struct place pointer_arithmetic(struct lower *lower, enum node_op op, struct node *na, struct node *nb,
				       struct place a, struct place b)
{
	if (is_address(na->type) && is_address(nb->type)) {
		struct place args[] = { lower_compute(lower, OP_SUB, a, b, false),
					place_const((int64_t)pointed_size(na->type)) };

		return lower_call(lower, "d_sdiv", args, 2);
	}
	if (is_address(na->type))
		b = lower_compute(lower, OP_MUL, b, place_const((int64_t)pointed_size(na->type)), false);
	else
		a = lower_compute(lower, OP_MUL, a, place_const((int64_t)pointed_size(nb->type)), false);
	return lower_compute(lower, op, a, b, false);
}

static struct place arithmetic(struct lower *lower, struct node *node, struct node *left, struct place a,
			       struct node *right, struct place b)
{
	struct type *type = node->common ? node->common : node->type;

	if ((node->op == OP_ADD || node->op == OP_SUB) && (is_address(left->type) || is_address(right->type)))
		return pointer_arithmetic(lower, node->op, left, right, a, b);
	if (node->op == OP_DIV || node->op == OP_MOD)
		return divide(lower, node, a, b, type);
	return lower_compute(lower, node->op, a, b, is_signed(type));
}

/* Logic. */

void lower_branch(struct lower *lower, struct node *node, int if_false)
{
	if (node->kind == NODE_BINARY && node->op == OP_LAND) {
		lower_branch(lower, node->a, if_false);
		lower_branch(lower, node->b, if_false);
		return;
	}
	if (type_is_string(node->type)) {
		lower_if(lower, compare_with_null(lower, OP_NE, node), OP_EQ, place_const(0), false, if_false);
		return;
	}
	lower_if(lower, lower_word(lower, node), OP_EQ, place_const(0), false, if_false);
}

static struct place logic(struct lower *lower, struct node *node)
{
	struct place result = lower_temp(lower);
	int no = lower_label(lower), end = lower_label(lower), second = lower_label(lower);

	if (node->op == OP_LXOR) {
		struct place a = compare_words(lower, OP_NE, lower_word(lower, node->a), place_const(0), false);
		struct place b = compare_words(lower, OP_NE, lower_word(lower, node->b), place_const(0), false);

		return lower_compute(lower, OP_XOR, a, b, false);
	}
	if (node->op == OP_LAND) {
		lower_branch(lower, node, no);
	} else {
		lower_branch(lower, node->a, second);
		lower_move(lower, result, place_const(1));
		lower_goto(lower, end);
		lower_here(lower, second);
		lower_branch(lower, node->b, no);
	}
	lower_move(lower, result, place_const(1));
	lower_goto(lower, end);
	lower_here(lower, no);
	lower_move(lower, result, place_const(0));
	lower_here(lower, end);
	return result;
}

static struct place binary(struct lower *lower, struct node *node)
{
	struct place a, b;

	switch (node->op) {
	case OP_COMMA: lower_effect(lower, node->a); return lower_word(lower, node->b);
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR: return logic(lower, node);
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE: return compare(lower, node);
	default:
		a = lower_word(lower, node->a);
		b = lower_word(lower, node->b);
		return arithmetic(lower, node, node->a, a, node->b, b);
	}
}

static struct place load(struct lower *lower, struct node *node)
{
	enum type_kind kind = type_real(node->type)->kind;
	struct lvalue lvalue;

	if (!lower_lvalue(lower, node, &lvalue)) {
		lower_unsupported(lower, node, "this expression");
		return place_const(0);
	}
	/* Arrays and structs are represented by their address. */
	if (kind == TYPE_ARRAY || kind == TYPE_STRUCT || kind == TYPE_UNION || kind == TYPE_STRING)
		return lvalue_address(lower, &lvalue);
	return lvalue_load(lower, &lvalue);
}

static struct place unary(struct lower *lower, struct node *node)
{
	struct lvalue lvalue;
	struct place a;
	struct ir *ir;

	switch (node->op) {
	case OP_PLUS: return lower_word(lower, node->a);
	case OP_LNOT:
		if (is_string(node->a))
			return compare_with_null(lower, OP_EQ, node->a);
		return compare_words(lower, OP_EQ, lower_word(lower, node->a), place_const(0), false);
	case OP_ADDR:
		if (!lower_lvalue(lower, node->a, &lvalue))
			return lower_word(lower, node->a);
		return lvalue_address(lower, &lvalue);
	case OP_DEREF: return load(lower, node);
	default:
		a = lower_word(lower, node->a);
		ir = lower_add(lower, node->op == OP_NEG ? IR_NEGATE : IR_INVERT);
		ir->a = a;
		ir->dst = lower_temp(lower);
		return ir->dst;
	}
}

/* Assignments. */

/* A struct is represented by its address, and copied as a whole into a variable or an element. */
static struct place assign_struct(struct lower *lower, struct node *node, const struct lvalue *to)
{
	struct place from;
	struct ir *ir;

	if (to->kind == LVALUE_ELEMENT && node_is_zero(node->b)) {
		lvalue_delete(lower, to);
		return place_const(0);
	}
	from = lower_word(lower, node->b);
	if (to->kind == LVALUE_INDEXED) {
		lvalue_copy_at(lower, to, from, (uint32_t)type_real(node->type)->size);
		return from;
	}
	if (to->kind == LVALUE_POINTER) {
		struct place args[] = { from, lvalue_address(lower, to),
					place_const((int64_t)type_real(node->type)->size) };

		lower_call(lower, "d_bcopy", args, 3);
		return from;
	}
	if (to->kind == LVALUE_ELEMENT)
		lvalue_load_value(lower, to);
	ir = lower_add(lower, IR_COPY_FROM);
	ir->dst = to->kind == LVALUE_PLACE ? to->place : place_at(AREA_VALUE, to->offset);
	ir->a = from;
	ir->size = (uint32_t)type_real(node->type)->size;
	ir->label = lower->fault;
	if (to->kind == LVALUE_ELEMENT)
		lvalue_store_value(lower, to);
	return from;
}

static struct place assign(struct lower *lower, struct node *node)
{
	enum type_kind kind = type_real(node->a->type)->kind;
	struct lvalue lvalue;
	struct place value, old;

	if (node->op == OP_NONE && kind != TYPE_STRUCT && kind != TYPE_UNION) {
		value = lower_word(lower, node->b);
		/* A pointer to a temporary string, as in p = execname, is valid until the end of the clause. */
		if (kind == TYPE_POINTER)
			lower->kept_strings = lower->strings;
		if (lower_lvalue(lower, node->a, &lvalue))
			lvalue_store(lower, &lvalue, value);
		return value;
	}
	if (!lower_lvalue(lower, node->a, &lvalue)) {
		lower_unsupported(lower, node, "this assignment");
		return place_const(0);
	}
	if (kind == TYPE_STRUCT || kind == TYPE_UNION)
		return assign_struct(lower, node, &lvalue);
	value = lower_word(lower, node->b);
	old = lvalue_load(lower, &lvalue);
	value = arithmetic(lower, node, node->a, old, node->b, value);
	lvalue_store(lower, &lvalue, value);
	return value;
}

static struct place step(struct lower *lower, struct node *node)
{
	struct type *type = node->a->type;
	int64_t by = is_address(type) ? (int64_t)pointed_size(type) : 1;
	struct lvalue lvalue;
	struct place old, new;

	if (!lower_lvalue(lower, node->a, &lvalue)) {
		lower_unsupported(lower, node, "this increment");
		return place_const(0);
	}
	old = lvalue_load(lower, &lvalue);
	new = lower_compute(lower, node->op, old, place_const(by), false);
	lvalue_store(lower, &lvalue, new);
	return node->is_prefix ? new : old;
}

static struct place choose(struct lower *lower, struct node *node)
{
	struct place result = lower_temp(lower);
	int otherwise = lower_label(lower), end = lower_label(lower);

	lower_branch(lower, node->a, otherwise);
	lower_move(lower, result, lower_word(lower, node->b));
	lower_goto(lower, end);
	lower_here(lower, otherwise);
	lower_move(lower, result, lower_word(lower, node->c));
	lower_here(lower, end);
	return result;
}

static struct place identifier(struct lower *lower, struct node *node)
{
	struct symbol *symbol = node->symbol;

	if (symbol && symbol->kind == SYMBOL_BUILTIN)
		return lower_builtin(lower, node);
	if (symbol && (symbol->kind == SYMBOL_INLINE || symbol->kind == SYMBOL_PARAMETER) && symbol->value)
		return lower_cast(lower, lower_word(lower, symbol->value), symbol->value->type, node->type);
	return load(lower, node);
}

static struct place address_of_string(struct lower *lower, struct node *node)
{
	struct place string = lower_string(lower, node);
	struct ir *ir = lower_add(lower, IR_ADDRESS);

	ir->a = string;
	ir->dst = lower_temp(lower);
	if (!lower_may_be_null(lower, node))
		return ir->dst;
	/* The address of NULL is 0. */
	return lower_compute(lower, OP_AND, ir->dst,
			     lower_compute(lower, OP_SUB, lower_is_null(lower, node, string), place_const(1), false),
			     false);
}

struct place lower_word(struct lower *lower, struct node *node)
{
	if (node->is_constant)
		return place_const((int64_t)node->value);
	if (is_string(node))
		return address_of_string(lower, node);
	switch (node->kind) {
	case NODE_INT: return place_const((int64_t)node->value);
	case NODE_IDENT: return identifier(lower, node);
	case NODE_UNARY: return unary(lower, node);
	case NODE_BINARY: return binary(lower, node);
	case NODE_ASSIGN: return assign(lower, node);
	case NODE_STEP: return step(lower, node);
	case NODE_COND: return choose(lower, node);
	case NODE_INDEX:
		/* args[], uregs[]: one with a type is a string, indexed by character. */
		if (node->a->symbol && node->a->symbol->kind == SYMBOL_BUILTIN && !node->a->symbol->type)
			return lower_builtin(lower, node);
		return load(lower, node);
	case NODE_MEMBER: return load(lower, node);
	case NODE_CAST: return lower_cast(lower, lower_word(lower, node->a), node->a->type, node->type);
	case NODE_CALL: return lower_call_node(lower, node);
	default: lower_unsupported(lower, node, "this expression"); return place_const(0);
	}
}

void lower_effect(struct lower *lower, struct node *node)
{
	if (node->kind == NODE_BINARY && node->op == OP_COMMA) {
		lower_effect(lower, node->a);
		lower_effect(lower, node->b);
	} else if (type_is_string(node->type)) {
		lower_string(lower, node);
	} else {
		lower_word(lower, node);
	}
}

/* Strings. */

struct place lower_in_frame(struct lower *lower, struct place string)
{
	struct place slot;

	if (string.area != AREA_GLOBALS)
		return string;
	slot = lower_slot(lower);
	lower_copy(lower, slot, string, lower->layout->room);
	return slot;
}

static struct place choose_string(struct lower *lower, struct node *node)
{
	struct place slot = lower_slot(lower);
	int otherwise = lower_label(lower), end = lower_label(lower);

	lower_branch(lower, node->a, otherwise);
	lower_copy(lower, slot, lower_string(lower, node->b), lower->layout->room);
	lower_goto(lower, end);
	lower_here(lower, otherwise);
	lower_copy(lower, slot, lower_string(lower, node->c), lower->layout->room);
	lower_here(lower, end);
	return slot;
}

static struct place assign_string(struct lower *lower, struct node *node)
{
	struct place string = lower_string(lower, node->b);
	struct lvalue lvalue;
	bool has_place = lower_lvalue(lower, node->a, &lvalue);

	if (has_place && node_is_zero(node->b) && lvalue_is_element(&lvalue))
		lvalue_delete(lower, &lvalue);
	else if (has_place)
		lvalue_store_string(lower, &lvalue, string);
	return string;
}

/* The remainder of a string after pointer arithmetic. */
static struct place string_moved(struct lower *lower, struct node *node)
{
	struct node *string = type_is_string(node->a->type) ? node->a : node->b;
	struct place by = lower_word(lower, string == node->a ? node->b : node->a);
	struct place from = lower_in_frame(lower, lower_string(lower, string));
	struct place slot = lower_slot(lower), args[2];
	int good = lower_label(lower);
	struct ir *ir;

	lower_if(lower, by, OP_LE, place_const((int64_t)lower->unit->options.strsize), false, good);
	ir = lower_add(lower, IR_FAULT);
	ir->imm = D_FAULT_BADADDR;
	ir->a = by;
	ir->label = lower->fault;
	lower_here(lower, good);
	ir = lower_add(lower, IR_ADDRESS);
	ir->a = from;
	ir->dst = lower_temp(lower);
	args[0] = slot;
	args[1] = lower_compute(lower, OP_ADD, ir->dst, by, false);
	lower_call(lower, "d_stringof", args, 2);
	return slot;
}

/* A word that is the address of a string in kernel memory, such as alloca(); NULL is the empty string. */
static struct place string_at(struct lower *lower, struct place address)
{
	struct place slot = lower_slot(lower), args[] = { slot, address };

	if (address.area == AREA_CONST && !address.value)
		return lower_null(lower);
	lower_call(lower, "d_stringof", args, 2);
	return slot;
}

struct place lower_string(struct lower *lower, struct node *node)
{
	struct lvalue lvalue;

	if (!type_is_stringish(node->type))
		return string_at(lower, lower_word(lower, node));
	switch (node->kind) {
	case NODE_STRING: return lower_constant(lower, node->text, node->length);
	case NODE_COND: return choose_string(lower, node);
	case NODE_STRINGOF:
	case NODE_CAST: return lower_string(lower, node->a);
	case NODE_CALL:
		if (!type_is_string(node->type))
			return string_at(lower, lower_call_node(lower, node));
		return lower_call_node(lower, node);
	case NODE_ASSIGN:
		if (type_is_string(node->type))
			return assign_string(lower, node);
		return string_at(lower, lower_word(lower, node));
	case NODE_BINARY:
		if (node->op == OP_COMMA) {
			lower_effect(lower, node->a);
			return lower_string(lower, node->b);
		}
		if (type_is_string(node->type))
			return string_moved(lower, node);
		return string_at(lower, lower_word(lower, node));
	case NODE_IDENT:
		if (node->symbol && node->symbol->kind == SYMBOL_BUILTIN)
			return type_is_string(node->type) ? lower_builtin(lower, node)
							  : string_at(lower, lower_builtin(lower, node));
		if (node->symbol && node->symbol->value)
			return lower_string(lower, node->symbol->value);
		break;
	case NODE_INDEX:
	case NODE_MEMBER: break;
	default:
		if (!type_is_string(node->type))
			return string_at(lower, lower_word(lower, node));
	}
	if (!lower_lvalue(lower, node, &lvalue)) {
		lower_unsupported(lower, node, "this string");
		return lower_constant(lower, "", 0);
	}
	return lvalue_string(lower, &lvalue);
}
