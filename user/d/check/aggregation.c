// SPDX-License-Identifier: BSD-2-Clause
/*
 * Aggregations: @name[keys] = function(...). The first use sets the function and the keys, including the parameters of
 * lquantize() and llquantize(); every other use must agree.
 */
#include "d/check/checker.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "d/check/check.h"
#include "d/lang/agg.h"

static struct identifier *agg_find(struct checker *checker, const char *name)
{
	return names_find(&checker->aggs, 0, name);
}

static const char *shown(const struct node *node)
{
	return strcmp(node->name, "_") == 0 ? "" : node->name;
}

/*
 * @x alone, as an argument of printa() and the like, which check more. An aggregation with keys can be defined later.
 */
bool check_aggregation(struct checker *checker, struct node *node)
{
	struct identifier *identifier = agg_find(checker, node->name);

	if (!check_list(checker, node->args))
		return false;
	if (identifier && identifier->is_wrong)
		return false;
	if (!identifier && !node->args) {
		check_error(checker, node, "D_IDENT_UNDEF", "aggregation \"@%s\": it has no function yet", shown(node));
		return false;
	}
	node->symbol = identifier ? identifier->symbol : NULL;
	node->type = type_void(checker->unit->types);
	return true;
}

static size_t agg_words(const struct symbol *symbol, const uint64_t *params)
{
	switch (symbol->function->agg) {
	case AGG_COUNT: return 1;
	case AGG_STDDEV: return 4;
	case AGG_QUANTIZE: return 1 + AGG_QUANTIZE_BUCKETS;
	case AGG_LQUANTIZE: return 3 + (size_t)(((int64_t)params[1] - (int64_t)params[0]) / (int64_t)params[2]);
	case AGG_LLQUANTIZE: return 4 + 2 * (size_t)((params[2] - params[1] + 1) * (params[3] - params[3] / params[0]));
	default: return 2;
	}
}

static void add_keys(struct checker *checker, struct unit_agg *agg, struct node *args)
{
	struct field **end = &agg->keys;

	for (struct node *arg = args; arg; arg = arg->next) {
		struct field *field = field_new(checker, arg);

		/* Keys are compared byte by byte: for a term, that is its text. */
		if (field->kind == FIELD_TERM) {
			field->kind = FIELD_STRING;
			field->type = type_string(checker->unit->types);
		}
		if (field->kind == FIELD_STRING)
			field->size = unit_string_room(checker->unit);
		field->offset = agg->key_size;
		agg->key_size += (field->size + 7) & ~(size_t)7;
		*end = field;
		end = &field->next;
	}
	if (agg->key_size == 0)
		agg->key_size = 8;
}

/* Constant parameters after the value: the results of check_lquantize() and check_llquantize(). */
static void read_params(const struct node *call, uint64_t *params)
{
	const struct node *arg = call->args ? call->args->next : NULL;
	bool is_linear = call->function->agg == AGG_LQUANTIZE;

	if (!is_linear && call->function->agg != AGG_LLQUANTIZE)
		return;
	for (size_t i = 0; i < (is_linear ? 3 : 4) && arg; i++, arg = arg->next)
		params[i] = arg->value;
	if (is_linear && params[2] == 0)
		params[2] = 1;
}

static void agg_new(struct checker *checker, struct symbol *symbol, struct node *node)
{
	struct unit_agg *agg = arena_alloc(checker->unit->arena, sizeof(*agg));

	agg->symbol = symbol;
	read_params(node->b, agg->params);
	agg->words = agg_words(symbol, agg->params);
	agg->stripes = agg_stripes(agg->words, checker->unit->options.cpus);
	agg->stride = agg_stride(agg->words, agg->stripes);
	add_keys(checker, agg, node->a->args);
	*checker->aggs_end = agg;
	checker->aggs_end = &agg->next;
}

static bool check_key_kinds(struct checker *checker, const struct node *agg)
{
	size_t number = 1;

	for (const struct node *arg = agg->args; arg; arg = arg->next, number++)
		if (node_is_dynamic(arg) || node_is_void(arg)) {
			check_error(checker, agg, "D_KEY_TYPE",
				    "%s expression cannot be used as aggregation index: "
				    "key #%zu",
				    node_type_text(checker, arg), number);
			return false;
		}
	return true;
}

static bool redefined(struct checker *checker, const struct node *node, const struct symbol *symbol)
{
	const char *name = shown(node->a);

	check_error(checker, node, "D_AGG_REDEF", "aggregation \"@%s\": it is %s() on line %d and cannot be %s() here",
		    name, symbol->function->name, symbol->line, node->b->function->name);
	return false;
}

struct parameter {
	const char *tag, *what;
};

static bool check_same_params(struct checker *checker, const struct node *node, const struct symbol *symbol)
{
	static const struct parameter linear[4] = {
		{ "D_LQUANT_MATCHBASE", "base" },
		{ "D_LQUANT_MATCHLIM", "limit" },
		{ "D_LQUANT_MATCHSTEP", "step" },
	};
	static const struct parameter log_linear[4] = {
		{ "D_LLQUANT_MATCHFACTOR", "factor" },
		{ "D_LLQUANT_MATCHLMAG", "low magnitude" },
		{ "D_LLQUANT_MATCHHMAG", "high magnitude" },
		{ "D_LLQUANT_MATCHSTEPS", "steps" },
	};
	const struct parameter *parameters = node->b->function->agg == AGG_LQUANTIZE ? linear : log_linear;
	uint64_t first[5] = { 0 }, now[5] = { 0 };

	read_params(symbol->first, first);
	read_params(node->b, now);
	for (size_t i = 0; i < 4 && parameters[i].tag; i++) {
		if (first[i] == now[i])
			continue;
		check_error(checker, node, parameters[i].tag,
			    "%s() %s (argument #%zu) does not match previous declaration: expected %" PRId64
			    ", found %" PRId64,
			    node->b->function->name, parameters[i].what, i + 1, (int64_t)first[i], (int64_t)now[i]);
		return false;
	}
	return true;
}

static bool check_known(struct checker *checker, struct node *node, struct symbol *symbol)
{
	const char *what = arena_printf(checker->unit->arena, "@%s[]", shown(node->a));

	if (symbol->function != node->b->function)
		return redefined(checker, node, symbol);
	return check_keys(checker, node->a, symbol->keys, what, node->a->args) &&
	       check_same_params(checker, node, symbol);
}

static bool check_function(struct checker *checker, struct node *node)
{
	const struct d_function *function = node->b->kind == NODE_CALL
						    ? function_find(checker->unit->functions, node->b->name)
						    : NULL;

	if (!check_expression(checker, node->b))
		return false;
	if (node->op == OP_NONE && function && function->kind == FUNCTION_AGGREGATING) {
		if (!node->b->args || node_is_scalar(node->b->args))
			return true;
		check_error(checker, node->b, "D_AGG_SCALAR", "%s() argument #1 must be of scalar type",
			    function->name);
		return false;
	}
	check_error(checker, node, "D_AGG_FUNC", "@%s must be assigned the result of an aggregating function",
		    shown(node->a));
	return false;
}

bool check_aggregate(struct checker *checker, struct node *node)
{
	struct identifier *identifier = agg_find(checker, node->a->name);
	bool ok = check_list(checker, node->a->args);

	if (!check_function(checker, node) || !ok || !check_key_kinds(checker, node->a))
		return false;
	if (identifier && identifier->is_wrong)
		return false;
	node->type = node->a->type = type_void(checker->unit->types);
	if (identifier) {
		node->a->symbol = identifier->symbol;
		return check_known(checker, node, identifier->symbol);
	}
	identifier = symbol_add(checker, node->a, SYMBOL_AGGREGATION);
	if (identifier->is_wrong)
		return false;
	node->a->symbol = identifier->symbol;
	identifier->symbol->function = node->b->function;
	identifier->symbol->first = node->b;
	identifier->symbol->keys = key_types(checker, node->a->args);
	agg_new(checker, identifier->symbol, node);
	return true;
}

/* The increment must be the last argument. */
static void check_increment(struct checker *checker, const struct node *call, const struct node *increment, size_t most)
{
	size_t passed = 0;

	if (!increment)
		return;
	for (const struct node *arg = call->args; arg; arg = arg->next)
		passed++;
	if (!node_is_scalar(increment))
		check_error(checker, call, "D_PROTO_ARG", "%s() increment value (argument #%zu) must be of scalar type",
			    call->name, most);
	else if (passed > most)
		check_error(checker, call, "D_PROTO_LEN",
			    "%s() prototype mismatch: %zu args passed, at most %zu "
			    "expected",
			    call->name, passed, most);
}

void check_quantize(struct checker *checker, struct node *call)
{
	check_increment(checker, call, call->args->next, 2);
}

static bool is_positive(const struct node *node)
{
	return node->kind == NODE_INT && node->value != 0 &&
	       (!type_real(node->type)->is_signed || (int64_t)node->value > 0);
}

static bool is_32_bits(const struct node *node)
{
	return (int64_t)node->value >= INT32_MIN && (int64_t)node->value <= INT32_MAX;
}

static bool wrong(struct checker *checker, const struct node *call, const char *tag, size_t number, const char *what)
{
	check_error(checker, call, tag, "%s() argument #%zu %s", call->name, number, what);
	return false;
}

static bool check_linear(struct checker *checker, const struct node *call, const struct node *base,
			 const struct node *limit, const struct node *step)
{
	uint64_t levels;

	if (base->kind != NODE_INT)
		return wrong(checker, call, "D_LQUANT_BASETYPE", 1, "must be an integer constant");
	if (!is_32_bits(base))
		return wrong(checker, call, "D_LQUANT_BASEVAL", 1, "must be a 32-bit quantity");
	if (limit->kind != NODE_INT)
		return wrong(checker, call, "D_LQUANT_LIMTYPE", 2, "must be an integer constant");
	if (!is_32_bits(limit))
		return wrong(checker, call, "D_LQUANT_LIMVAL", 2, "must be a 32-bit quantity");
	if ((int64_t)limit->value <= (int64_t)base->value)
		return wrong(checker, call, "D_LQUANT_MISMATCH", 1, "(base) must be less than argument #2 (limit)");
	if (step && !is_positive(step))
		return wrong(checker, call, "D_LQUANT_STEPTYPE", 3, "must be a non-zero positive integer constant");
	if (step && step->value > UINT16_MAX)
		return wrong(checker, call, "D_LQUANT_STEPVAL", 3, "must be a 16-bit quantity");
	levels = (limit->value - base->value) / (step ? step->value : 1);
	if (levels == 0)
		return wrong(checker, call, "D_LQUANT_STEPLARGE", 3,
			     "(step) too large: must have at least one quantization level");
	if (levels > UINT16_MAX)
		return wrong(checker, call, "D_LQUANT_STEPSMALL", 3,
			     "(step) too small: number of quantization levels must be a 16-bit quantity");
	return true;
}

void check_lquantize(struct checker *checker, struct node *call)
{
	const struct node *base = call->args->next, *limit = base->next, *step = limit->next;

	if (check_linear(checker, call, base, limit, step))
		check_increment(checker, call, step ? step->next : NULL, 5);
}

/* The power of the factor; false: it exceeds 64 bits. */
static bool power(uint64_t factor, uint64_t exponent, uint64_t *value)
{
	*value = 1;
	while (exponent--)
		if (__builtin_mul_overflow(*value, factor, value))
			return false;
	return true;
}

static bool check_magnitudes(struct checker *checker, const struct node *call, const struct node *factor,
			     const struct node *low, const struct node *high)
{
	uint64_t most;

	if (factor->kind != NODE_INT)
		return wrong(checker, call, "D_LLQUANT_FACTORTYPE", 1, "must be an integer constant");
	if (factor->value > UINT16_MAX || factor->value < 2)
		return wrong(checker, call, "D_LLQUANT_FACTORVAL", 1,
			     "must be an unsigned 16-bit quantity greater than or equal to 2");
	if (low->kind != NODE_INT)
		return wrong(checker, call, "D_LLQUANT_LMAGTYPE", 2, "must be an integer constant");
	if (low->value > UINT16_MAX)
		return wrong(checker, call, "D_LLQUANT_LMAGVAL", 2, "must be an unsigned 16-bit quantity");
	if (high->kind != NODE_INT)
		return wrong(checker, call, "D_LLQUANT_HMAGTYPE", 3, "must be an integer constant");
	if (high->value > UINT16_MAX)
		return wrong(checker, call, "D_LLQUANT_HMAGVAL", 3, "must be an unsigned 16-bit quantity");
	if (high->value < low->value)
		return wrong(checker, call, "D_LLQUANT_HMAGVAL", 3,
			     "(high magnitude) must be at least argument #2 (low magnitude)");
	if (!power(factor->value, high->value + 1, &most))
		return wrong(checker, call, "D_LLQUANT_HMAGVAL", 3, "(high magnitude) will cause overflow of 64 bits");
	return true;
}

static bool check_steps(struct checker *checker, const struct node *call, uint64_t factor, uint64_t low,
			const struct node *steps)
{
	uint64_t whole;

	if (!is_positive(steps))
		return wrong(checker, call, "D_LLQUANT_STEPTYPE", 4, "must be a non-zero positive integer constant");
	if (steps->value > UINT16_MAX)
		return wrong(checker, call, "D_LLQUANT_STEPVAL", 4, "must be an unsigned 16-bit quantity");
	if (steps->value < factor && factor % steps->value != 0)
		return wrong(checker, call, "D_LLQUANT_STEPVAL", 4,
			     "(steps) must evenly divide argument #1 (factor) when steps<factor");
	if (steps->value <= factor)
		return true;
	if (steps->value % factor != 0)
		return wrong(checker, call, "D_LLQUANT_STEPVAL", 4,
			     "(steps) must be a multiple of argument #1 (factor) when steps>factor");
	power(factor, low == 0 ? 2 : low + 1, &whole);
	if (whole % steps->value != 0)
		return wrong(checker, call, "D_LLQUANT_STEPVAL", 4,
			     "(steps) must evenly divide the values of the lowest magnitude when steps>factor");
	return true;
}

void check_llquantize(struct checker *checker, struct node *call)
{
	const struct node *factor = call->args->next, *low = factor->next, *high = low->next, *steps = high->next;

	if (check_magnitudes(checker, call, factor, low, high) &&
	    check_steps(checker, call, factor->value, low->value, steps))
		check_increment(checker, call, steps->next, 6);
}
