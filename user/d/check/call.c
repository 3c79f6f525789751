// SPDX-License-Identifier: BSD-2-Clause
/* Calls: checks the number and the types of arguments against the prototype, and sets the type of the result. */
#include "d/check/checker.h"

#include <string.h>

#include "d/check/check.h"

struct param {
	char word[24];
	bool is_optional;
};

/* The next parameter of a prototype; *at is after '(' or ','. False: none. */
static bool param_next(const char **at, struct param *param)
{
	const char *start = *at + strspn(*at, " ");
	size_t size = strcspn(start, ",)");

	if (size == 0)
		return false;
	*param = (struct param){ .is_optional = start[0] == '[' };
	*at = start + size + (start[size] == ',');
	if (param->is_optional)
		start++, size -= 2;
	if (size >= sizeof(param->word))
		size = sizeof(param->word) - 1;
	memcpy(param->word, start, size);
	return true;
}

static bool is_word(const char *word, const char *is)
{
	return strcmp(word, is) == 0;
}

static struct type *word_type(struct checker *checker, const char *word)
{
	struct type_table *types = checker->unit->types;
	struct type *type;

	if (is_word(word, "void"))
		return type_void(types);
	if (is_word(word, "string"))
		return type_string(types);
	if (is_word(word, "pointer"))
		return type_pointer(types, type_void(types));
	if (is_word(word, "user"))
		return type_named(types, "uintptr_t");
	if (is_word(word, "uint"))
		return type_int(types, 4, false);
	if (is_word(word, "stack"))
		return type_of_kind(types, TYPE_STACK);
	if (is_word(word, "symaddr") || is_word(word, "usymaddr"))
		return type_of_kind(types, TYPE_SYMBOL);
	if (is_word(word, "term"))
		return type_of_kind(types, TYPE_TERM);
	type = type_parse(types, word);
	return type ? type : type_int(types, 8, true);
}

/* Argument types that actions check themselves, with better messages. */
static bool is_any(const char *word)
{
	return is_word(word, "any") || is_word(word, "agg") || is_word(word, "format") || is_word(word, "scalar");
}

static bool check_argument(struct checker *checker, const struct node *call, const struct param *param, size_t number,
			   const struct node *arg)
{
	if (is_any(param->word))
		return true;
	if (is_word(param->word, "pointer") && node_is_string(arg))
		return true;
	if (type_takes(checker, word_type(checker, param->word), arg))
		return true;
	/* strtok(NULL, ...) continues. */
	if (is_word(param->word, "string") && node_is_zero(arg))
		return true;
	check_error(checker, call, "D_PROTO_ARG",
		    "%s() argument #%zu is incompatible with prototype: expected %s, found %s", call->name, number,
		    is_word(param->word, "string") ? "const char *"
						   : type_text(checker->unit->types, word_type(checker, param->word)),
		    node_type_text(checker, arg));
	return false;
}

static bool check_count(struct checker *checker, const struct node *call)
{
	const char *at = strchr(call->function->prototype, '(') + 1;
	size_t passed = 0, least = 0, most = 0;
	bool is_open = false;
	struct param param;

	for (const struct node *arg = call->args; arg; arg = arg->next)
		passed++;
	while (param_next(&at, &param)) {
		if (is_word(param.word, "...")) {
			is_open = true;
		} else {
			most++;
			least += !param.is_optional;
		}
	}
	if (passed >= least && (is_open || passed <= most))
		return true;
	check_error(checker, call, "D_PROTO_LEN", "%s() prototype mismatch: %zu arg%s passed, %s%zu expected",
		    call->name, passed, passed == 1 ? "" : "s",
		    least == most && !is_open ? ""
		    : passed < least	      ? "at least "
					      : "at most ",
		    passed < least ? least : most);
	return false;
}

static bool check_prototype(struct checker *checker, struct node *call)
{
	const char *at = strchr(call->function->prototype, '(') + 1;
	const struct node *arg = call->args;
	struct param param;

	if (!check_count(checker, call))
		return false;
	for (size_t number = 1; arg && param_next(&at, &param) && !is_word(param.word, "..."); number++) {
		if (!check_argument(checker, call, &param, number, arg))
			return false;
		arg = arg->next;
	}
	return true;
}

static struct type *result_type(struct checker *checker, const struct d_function *function)
{
	char word[24] = "";
	size_t size = strcspn(function->prototype, "(");

	memcpy(word, function->prototype, size < sizeof(word) - 1 ? size : sizeof(word) - 1);
	return word_type(checker, word);
}

/* Destructive actions cannot be undone, so they cannot be speculative. */
static bool cannot_be_speculative(const struct d_function *function)
{
	return function->writes_user || (function->refused && function->is_destructive);
}

static bool not_a_function(struct checker *checker, const struct node *call)
{
	struct identifier *identifier = symbol_find(checker, SCOPE_GLOBAL, call->name);

	if (!identifier)
		identifier = symbol_builtin(checker, call);
	if (identifier)
		check_error(checker, call, "D_FUNC_IDKIND", "%s \"%s\" cannot be referenced as a function",
			    symbol_kind_text(identifier->symbol), call->name);
	else
		check_error(checker, call, "D_FUNC_UNDEF", "function \"%s\": it is not defined", call->name);
	return false;
}

bool check_call(struct checker *checker, struct node *node)
{
	size_t errors = checker->unit->diag.errors;

	node->function = function_find(checker->unit->functions, node->name);
	if (!node->function)
		return not_a_function(checker, node);
	if (!check_stability(checker, node, node->name, stability_of_name(node->name)))
		return false;
	if (!check_rights_to_call(checker, node))
		return false;
	if (!check_list(checker, node->args) || !check_prototype(checker, node))
		return false;
	if (cannot_be_speculative(node->function) && checker->clause && checker->clause->is_speculative) {
		check_error(checker, node, "D_ACT_SPEC", "%s() cannot follow speculate()", node->name);
		return false;
	}
	if (node->function->refused) {
		check_error(checker, node, "D_UNKNOWN", "%s() is not possible: %s", node->name,
			    node->function->refused);
		return false;
	}
	node->type = result_type(checker, node->function);
	checker->unit->uses_term |= type_real(node->type)->kind == TYPE_TERM;
	checker->unit->reads_kernel |= node->function->reads_kernel;
	checker->unit->writes_user |= node->function->writes_user;
	if (node->function->is_destructive && !checker->unit->destructive)
		checker->unit->destructive = node;
	if (node->function->check)
		node->function->check(checker, node);
	return checker->unit->diag.errors == errors;
}

static bool is_positive(const struct node *node)
{
	return node->kind == NODE_INT && node->value != 0 &&
	       (!type_real(node->type)->is_signed || (int64_t)node->value > 0);
}

void check_stack(struct checker *checker, struct node *call)
{
	const struct node *frames = call->args, *size = frames ? frames->next : NULL;
	bool is_kernel = is_word(call->name, "stack");

	if (frames && !is_positive(frames))
		check_error(checker, frames, is_kernel ? "D_STACK_SIZE" : "D_USTACK_FRAMES",
			    "%s() argument #1 must be a non-zero positive integer constant", call->name);
	if (size && (size->kind != NODE_INT || (type_real(size->type)->is_signed && (int64_t)size->value < 0)))
		check_error(checker, size, "D_USTACK_STRSIZE", "%s() argument #2 must be a positive integer constant",
			    call->name);
}

void check_tracemem(struct checker *checker, struct node *call)
{
	const struct node *address = call->args, *size = address->next;

	if (!node_is_int(address) && !node_is_pointer(address))
		check_error(checker, address, "D_TRACEMEM_ADDR",
			    "tracemem() argument #1 is incompatible with "
			    "prototype: expected a pointer or an integer, found %s",
			    node_type_text(checker, address));
	else if (!is_positive(size))
		check_error(checker, size, "D_TRACEMEM_SIZE",
			    "tracemem() argument #2 must be a non-zero positive integral constant expression");
}

void check_inet_ntoa6(struct checker *checker, struct node *call)
{
	const struct node *is_strict = call->args->next;

	if (is_strict && is_strict->kind != NODE_INT)
		check_error(checker, is_strict, "D_PROTO_ARG",
			    "inet_ntoa6() argument #2 is incompatible with prototype: expected an integer constant, "
			    "found %s",
			    node_type_text(checker, is_strict));
}

static void check_scratch(struct checker *checker, const struct node *call, const struct node *size)
{
	size_t most = checker->unit->options.scratch_size;

	if (size && size->kind == NODE_INT && size->value > most)
		check_error(checker, call, "D_ALLOCA_SIZE", "%s() size %lu larger than scratchsize %zu", call->name,
			    (unsigned long)size->value, most);
}

void check_alloca(struct checker *checker, struct node *call)
{
	check_scratch(checker, call, call->args);
}

/* copyin(address, size), copyinstr(address, [size]) */
void check_copyin(struct checker *checker, struct node *call)
{
	check_scratch(checker, call, call->args->next);
}
