// SPDX-License-Identifier: BSD-2-Clause
/*
 * Assignments, which create variables; and indexes into associative arrays, C arrays, args[] and uregs[], and calls of
 * inline functions, which have the same syntax.
 */
#include "d/check/checker.h"

#include <fnmatch.h>
#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "d/lang/syscalls.h"

static bool claim_index(struct checker *checker, struct node *node);

static const char *assign_text(const struct node *node)
{
	static const char *const texts[] = {
		[OP_NONE] = "=", [OP_ADD] = "+=", [OP_SUB] = "-=", [OP_MUL] = "*=",  [OP_DIV] = "/=",  [OP_MOD] = "%=",
		[OP_AND] = "&=", [OP_OR] = "|=",  [OP_XOR] = "^=", [OP_SHL] = "<<=", [OP_SHR] = ">>=",
	};

	if (node->kind == NODE_STEP)
		return node->op == OP_ADD ? "++" : "--";
	return texts[node->op];
}

static bool is_place(const struct node *node)
{
	enum type_kind kind = node->kind == NODE_CALL ? type_real(node->type)->kind : TYPE_VOID;

	return kind == TYPE_STACK || kind == TYPE_SYMBOL;
}

static bool incompatible(struct checker *checker, const struct node *node)
{
	if (is_place(node->b)) {
		check_error(checker, node, "D_OP_INCOMPAT",
			    "%s() cannot be kept in a variable: print it, or use it as a key of an aggregation",
			    node->b->name);
		return false;
	}
	check_error(checker, node, "D_OP_INCOMPAT", "operands have incompatible types: \"%s\" %s \"%s\"",
		    node_type_text(checker, node->a), assign_text(node), node_type_text(checker, node->b));
	return false;
}

static bool check_target(struct checker *checker, const struct node *node)
{
	if (!node->a->is_lvalue) {
		check_error(checker, node, "D_OP_LVAL", "operator %s requires modifiable lvalue as an operand",
			    assign_text(node));
		return false;
	}
	if (!node_is_writable(node->a)) {
		check_error(checker, node, "D_OP_WRITE", "operator %s can only be applied to a writable variable",
			    assign_text(node));
		return false;
	}
	return true;
}

/* A variable, or the array of an element, without a type so far; NULL: the node has a type. */
static struct symbol *untyped_variable(const struct node *node)
{
	struct symbol *symbol = node->kind == NODE_IDENT || node->kind == NODE_INDEX ? node->symbol : NULL;

	if (symbol && (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_ASSOC) && !symbol->type)
		return symbol;
	return NULL;
}

static void mark_wrong(struct checker *checker, const struct symbol *symbol)
{
	struct identifier *identifier = symbol ? symbol_find(checker, symbol->scope, symbol->name) : NULL;

	if (identifier)
		identifier->is_wrong = true;
}

/* The target gets the type of a value; strings and arrays are copied, because their memory ends with the clause. */
static void give_type(struct checker *checker, struct node *node, struct symbol *symbol, struct type *type)
{
	if (symbol->kind == SYMBOL_ASSOC) {
		struct type *assoc = arena_alloc(checker->unit->arena, sizeof(*assoc));

		*assoc = (struct type){ .kind = TYPE_ASSOC, .base = type, .keys = symbol->keys };
		symbol->type = assoc;
	} else {
		symbol->type = type;
	}
	node->type = type;
	node->is_lvalue = true;
}

static bool can_be_kept(const struct node *node)
{
	switch (type_real(node->type)->kind) {
	case TYPE_VOID:
	case TYPE_FUNCTION:
	case TYPE_STACK:
	case TYPE_SYMBOL: return false;
	default: return !node_is_dynamic(node);
	}
}

/* The left side. Its type stays NULL if it is new: see untyped_variable(). */
static bool check_left(struct checker *checker, struct node *node)
{
	struct identifier *identifier;

	if (node->kind == NODE_IDENT)
		return symbol_claim(checker, node, &identifier);
	if (node->kind == NODE_INDEX)
		return claim_index(checker, node);
	return check_expression(checker, node);
}

/* Checks whether a variable holds addresses of alloca(), whose bounds are checked at run time, or others. */
static bool check_memory(struct checker *checker, const struct node *node)
{
	struct symbol *symbol = node->a->symbol;

	if (!symbol || (node->a->kind != NODE_IDENT && node->a->kind != NODE_INDEX))
		return true;
	if (node_is_mixed(node->b)) {
		check_error(checker, node, "D_ALLOCA_INCOMPAT",
			    "ternary conditional with alloca and non-alloca "
			    "branches cannot be assigned to a variable");
		return false;
	}
	if (node_is_scratch(node->b) && symbol->is_elsewhere) {
		check_error(checker, node, "D_ALLOCA_INCOMPAT",
			    "cannot reuse the variable %s for memory of alloca: it holds other values", symbol->name);
		return false;
	}
	if (!node_is_scratch(node->b) && !node_is_zero(node->b) && symbol->is_scratch) {
		check_error(checker, node, "D_ALLOCA_INCOMPAT",
			    "cannot reuse the variable %s for other values: it holds memory of alloca", symbol->name);
		return false;
	}
	if (node_is_scratch(node->b))
		symbol->is_scratch = true;
	else if (!node_is_zero(node->b))
		symbol->is_elsewhere = true;
	return true;
}

/* 0 deletes an element that is a struct. */
static bool is_deletion(const struct node *assign)
{
	const struct symbol *symbol = assign->a->symbol;

	return symbol && node_is_zero(assign->b) && type_is_struct(assign->a->type) &&
	       ((assign->a->kind == NODE_INDEX && symbol->kind == SYMBOL_ASSOC) ||
		(assign->a->kind == NODE_IDENT && symbol->kind == SYMBOL_VARIABLE && symbol->scope == SCOPE_SELF));
}

static bool check_plain(struct checker *checker, struct node *node)
{
	struct node *a = node->a, *b = node->b;
	enum type_kind kind;

	if (untyped_variable(a)) {
		if (!can_be_kept(b)) {
			mark_wrong(checker, a->symbol);
			a->type = node_is_dynamic(b) ? type_void(checker->unit->types) : b->type;
			return incompatible(checker, node);
		}
		if (type_real(b->type)->kind != TYPE_ARRAY)
			give_type(checker, a, a->symbol, b->type);
		else
			a->type = b->type, mark_wrong(checker, a->symbol);
	}
	kind = node_is_dynamic(a) ? TYPE_VOID : type_real(a->type)->kind;
	if (kind == TYPE_ARRAY || kind == TYPE_FUNCTION) {
		check_error(checker, node, "D_OP_ARRFUN", "operator = cannot be applied to operand of type \"%s\"",
			    node_type_text(checker, a));
		return false;
	}
	/* Also a kernel address, whatever its type. */
	if (a->kind == NODE_CAST && !check_target(checker, node))
		return false;
	if (node_is_dynamic(a) || !can_be_kept(b) || !(type_takes(checker, a->type, b) || is_deletion(node)))
		return incompatible(checker, node);
	return check_target(checker, node) && check_memory(checker, node);
}

/* += and -= of a pointer count in elements; the right side can have any integer type. */
static bool check_sum_into(struct checker *checker, struct node *node)
{
	struct node *a = node->a, *b = node->b;
	struct type *element = node_is_dynamic(a) ? NULL : type_element(a->type);

	if (node_is_dynamic(a) || node_is_dynamic(b) || node_is_string(a) || node_is_string(b))
		return incompatible(checker, node);
	if (node_is_int(a) && node_is_int(b))
		return true;
	if (!element || type_real(element)->kind == TYPE_VOID || type_real(element)->kind == TYPE_FUNCTION) {
		check_error(checker, node, "D_OP_VFPTR", "operator %s requires left-hand scalar operand of known size",
			    assign_text(node));
		return false;
	}
	return node_is_int(b) || incompatible(checker, node);
}

static bool check_computed(struct checker *checker, struct node *node)
{
	bool is_arithmetic = node->op == OP_MUL || node->op == OP_DIV;

	if (untyped_variable(node->a)) {
		check_error(checker, node, "D_VAR_UNDEF", "variable \"%s\": it has not been declared or assigned yet",
			    node->a->symbol->name);
		mark_wrong(checker, node->a->symbol);
		return false;
	}
	if (node->op == OP_ADD || node->op == OP_SUB) {
		if (!check_sum_into(checker, node))
			return false;
	} else if (!node_is_int(node->a) || !node_is_int(node->b)) {
		check_error(checker, node, is_arithmetic ? "D_OP_ARITH" : "D_OP_INT",
			    "operator %s requires operands of %s type", assign_text(node),
			    is_arithmetic ? "arithmetic" : "integral");
		return false;
	}
	if ((node->op == OP_DIV || node->op == OP_MOD) && node_is_zero(node->b)) {
		check_error(checker, node, "D_DIV_ZERO", "expression contains division by zero");
		return false;
	}
	if (!check_target(checker, node))
		return false;
	/* As in DTrace, the left side decides whether the operator is signed. */
	node->common = node->a->type;
	return true;
}

/* x = x = 1: the right side created the variable on the left side. */
static void catch_up(struct node *node)
{
	if (node->type || !node->symbol || !node->symbol->type)
		return;
	node->type = node->symbol->kind == SYMBOL_ASSOC ? node->symbol->type->base : node->symbol->type;
	node->is_lvalue = type_real(node->type)->kind != TYPE_ARRAY;
}

/* x.name = xlate <T> (e).name */
static struct node *assign_member(struct checker *checker, const struct node *node, const char *name)
{
	struct node *parts[2] = { node->a, node->b }, *assign = node_clone(checker, node);

	for (size_t i = 0; i < 2; i++) {
		struct node *member = arena_alloc(checker->unit->arena, sizeof(*member));

		*member = (struct node){
			.kind = NODE_MEMBER,
			.name = name,
			.a = node_clone(checker, parts[i]),
			.file = node->file,
			.line = node->line,
		};
		*(i ? &assign->b : &assign->a) = member;
	}
	assign->next = NULL;
	return assign;
}

/* A translation to a struct assigns each member: a list of assignments with commas replaces the node. */
static bool check_translation(struct checker *checker, struct node *node)
{
	struct type *type = node->b->named;
	const struct d_translator *translator = translator_of(checker, node->b);
	struct node original = *node, *all = NULL;

	if (!type_is_struct(type)) {
		if (untyped_variable(node->a)) {
			mark_wrong(checker, node->a->symbol);
			node->a->type = type_void(checker->unit->types);
		}
		return incompatible(checker, node);
	}
	if (untyped_variable(node->a))
		give_type(checker, node->a, node->a->symbol, type);
	else if (node_is_dynamic(node->a) || !type_same(node->a->type, type))
		return incompatible(checker, node);
	if (!check_target(checker, node))
		return false;
	for (const struct translator_member *member = translator->members; member; member = member->next) {
		struct node *assign = assign_member(checker, &original, member->name);

		if (all) {
			*node = (struct node){ .kind = NODE_BINARY,
					       .op = OP_COMMA,
					       .a = all,
					       .b = assign,
					       .file = original.file,
					       .line = original.line };
			all = arena_alloc(checker->unit->arena, sizeof(*all));
			*all = *node;
		} else {
			all = assign;
		}
	}
	if (!all)
		return false;
	*node = *all;
	node->next = original.next;
	return check_expression(checker, node);
}

bool check_assign(struct checker *checker, struct node *node)
{
	if (node->a->kind == NODE_AGG)
		return check_aggregate(checker, node);
	if (node->a->kind == NODE_ASSIGN && node->a->a->kind == NODE_AGG) {
		check_error(checker, node, "D_OP_LVAL", "operator %s requires modifiable lvalue as an operand",
			    assign_text(node));
		return false;
	}
	if (!check_left(checker, node->a))
		return check_expression(checker, node->b) && false;
	if (!check_expression(checker, node->b)) {
		if (untyped_variable(node->a))
			mark_wrong(checker, node->a->symbol);
		return false;
	}
	catch_up(node->a);
	if (node->op == OP_NONE && node->b->kind == NODE_XLATE)
		return check_translation(checker, node);
	if (!(node->op == OP_NONE ? check_plain(checker, node) : check_computed(checker, node)))
		return false;
	node->type = node->a->type;
	return true;
}

bool check_step(struct checker *checker, struct node *node)
{
	struct type *element;

	if (!check_left(checker, node->a))
		return false;
	if (untyped_variable(node->a))
		give_type(checker, node->a, node->a->symbol, type_parse(checker->unit->types, "int64_t"));
	if (!node_is_scalar(node->a)) {
		check_error(checker, node, "D_OP_SCALAR", "operator %s requires operand of scalar type",
			    assign_text(node));
		return false;
	}
	element = type_element(node->a->type);
	if (element && (type_real(element)->kind == TYPE_VOID || type_real(element)->kind == TYPE_FUNCTION)) {
		check_error(checker, node, "D_OP_VFPTR", "operator %s requires an operand of known size",
			    assign_text(node));
		return false;
	}
	if (!check_target(checker, node))
		return false;
	node->type = node->a->type;
	return true;
}

/* 1[p] is p[1], as *(1 + p) is *(p + 1). */
static void turn_index(struct node *node)
{
	struct node *index = node->args;

	if (node_is_dynamic(node->a) || !node_is_int(node->a) || index->next || node_is_dynamic(index) ||
	    (!type_element(index->type) && !node_is_string(index)))
		return;
	node->args = node->a;
	node->a = index;
}

/* a[i] as in C: an array, a pointer, the characters of a string. */
static bool check_element(struct checker *checker, struct node *node)
{
	struct type *element;
	struct node *index;

	turn_index(node);
	index = node->args;
	if (index->next) {
		check_error(checker, node, "D_ARR_BADREF", "variable \"%s\": it is not an associative array",
			    node->a->kind == NODE_IDENT ? node->a->name : "this");
		return false;
	}
	element = node_is_dynamic(node->a) ? NULL : type_element(node->a->type);
	if (node_is_string(node->a))
		element = type_int(checker->unit->types, 1, true);
	if ((element && !node_is_int(index)) || (!element && !node_is_int(node->a))) {
		check_error(checker, node, "D_OP_INCOMPAT", "operands have incompatible types: \"%s\" + \"%s\"",
			    node_type_text(checker, node->a), node_type_text(checker, index));
		return false;
	}
	if (!element) {
		check_error(checker, node, "D_DEREF_NONPTR", "cannot dereference non-pointer type");
		return false;
	}
	if (type_real(element)->kind == TYPE_VOID || type_real(element)->kind == TYPE_FUNCTION) {
		check_error(checker, node, type_real(element)->kind == TYPE_VOID ? "D_DEREF_VOID" : "D_DEREF_FUNC",
			    "cannot dereference pointer to %s",
			    type_real(element)->kind == TYPE_VOID ? "void" : "function");
		return false;
	}
	if (!check_bounds(checker, node->a, index))
		return false;
	node->type = element;
	node->is_lvalue = !node_is_string(node->a) && type_real(element)->kind != TYPE_ARRAY;
	return true;
}

/* args[n] and uregs[n]: a constant number. */
static bool check_number(struct checker *checker, struct node *node, const char *what, int64_t *number)
{
	if (node->args->next) {
		check_error(checker, node, "D_PROTO_LEN", "%s[] prototype mismatch: more than 1 arg passed, 1 expected",
			    what);
		return false;
	}
	if (check_constant(node->args, number))
		return true;
	check_error(checker, node, "D_PROTO_ARG",
		    "%s[] argument #1 is incompatible with prototype: expected an integer constant, found %s", what,
		    node_type_text(checker, node->args));
	return false;
}

/* The minimum number of arguments for a description; -1: it can match different kinds of probes. */
static int probe_arguments(struct checker *checker, const struct probe_spec *spec)
{
	static const char *const without[] = { "dtrace", "profile" };
	int count = check_argument_count(checker, spec);

	if (count >= 0)
		return count;

	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (fnmatch(spec->provider, without[i], 0) == 0)
			return 0;
	if ((!spec->provider[0] || !strcmp(spec->provider, "syscall")) && !strcmp(spec->name, "entry") &&
	    syscall_arguments(spec->function) >= 0)
		return syscall_arguments(spec->function);
	if (spec->provider[0])
		return D_ARGS;
	if (fnmatch("BEGIN", spec->name, 0) == 0 || fnmatch("END", spec->name, 0) == 0 ||
	    fnmatch("tick-*", spec->name, 0) == 0 || fnmatch("profile-*", spec->name, 0) == 0 ||
	    fnmatch("ERROR", spec->name, 0) == 0)
		return 0;
	return spec->name[0] ? D_ARGS : -1;
}

static bool check_args(struct checker *checker, struct node *node)
{
	const struct probe_spec *spec;
	int64_t number;

	if (!check_number(checker, node, "args", &number))
		return false;
	if (!checker->clause) {
		check_error(checker, node, "D_ARGS_NONE", "args[] cannot be referenced outside of a probe clause");
		return false;
	}
	checker->clause->uses_args = true;
	for (spec = checker->clause->clause->specs; spec; spec = spec->next) {
		int count = probe_arguments(checker, spec);

		if (count < 0) {
			check_error(checker, node, "D_ARGS_MULTI",
				    "args[] cannot be referenced because probe "
				    "description %s matches an unstable set of probes",
				    spec->text);
			return false;
		}
		if (number < 0 || number >= count) {
			check_error(checker, node, "D_ARGS_IDX", "index %lld is out of range for %s args[]",
				    (long long)number, spec->text);
			return false;
		}
	}
	if (number >= checker->clause->arguments)
		checker->clause->arguments = (unsigned int)number + 1;
	return check_probe_argument(checker, node, number);
}

/*
 * R_TRAPNO, or the program counter. Registers after struct pt_regs are in the kernel's thread structure, read by an
 * inline of the prelude.
 */
#ifdef __x86_64__
#define REGISTER_LAST 25
static const char *const kept_registers[REGISTER_LAST + 1] = {
	[21] = "__ureg_ds", [22] = "__ureg_es", [23] = "__ureg_fs", [24] = "__ureg_gs", [25] = "__ureg_trapno"
};
#else
#define REGISTER_LAST 33
static const char *const kept_registers[REGISTER_LAST + 1] = {};
#endif

static bool check_register(struct checker *checker, struct node *node)
{
	int64_t number;

	if (!check_number(checker, node, "uregs", &number))
		return false;
	if (number < 0 || number > REGISTER_LAST) {
		check_error(checker, node, number < 0 ? "D_REGS_IDX" : "D_UNKNOWN",
			    "index %lld is out of range for array uregs", (long long)number);
		return false;
	}
	if (kept_registers[number]) {
		*node = (struct node){ .kind = NODE_IDENT,
				       .name = kept_registers[number],
				       .file = node->file,
				       .line = node->line,
				       .is_prelude = true,
				       .next = node->next };
		return check_expression(checker, node);
	}
	node->type = type_parse(checker->unit->types, "uint64_t");
	return true;
}

static bool check_key_values(struct checker *checker, struct node *node, const char *of)
{
	size_t number = 1;

	for (struct node *arg = node->args; arg; arg = arg->next, number++)
		if (!can_be_kept(arg)) {
			check_error(checker, node, "D_KEY_TYPE", "%s expression cannot be used as %s index: key #%zu",
				    node_type_text(checker, arg), of, number);
			return false;
		}
	return true;
}

/* An element of an associative array; without a type at its first appearance. */
static bool check_assoc(struct checker *checker, struct node *node, struct symbol *symbol)
{
	const char *what = arena_printf(checker->unit->arena, "%s[]", symbol->name);

	node->symbol = node->a->symbol = symbol;
	if (!symbol->keys) {
		if (!check_key_values(checker, node, "associative array"))
			return false;
		symbol->keys = key_types(checker, node->args);
	} else if (!check_keys(checker, node, symbol->keys, what, node->args)) {
		return false;
	}
	if (symbol->type) {
		node->type = symbol->type->base;
		node->is_lvalue = true;
	}
	return true;
}

/* name[...] with an unknown name: an associative array. */
static bool check_new_assoc(struct checker *checker, struct node *node)
{
	struct identifier *identifier;

	if (node->a->scope == SCOPE_THIS) {
		check_error(checker, node, "D_ARR_LOCAL", "variable \"%s\": an associative array cannot be this->",
			    node->a->name);
		return false;
	}
	identifier = symbol_add(checker, node->a, SYMBOL_ASSOC);
	if (identifier->is_wrong)
		return false;
	identifier->is_wrong = !check_assoc(checker, node, identifier->symbol);
	return !identifier->is_wrong;
}

static bool check_named_index(struct checker *checker, struct node *node, struct symbol *symbol)
{
	if (symbol->kind == SYMBOL_ASSOC)
		return check_assoc(checker, node, symbol);
	if (symbol->kind == SYMBOL_INLINE && symbol->params)
		return expand_inline(checker, node, symbol, node->args);
	if (symbol->kind == SYMBOL_BUILTIN && !symbol->type) {
		node->symbol = node->a->symbol = symbol;
		if (!check_rights_to_read(checker, node, symbol))
			return false;
		return symbol->builtin == BUILTIN_ARGS ? check_args(checker, node) : check_register(checker, node);
	}
	return check_expression(checker, node->a) && check_element(checker, node);
}

/* As check_index(), but an element of a new array has no type yet. */
static bool claim_index(struct checker *checker, struct node *node)
{
	struct identifier *identifier;

	if (!check_list(checker, node->args))
		return false;
	if (node->a->kind == NODE_AGG) {
		check_error(checker, node, "D_AGG_MDIM",
			    "improper attempt to reference @%s as a multi-dimensional array", node->a->name);
		return false;
	}
	if (node->a->kind != NODE_IDENT || symbol_is_parameter(checker, node->a))
		return check_expression(checker, node->a) && check_element(checker, node);
	identifier = symbol_find(checker, node->a->scope, node->a->name);
	if (!identifier)
		identifier = symbol_builtin(checker, node->a);
	if (identifier)
		return !identifier->is_wrong && check_named_index(checker, node, identifier->symbol);
	if (symbol_is_taken(checker, node->a))
		return check_expression(checker, node->a) && check_element(checker, node);
	return check_new_assoc(checker, node);
}

/* As in DTrace, the operand of a unary operator can be a new variable, if its syntax shows that: "!self->x". */
bool check_operand(struct checker *checker, struct node *node)
{
	bool is_new_name = node->kind == NODE_IDENT && node->scope != SCOPE_GLOBAL &&
			   !symbol_find(checker, node->scope, node->name);

	if (!is_new_name && node->kind != NODE_INDEX)
		return check_expression(checker, node);
	if (!check_left(checker, node))
		return false;
	if (untyped_variable(node))
		give_type(checker, node, node->symbol, type_parse(checker->unit->types, "int64_t"));
	return true;
}

bool check_index(struct checker *checker, struct node *node)
{
	if (!claim_index(checker, node))
		return false;
	if (!untyped_variable(node))
		return true;
	check_error(checker, node, "D_VAR_UNDEF", "variable \"%s%s\": it has not been declared or assigned yet",
		    node->a->scope == SCOPE_SELF ? "self->" : "", node->a->name);
	mark_wrong(checker, node->symbol);
	return false;
}
