// SPDX-License-Identifier: BSD-2-Clause
/*
 * Expressions: each node gets its type and, if it is constant, its value. Operators follow C (K&R A7) on a 64-bit
 * machine; D adds string comparison and a logical exclusive or.
 */
#include "d/check/checker.h"

#include <string.h>

#include "base/arena.h"
#include "d/lang/fold.h"

static bool fail(struct checker *checker, const struct node *node, const char *tag, const char *what)
{
	check_error(checker, node, tag, "operator %s requires %s", op_text(node->op), what);
	return false;
}

static bool incompatible(struct checker *checker, const struct node *node)
{
	check_error(checker, node, "D_OP_INCOMPAT", "operands have incompatible types: \"%s\" %s \"%s\"",
		    node_type_text(checker, node->a), op_text(node->op), node_type_text(checker, node->b));
	return false;
}

static struct type *int_type(struct checker *checker)
{
	return type_int(checker->unit->types, 4, true);
}

/* The address of code or of an unknown type: no arithmetic. */
static bool has_no_step(const struct node *node)
{
	struct type *element = type_element(node->type);

	return element && (type_real(element)->kind == TYPE_VOID || type_real(element)->kind == TYPE_FUNCTION);
}

bool check_list(struct checker *checker, struct node *nodes)
{
	bool ok = true;

	for (struct node *node = nodes; node; node = node->next)
		ok = check_expression(checker, node) && ok;
	return ok;
}

static bool check_int(struct checker *checker, struct node *node)
{
	node->type = fold_number_type(checker->unit->types, node);
	node->is_constant = true;
	return true;
}

/* The target of xlate <T *> (e) is xlate <T> (e). */
static bool deref_translated(struct node *node)
{
	struct node *next = node->next;

	*node = *node->a;
	node->next = next;
	node->named = type_element(node->named);
	return true;
}

static bool check_deref(struct checker *checker, struct node *node)
{
	struct type *element = node_is_dynamic(node->a) ? NULL : type_element(node->a->type);

	if (node->a->kind == NODE_XLATE && type_is_pointer(node->a->named))
		return deref_translated(node);
	if (node_is_string(node->a)) {
		node->type = type_int(checker->unit->types, 1, true);
		return true;
	}
	if (!element) {
		check_error(checker, node, "D_DEREF_NONPTR", "cannot dereference non-pointer type");
		return false;
	}
	if (type_real(element)->kind == TYPE_VOID) {
		check_error(checker, node, "D_DEREF_VOID", "cannot dereference pointer to void");
		return false;
	}
	if (type_real(element)->kind == TYPE_FUNCTION) {
		check_error(checker, node, "D_DEREF_FUNC", "cannot dereference pointer to function");
		return false;
	}
	if (type_lacks_members(checker, element)) {
		check_error(checker, node, "D_OP_INCOMPLETE",
			    "operator * cannot be applied to a forward declaration: "
			    "no %s definition is available",
			    type_text(checker->unit->types, element));
		return false;
	}
	node->type = element;
	node->is_lvalue = type_real(element)->kind != TYPE_ARRAY;
	return true;
}

static bool check_address(struct checker *checker, struct node *node)
{
	const struct node *of = node->a;

	if (node_is_dynamic(of) || of->kind == NODE_IDENT || (of->kind == NODE_INDEX && of->symbol)) {
		check_error(checker, node, "D_ADDROF_VAR", "cannot take address of dynamic variable");
		return false;
	}
	if (!of->is_lvalue) {
		check_error(checker, node, "D_ADDROF_LVAL", "unacceptable operand for unary & operator");
		return false;
	}
	if (node_is_bit_field(of)) {
		check_error(checker, node, "D_ADDROF_BITFIELD", "cannot take address of bit-field");
		return false;
	}
	node->type = type_pointer(checker->unit->types, of->type);
	return true;
}

static bool check_unary(struct checker *checker, struct node *node)
{
	if (node->op == OP_ADDR && node->a->kind == NODE_IDENT && node->a->scope == SCOPE_KERNEL)
		return check_kernel_address(checker, node);
	if (!check_operand(checker, node->a))
		return false;
	switch (node->op) {
	case OP_DEREF: return check_deref(checker, node);
	case OP_ADDR: return check_address(checker, node);
	case OP_LNOT:
		if (!node_is_scalar(node->a))
			return fail(checker, node, "D_OP_SCALAR", "an operand of scalar type");
		node->type = int_type(checker);
		break;
	case OP_NOT:
		if (!node_is_int(node->a))
			return fail(checker, node, "D_OP_INT", "an operand of integral type");
		node->type = type_promote(checker->unit->types, node->a->type);
		break;
	default:
		if (!node_is_int(node->a))
			return fail(checker, node, "D_OP_ARITH", "an operand of arithmetic type");
		node->type = type_promote(checker->unit->types, node->a->type);
		break;
	}
	node_fold(checker, node);
	return true;
}

/* True if it is in memory and not in a variable. */
static bool is_behind_pointer(const struct node *node)
{
	while ((node->kind == NODE_MEMBER && !node->is_arrow) ||
	       (node->kind == NODE_INDEX && type_real(node->a->type)->kind == TYPE_ARRAY))
		node = node->a;
	return node->kind == NODE_MEMBER || node->kind == NODE_INDEX ||
	       (node->kind == NODE_UNARY && node->op == OP_DEREF);
}

/* Checks a constant index into a C array of known size. */
bool check_bounds(struct checker *checker, const struct node *array, const struct node *index)
{
	const struct type *real = type_real(array->type);
	size_t count = real->kind == TYPE_STRING ? real->size : real->count;

	if ((real->kind != TYPE_ARRAY && real->kind != TYPE_STRING) || index->kind != NODE_INT || index->value < count)
		return true;
	/* Kernel structs can end with a variable-length array: struct pid has one element for each namespace. */
	if (real->kind == TYPE_ARRAY && !count && is_behind_pointer(array))
		return true;
	check_error(checker, index, "D_ARR_BOUNDS", "index outside array bounds: %lld, max is %zu",
		    (long long)index->value, count);
	return false;
}

static struct type *decayed(struct checker *checker, struct type *type)
{
	struct type *element = type_element(type);

	return element ? type_pointer(checker->unit->types, element) : type;
}

static bool can_step(const struct node *node)
{
	return node_is_pointer(node) && !has_no_step(node);
}

static bool check_sum(struct checker *checker, struct node *node)
{
	const struct node *a = node->a, *b = node->b;
	struct type *common;

	if (node_is_int(a) && node_is_int(b)) {
		node->type = node->common = type_common(checker->unit->types, a->type, b->type);
		node_fold(checker, node);
		return true;
	}
	if (can_step(a) && node_is_int(b)) {
		node->type = node->common = decayed(checker, a->type);
		return check_bounds(checker, a, b);
	}
	/* Here, a string is a character array, and its remainder a string. */
	if (node_is_string(a) && node_is_int(b)) {
		node->type = node->common = a->type;
		return check_bounds(checker, a, b);
	}
	if (node_is_string(b) && node_is_int(a) && node->op == OP_ADD) {
		node->type = node->common = b->type;
		return true;
	}
	if (can_step(b) && node_is_int(a) && node->op == OP_ADD) {
		node->type = node->common = decayed(checker, b->type);
		return true;
	}
	if (can_step(a) && can_step(b) && node->op == OP_SUB && node_pointers_fit(checker, a, b, &common)) {
		node->type = type_int(checker->unit->types, 8, true);
		node->common = common;
		return true;
	}
	return incompatible(checker, node);
}

/* Strings are compared by text. A string and 0: is it set? Then the common type is a pointer. */
static bool check_comparison(struct checker *checker, struct node *node)
{
	struct type_table *types = checker->unit->types;
	const struct node *a = node->a, *b = node->b;

	node->type = int_type(checker);
	if (node_is_dynamic(a) || node_is_dynamic(b))
		return incompatible(checker, node);
	if (node_is_int(a) && node_is_int(b))
		node->common = type_common(types, a->type, b->type);
	else if (type_is_stringish(a->type) && type_is_stringish(b->type) && (node_is_string(a) || node_is_string(b)))
		node->common = type_string(types);
	else if (!node_pointers_fit(checker, a, b, &node->common))
		return incompatible(checker, node);
	node_fold(checker, node);
	return true;
}

static bool check_ints(struct checker *checker, struct node *node, const char *tag, const char *what)
{
	if (!node_is_int(node->a) || !node_is_int(node->b))
		return fail(checker, node, tag, what);
	node->type = node->common = type_common(checker->unit->types, node->a->type, node->b->type);
	return true;
}

static bool check_comma(struct checker *checker, struct node *node)
{
	if (node_is_dynamic(node->a) || node_is_dynamic(node->b)) {
		check_error(checker, node, "D_OP_DYN", "operator , operands cannot be of dynamic type");
		return false;
	}
	if (node_is_action(node->a) || node_is_action(node->b)) {
		check_error(checker, node, "D_OP_ACT", "operator , operands cannot be actions");
		return false;
	}
	node->type = node->b->type;
	return true;
}

static bool check_operator(struct checker *checker, struct node *node)
{
	switch (node->op) {
	case OP_ADD:
	case OP_SUB: return check_sum(checker, node);
	case OP_MUL:
	case OP_DIV:
		if (!check_ints(checker, node, "D_OP_ARITH", "operands of arithmetic type"))
			return false;
		break;
	case OP_MOD:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
		if (!check_ints(checker, node, "D_OP_INT", "operands of integral type"))
			return false;
		break;
	case OP_SHL:
	case OP_SHR:
		if (!check_ints(checker, node, "D_OP_INT", "operands of integral type"))
			return false;
		node->type = node->common = type_promote(checker->unit->types, node->a->type);
		break;
	case OP_LAND:
	case OP_LOR:
	case OP_LXOR:
		if (!node_is_scalar(node->a) || !node_is_scalar(node->b))
			return fail(checker, node, "D_OP_SCALAR", "operands of scalar type");
		node->type = int_type(checker);
		break;
	case OP_COMMA: return check_comma(checker, node);
	default: return check_comparison(checker, node);
	}
	node_fold(checker, node);
	return true;
}

static bool is_comparison(enum node_op op)
{
	return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE;
}

/*
 * The right side of an operator with an enum on the left knows the names of that enum, also for kernel enums that the
 * program does not declare. A variable with such a name takes precedence.
 */
static bool know_enumerators(struct checker *checker, const struct node *node)
{
	struct type *real = node_is_dynamic(node->a) ? NULL : type_real(node->a->type);
	const struct type_enumerator *enumerator;
	const struct identifier *identifier;

	if (!is_comparison(node->op) || !real || real->kind != TYPE_ENUM || node->b->kind != NODE_IDENT ||
	    node->b->scope != SCOPE_GLOBAL)
		return true;
	(void)type_lacks_members(checker, real);
	enumerator = real->enumerators;
	while (enumerator && strcmp(enumerator->name, node->b->name) != 0)
		enumerator = enumerator->next;
	identifier = enumerator ? symbol_find(checker, SCOPE_GLOBAL, node->b->name) : NULL;
	if (!identifier || identifier->symbol->kind == SYMBOL_INLINE)
		return true;
	check_error(checker, node, "D_IDENT_AMBIG", "operator %s: %s is a value of %s, and a variable",
		    op_text(node->op), node->b->name, type_text(checker->unit->types, real));
	return false;
}

static bool check_binary(struct checker *checker, struct node *node)
{
	bool ok = check_expression(checker, node->a) && know_enumerators(checker, node);

	if (!check_expression(checker, node->b) || !ok)
		return false;
	if ((node->op == OP_DIV || node->op == OP_MOD) && node_is_zero(node->b)) {
		check_error(checker, node, "D_DIV_ZERO", "expression contains division by zero");
		return false;
	}
	return check_operator(checker, node);
}

/* The common type of both sides of a colon. */
static struct type *type_of_choice(struct checker *checker, const struct node *a, const struct node *b)
{
	struct type_table *types = checker->unit->types;
	struct type *type;

	if (node_is_int(a) && node_is_int(b))
		return type_common(types, a->type, b->type);
	if (type_is_stringish(a->type) && type_is_stringish(b->type) && (node_is_string(a) || node_is_string(b)))
		return type_string(types);
	if ((node_is_string(a) && node_is_zero(b)) || (node_is_string(b) && node_is_zero(a)))
		return type_string(types);
	if (type_same(a->type, b->type))
		return a->type;
	return node_pointers_fit(checker, a, b, &type) ? type : NULL;
}

/* As in DTrace, a constant condition selects one side: the other can have any type, and this one can be an action. */
static bool check_chosen(struct checker *checker, struct node *node)
{
	struct node *next = node->next, *other = node->a->value ? node->c : node->b;
	struct type_table *types = checker->unit->types;
	struct folded folded;

	*node = *(node->a->value ? node->b : node->c);
	node->next = next;
	if (!check_expression(checker, node))
		return false;
	/* With two constants, the type is the common type, as at run time. */
	if (node->kind == NODE_INT && fold_node(types, &checker->unit->program, other, &folded))
		node_set_int(node, node->value, type_common(types, node->type, folded.type));
	return true;
}

static bool check_choice(struct checker *checker, struct node *node)
{
	bool ok = check_expression(checker, node->a);

	if (ok && node->a->kind == NODE_INT)
		return check_chosen(checker, node);
	ok = check_expression(checker, node->b) && ok;
	if (!check_expression(checker, node->c) || !ok)
		return false;
	if (!node_is_scalar(node->a)) {
		check_error(checker, node, "D_OP_SCALAR", "operator ?: expression must be of scalar type");
		return false;
	}
	if (node_is_dynamic(node->b) || node_is_dynamic(node->c)) {
		check_error(checker, node, "D_OP_DYN", "operator ?: operands cannot be of dynamic type");
		return false;
	}
	node->type = node->common = type_of_choice(checker, node->b, node->c);
	if (!node->type) {
		check_error(checker, node, "D_OP_INCOMPAT", "operator ?: operands must have compatible types");
		return false;
	}
	if (node_is_action(node->b) || node_is_action(node->c)) {
		check_error(checker, node, "D_OP_ACT", "action cannot be used in a conditional context");
		return false;
	}
	if (node->a->kind == NODE_INT && node->b->kind == NODE_INT && node->c->kind == NODE_INT)
		node_set_int(node, node->a->value ? node->b->value : node->c->value, node->type);
	return true;
}

static bool check_cast(struct checker *checker, struct node *node)
{
	struct type *to = node->named, *from;

	if (!check_expression(checker, node->a))
		return false;
	if (node_is_dynamic(node->a)) {
		check_error(checker, node, "D_CAST_INVAL", "invalid cast expression: \"%s\" to \"%s\"",
			    node_type_text(checker, node->a), type_text(checker->unit->types, to));
		return false;
	}
	from = node->a->type;
	node->type = to;
	if (type_real(to)->kind == TYPE_VOID && node_is_action(node->a)) {
		check_error(checker, node, "D_CG_EXPR",
			    "action %s() cannot be called from a D expression (D program "
			    "context required)",
			    node->a->name);
		return false;
	}
	if (type_same(to, from) || type_real(to)->kind == TYPE_VOID || (type_is_scalar(to) && type_is_scalar(from)) ||
	    (type_is_pointer(to) && type_element(from)) ||
	    (type_is_string(to) && (type_is_scalar(from) || type_element(from) || type_is_stringish(from)))) {
		node_fold(checker, node);
		return true;
	}
	check_error(checker, node, "D_CAST_INVAL", "invalid cast expression: \"%s\" to \"%s\"",
		    type_text(checker->unit->types, from), type_text(checker->unit->types, to));
	return false;
}

/* The named type, for results with a type of their own in C; size_t is in every table. */
static struct type *named(struct checker *checker, const char *name, size_t size, bool is_signed)
{
	struct type *type = type_named(checker->unit->types, name);

	return type ? type : type_int(checker->unit->types, size, is_signed);
}

static bool check_sizeof(struct checker *checker, struct node *node)
{
	size_t size = 0;

	if (node->named) {
		size = type_lacks_members(checker, node->named) ? 0 : type_real(node->named)->size;
	} else if (!check_operand(checker, node->a)) {
		return false;
	} else if (node_is_bit_field(node->a)) {
		check_error(checker, node, "D_SIZEOF_BITFIELD", "cannot apply sizeof to a bit-field");
		return false;
	} else if (node->a->kind == NODE_STRING) {
		size = node->a->length + 1;
	} else if (!node_is_dynamic(node->a)) {
		size = type_lacks_members(checker, node->a->type) ? 0 : type_real(node->a->type)->size;
	}
	if (size == 0) {
		check_error(checker, node, "D_SIZEOF_TYPE", "cannot apply sizeof to an operand of unknown size");
		return false;
	}
	node_set_int(node, size, named(checker, "size_t", 8, false));
	return true;
}

static bool check_offsetof(struct checker *checker, struct node *node)
{
	struct type *real = type_real(node->named);
	const struct type_member *member;
	uint64_t offset;

	if (!type_is_struct(real)) {
		check_error(checker, node, "D_OFFSETOF_TYPE", "offsetof operand must be a struct or union type");
		return false;
	}
	if (type_lacks_members(checker, real)) {
		check_error(checker, node, "D_OFFSETOF_TYPE", "offsetof operand must be of a type that is defined: %s",
			    type_text(checker->unit->types, node->named));
		return false;
	}
	member = type_member(real, node->name, &offset);
	if (!member) {
		check_error(checker, node, "D_UNKNOWN", "member \"%s\": it is not a member of %s", node->name,
			    type_text(checker->unit->types, node->named));
		return false;
	}
	if (member->bits > 0) {
		check_error(checker, node, "D_OFFSETOF_BITFIELD", "member \"%s\": a bit-field has no offset",
			    node->name);
		return false;
	}
	node_set_int(node, offset / 8, named(checker, "size_t", 8, false));
	return true;
}

static bool check_stringof(struct checker *checker, struct node *node)
{
	struct node *next = node->next;

	if (!check_operand(checker, node->a))
		return false;
	if (node_is_dynamic(node->a) ||
	    (!node_is_scalar(node->a) && !node_is_pointer(node->a) && !type_is_stringish(node->a->type))) {
		check_error(checker, node, "D_STRINGOF_TYPE", "cannot apply stringof to a value of type %s",
			    node_type_text(checker, node->a));
		return false;
	}
	if (node_is_string(node->a)) {
		*node = *node->a;
		node->next = next;
		node->is_lvalue = false;
		return true;
	}
	node->type = type_string(checker->unit->types);
	return true;
}

/* x.y and x->y where x is not translated. */
static struct type *struct_of(struct checker *checker, const struct node *node)
{
	const char *op = node->is_arrow ? "->" : ".";
	struct type *type = node->a->type, *real = type_real(type);

	if (node->is_arrow && (node_is_dynamic(node->a) || real->kind != TYPE_POINTER)) {
		check_error(checker, node, "D_OP_PTR", "operator -> must be applied to a pointer");
		return NULL;
	}
	if (node->is_arrow) {
		type = real->base;
		real = type_real(type);
	}
	if (node_is_dynamic(node->a) || !type_is_struct(type)) {
		check_error(checker, node, "D_OP_SOU",
			    "operator %s cannot be applied to %s\"%s\"; must be applied to a "
			    "struct or union%s",
			    op, node->is_arrow ? "pointer to type " : "type ",
			    node->is_arrow ? type_text(checker->unit->types, type) : node_type_text(checker, node->a),
			    node->is_arrow ? " pointer" : "");
		return NULL;
	}
	if (type_lacks_members(checker, real)) {
		check_error(checker, node, "D_OP_INCOMPLETE",
			    "operator %s cannot be applied to a forward declaration: "
			    "no %s definition is available",
			    op, type_text(checker->unit->types, type));
		return NULL;
	}
	return real;
}

/*
 * curcpu is a pointer in Oracle's DTrace and a translated one in illumos. Members of the pointer are translated too,
 * and need no memory access.
 */
static void choose_curcpu(struct node *node)
{
	if (node->kind == NODE_IDENT && node->scope == SCOPE_GLOBAL && !strcmp(node->name, "curcpu"))
		node->name = "__curcpu";
}

bool check_member(struct checker *checker, struct node *node)
{
	const struct type_member *member;
	struct type *of;
	uint64_t offset;

	if (node->is_arrow)
		choose_curcpu(node->a);
	if (!check_expression(checker, node->a))
		return false;
	if (node->a->kind == NODE_XLATE)
		return expand_translated(checker, node);
	of = struct_of(checker, node);
	if (!of)
		return false;
	member = type_member(of, node->name, &offset);
	if (!member) {
		check_error(checker, node, "D_TYPE_MEMBER", "member \"%s\": it is not a member of %s", node->name,
			    type_text(checker->unit->types, of));
		return false;
	}
	node->type = member->type;
	node->is_lvalue = (node->is_arrow || node->a->is_lvalue) && type_real(member->type)->kind != TYPE_ARRAY;
	return true;
}

static bool check_kind(struct checker *checker, struct node *node)
{
	switch (node->kind) {
	case NODE_INT: return check_int(checker, node);
	case NODE_STRING: node->type = type_string(checker->unit->types); return true;
	case NODE_IDENT: return check_identifier(checker, node);
	case NODE_AGG: return check_aggregation(checker, node);
	case NODE_CALL: return check_call(checker, node);
	case NODE_UNARY: return check_unary(checker, node);
	case NODE_BINARY: return check_binary(checker, node);
	case NODE_ASSIGN: return check_assign(checker, node);
	case NODE_STEP: return check_step(checker, node);
	case NODE_COND: return check_choice(checker, node);
	case NODE_INDEX: return check_index(checker, node);
	case NODE_MEMBER: return check_member(checker, node);
	case NODE_CAST: return check_cast(checker, node);
	case NODE_SIZEOF: return check_sizeof(checker, node);
	case NODE_OFFSETOF: return check_offsetof(checker, node);
	case NODE_STRINGOF: return check_stringof(checker, node);
	case NODE_XLATE: return check_xlate(checker, node);
	}
	return false;
}

bool check_expression(struct checker *checker, struct node *node)
{
	bool ok;

	if (checker->depth >= CHECK_DEPTH) {
		check_error(checker, node, "D_SYNTAX", "expression nests too deeply");
		return false;
	}
	if (checker->unit->options.compat == COMPAT_ILLUMOS)
		choose_curcpu(node);
	checker->depth++;
	ok = check_kind(checker, node);
	checker->depth--;
	return ok && check_height(checker, node);
}
