// SPDX-License-Identifier: BSD-2-Clause
/* Actions, which add fields to the record of the clause; and aggregations, which update a map. */
#include <string.h>

#include "d.h"
#include "d/lang/agg.h"
#include "base/arena.h"
#include "d/lang/function.h"
#include "d/lower/lower.h"
#include "d/lang/symbol.h"

/* Fields of records and keys. */

static void put_word(struct lower *lower, struct place to, struct place word)
{
	struct ir *ir = lower_add(lower, IR_STORE);

	ir->dst = to;
	ir->a = word;
	ir->size = 8;
}

static void put_bytes(struct lower *lower, struct place to, struct place address, size_t size)
{
	struct ir *ir = lower_add(lower, IR_COPY_FROM);

	ir->dst = to;
	ir->a = address;
	ir->size = (uint32_t)size;
	ir->label = lower->fault;
}

static void put_stack(struct lower *lower, struct place to, const struct field *field)
{
	struct place args[] = { to, place_const(field->frames), place_const(0) };
	bool is_user = field->node->kind == NODE_CALL && strcmp(field->node->name, "stack");

	if (!is_user)
		args[2] = lower_own_frames(lower);
	lower->reads_stack = true;
	lower_call(lower, is_user ? lower_stack_function(lower, "d_ustack") : "d_stack", args, is_user ? 2 : 3);
	lower->code->last->is_safe = true;
	lower->code->last->with_context = true;
}

static void put_symbol(struct lower *lower, struct place to, const struct field *field)
{
	struct place pid;

	put_word(lower, to, lower_word(lower, field->node->kind == NODE_CALL ? field->node->args : field->node));
	pid = lower_call(lower, "d_pid", NULL, 0);
	lower->code->last->is_safe = true;
	put_word(lower, place_plus(to, 8), pid);
}

/* The number of the argument that holds the term, if the site of an Erlang probe defines it; otherwise -1. */
static int term_argument(const struct lower *lower, const struct node *node)
{
	if (node->kind != NODE_IDENT || node->symbol->kind != SYMBOL_BUILTIN)
		return -1;
	if (node->symbol->builtin == BUILTIN_ARGTERM)
		return D_TERM_ARG;
	return lower->hook == HOOK_ERLANG && !lower->in_error && node->symbol->builtin <= BUILTIN_ARG9
		       ? (int)node->symbol->builtin
		       : -1;
}

static void put_term(struct lower *lower, struct place to, const struct field *field)
{
	struct node *value = field->node->kind == NODE_CALL ? field->node->args : field->node;
	int n = term_argument(lower, value);
	struct place args[] = {
		place_at(AREA_RECORD, 0),
		place_const(to.offset),
		n >= 0 ? place_const(n) : lower_word(lower, value),
		place_const((int64_t)lower->layout->record_size),
	};

	/* ERROR has no terms, and the calls would nest too deeply. */
	if (lower->in_error) {
		put_word(lower, to, place_const(0));
		return;
	}
	if (n >= 0)
		lower->args |= 1u << n;
	lower_call(lower, n >= 0 ? "d_term_arg" : "d_term", args, 4);
	lower->code->last->is_safe = true;
}

static void put_record_string(struct lower *lower, struct place to, struct node *value)
{
	struct place string;
	struct ir *ir;

	if (lower_string_in_record(lower, value, to))
		return;
	string = lower_not_null(lower, value, lower_string(lower, value));
	ir = lower_add(lower, IR_PUT_STRING);
	ir->dst = to;
	ir->a = string;
	ir->size = (uint32_t)lower->layout->room;
	ir->label = lower->fault;
}

/* The last evaluated argument. A second use must not evaluate it again, as in exit(x++). */
struct evaluated {
	struct node *node; /* NULL: none */
	struct place word;
};

static struct place evaluate_once(struct lower *lower, struct node *node, struct evaluated *last)
{
	if (last->node != node)
		*last = (struct evaluated){ node, lower_word(lower, node) };
	return last->word;
}

static void put_field(struct lower *lower, const struct field *field, struct evaluated *last)
{
	struct place to = place_at(AREA_RECORD, (uint32_t)field->offset);
	struct place word;

	switch (field->kind) {
	case FIELD_INT:
		word = evaluate_once(lower, field->node, last);
		put_word(lower, to, lower_extend(lower, word, field->type));
		break;
	case FIELD_STRING: put_record_string(lower, to, field->node); break;
	case FIELD_BYTES: put_bytes(lower, to, evaluate_once(lower, field->node, last), field->size); break;
	case FIELD_STACK: put_stack(lower, to, field); break;
	case FIELD_SYMBOL: put_symbol(lower, to, field); break;
	case FIELD_TERM: put_term(lower, to, field); break;
	}
}

/* The effects of actions, beside what they record. */

static void do_exit(struct lower *lower, struct place status)
{
	lower_call(lower, "d_exit", &status, 1);
	lower->code->last->is_safe = true;
	lower->may_exit = true;
}

/* Without a free speculation, the rest of the clause is skipped. */
static void do_speculate(struct lower *lower, struct place id)
{
	struct place args[] = { id, place_const((int64_t)lower_speculated_size(lower)) };
	struct place ok = lower_speculates_records(lower) ? lower_call(lower, "d_speculate_record", args, 2)
							  : lower_call(lower, "d_speculate", args, 1);

	lower_if(lower, ok, OP_EQ, place_const(0), false, lower->end);
}

static void do_commit(struct lower *lower, struct place id)
{
	lower_call(lower, "d_commit", &id, 1);
}

static void do_discard(struct lower *lower, struct place id)
{
	lower_call(lower, "d_discard", &id, 1);
}

static void do_function(struct lower *lower, struct node *node, const char *name)
{
	struct place args[IR_MAX_ARGS];
	unsigned int count = 0;

	for (struct node *arg = node->args; arg && count < IR_MAX_ARGS; arg = arg->next)
		args[count++] = type_is_string(arg->type) ? lower_in_frame(lower, lower_string(lower, arg))
							  : lower_word(lower, arg);
	lower_call(lower, name, args, count);
}

static const struct effect {
	const char *name;
	void (*lower)(struct lower *lower, struct place argument);
} effects[] = {
	{ "exit", do_exit },
	{ "speculate", do_speculate },
	{ "commit", do_commit },
	{ "discard", do_discard },
};

static void mark_as_run(struct lower *lower, const struct action *action)
{
	struct place ran = place_at(AREA_RECORD, (uint32_t)offsetof(struct d_record, ran));
	struct place word;
	struct ir *ir;

	if (action->condition < 0)
		return;
	ir = lower_add(lower, IR_LOAD);
	ir->dst = lower_temp(lower);
	ir->a = ran;
	ir->size = 8;
	word = lower_compute(lower, OP_OR, ir->dst, place_const((int64_t)(1ULL << action->condition)), false);
	put_word(lower, ran, word);
}

static void do_effect(struct lower *lower, struct node *node, struct evaluated *last)
{
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++) {
		if (!strcmp(effects[i].name, node->function->name)) {
			effects[i].lower(lower, evaluate_once(lower, node->args, last));
			return;
		}
	}
	if (node->function->library)
		do_function(lower, node, node->function->library);
}

/* illumos: a clause ends when its speculation is full. */
static void end_if_full(struct lower *lower, const struct field *field)
{
	struct place args[] = { place_const((int64_t)(field->offset + lower_field_size(field))),
				place_const((int64_t)lower->clause->record_size) };

	if (!lower->clause->is_speculative || lower_speculates_records(lower))
		return;
	lower_call(lower, "d_speculation_fits", args, 2);
	lower->code->last->is_safe = true;
	lower_if(lower, lower->code->last->dst, OP_EQ, place_const(0), false, lower->end);
}

void lower_action(struct lower *lower, struct node *node)
{
	struct action *action = node->note; /* NULL: records nothing */
	struct evaluated last = {};

	if (!action || !action->fields)
		lower_count_action(lower);
	for (struct field *field = action ? action->fields : NULL; field; field = field->next) {
		lower_count_action(lower);
		put_field(lower, field, &last);
		end_if_full(lower, field);
	}
	do_effect(lower, node, &last);
	if (action)
		mark_as_run(lower, action);
}

/* Aggregations. */

static const struct unit_agg *find_agg(const struct lower *lower, const struct symbol *symbol)
{
	for (const struct unit_agg *agg = lower->unit->aggs; agg; agg = agg->next) {
		if (agg->symbol == symbol)
			return agg;
	}
	return NULL;
}

/* The text of a term, as made in the kernel: see text.bpf.h. */
static struct place term_string(struct lower *lower, const struct node *node)
{
	struct node *value = node->kind == NODE_CALL ? node->args : (struct node *)node;
	int n = term_argument(lower, value);
	struct place args[] = { lower_slot(lower), n >= 0 ? place_const(n) : lower_word(lower, value) };

	if (n >= 0)
		lower->args |= 1u << n;
	lower_call(lower, n >= 0 ? "d_term_arg_text" : "d_term_text", args, 2);
	return args[0];
}

static struct place key_part(struct lower *lower, const struct field *field, struct node *arg)
{
	if (type_real(arg->type)->kind == TYPE_TERM)
		return term_string(lower, arg);
	if (field->kind == FIELD_STRING)
		return lower_not_null(lower, arg, lower_string(lower, arg));
	if (field->kind == FIELD_SYMBOL)
		return lower_word(lower, arg->kind == NODE_CALL ? arg->args : arg);
	if (field->kind == FIELD_BYTES)
		return lower_word(lower, arg);
	return field->kind == FIELD_INT ? lower_extend(lower, lower_word(lower, arg), field->type) : place_const(0);
}

static void put_key_part(struct lower *lower, const struct field *field, struct node *arg, struct place part)
{
	struct place to = place_at(AREA_KEY, (uint32_t)field->offset);
	struct field here = *field;
	struct place pid;

	here.node = arg;
	switch (field->kind) {
	case FIELD_STRING: lower_copy(lower, to, part, lower->layout->room); break;
	case FIELD_SYMBOL:
		put_word(lower, to, part);
		pid = lower_call(lower, "d_pid", NULL, 0);
		lower->code->last->is_safe = true;
		put_word(lower, place_plus(to, 8), pid);
		break;
	case FIELD_STACK: put_stack(lower, to, &here); break;
	case FIELD_BYTES: lower_key_bytes(lower, to, part, field->size); break;
	default: put_word(lower, to, part); break;
	}
}

/* Computes all parts before it stores the first, because computing one can use the key area. */
static void put_key(struct lower *lower, const struct unit_agg *agg, struct node *args)
{
	struct place parts[64];
	struct node *arg = args;
	size_t i = 0;

	for (const struct field *field = agg->keys; field && arg && i < 64; field = field->next, arg = arg->next) {
		lower_count_action(lower);
		parts[i++] = key_part(lower, field, arg);
	}
	arg = args;
	i = 0;
	for (const struct field *field = agg->keys; field && arg && i < 64; field = field->next, arg = arg->next)
		put_key_part(lower, field, arg, parts[i++]);
	if (agg->number || !args)
		put_word(lower, place_at(AREA_KEY, 0), place_const((int64_t)agg->number));
}

static void agg_add(struct lower *lower, unsigned int word, struct place value)
{
	struct ir *ir = lower_add(lower, IR_AGG_ADD);

	ir->dst = place_const(word);
	ir->a = value;
}

static struct node *nth(struct node *args, unsigned int n)
{
	for (; args && n; n--)
		args = args->next;
	return args;
}

/* The word that counts the bucket of a value. */
static struct place bucket_of(struct lower *lower, const struct unit_agg *agg, const struct d_function *function,
			      struct place value)
{
	struct place args[IR_MAX_ARGS] = { value };
	struct place word;
	unsigned int count = 1;

	if (function->agg == AGG_LQUANTIZE) {
		args[1] = place_const((int64_t)agg->params[0]);
		args[2] = place_const((int64_t)agg->params[1]);
		args[3] = place_const((int64_t)agg->params[2]);
		count = 4;
	} else if (function->agg == AGG_LLQUANTIZE) {
		args[1] = place_const(
			(int64_t)(agg->params[0] << 48 | agg->params[1] << 32 | agg->params[2] << 16 | agg->params[3]));
		count = 2;
	}
	word = lower_call(lower, arena_printf(lower->arena, "d_%s", function->name), args, count);
	lower->code->last->is_safe = true;
	return word;
}

static void agg_max(struct lower *lower, struct place biased)
{
	struct ir *ir = lower_add(lower, IR_AGG_MAX);

	ir->dst = place_const(1);
	ir->a = biased;
}

static void agg_square(struct lower *lower, struct place value, struct place high)
{
	struct ir *ir = lower_add(lower, IR_AGG_SQUARE);

	ir->a = value;
	ir->b = high;
}

static void agg_bucket(struct lower *lower, const struct unit_agg *agg, struct place word, struct place by)
{
	struct ir *ir = lower_add(lower, IR_AGG_ADD_AT);

	ir->a = word;
	ir->b = by;
	ir->limit = (uint32_t)agg->words;
}

/* In illumos, the value counts as an action after those of its keys. */
static struct place aggregated(struct lower *lower, const struct unit_agg *agg, struct node *value)
{
	unsigned int before = lower->action_number;
	struct place word;

	for (const struct field *key = agg->keys; key; key = key->next)
		lower->action_number++;
	lower_count_action(lower);
	word = lower_word(lower, value);
	lower->action_number = before;
	return word;
}

void lower_aggregation(struct lower *lower, struct node *node)
{
	/* Position of the increment among the arguments. */
	static const unsigned int increments[] = { [AGG_QUANTIZE] = 1, [AGG_LQUANTIZE] = 4, [AGG_LLQUANTIZE] = 5 };
	struct node *call = node->b;
	const struct unit_agg *agg = find_agg(lower, node->a->symbol);
	enum agg_kind kind = call->function->agg;
	struct place value = {}, extra = {}, by = place_const(1);
	struct node *increment = NULL;
	int end = lower_label(lower);
	struct ir *ir;

	if (!agg) {
		lower_unsupported(lower, node, "this aggregation");
		return;
	}
	if (call->args)
		value = aggregated(lower, agg, call->args);
	if (agg_is_distribution(kind)) {
		extra = bucket_of(lower, agg, call->function, value);
		increment = nth(call->args, increments[kind]);
	}
	if (increment)
		by = lower_word(lower, increment);
	if (kind == AGG_MIN || kind == AGG_MAX)
		extra = lower_compute(lower, OP_ADD, value, place_const((int64_t)AGG_BIAS), false);
	if (kind == AGG_MIN)
		extra = lower_compute(lower, OP_XOR, extra, place_const(-1), false);
	if (kind == AGG_STDDEV) {
		extra = lower_call(lower, "d_square_high", &value, 1);
		lower->code->last->is_safe = true;
	}
	put_key(lower, agg, node->a->args);
	lower->action_number++;
	ir = lower_add(lower, IR_AGGREGATE);
	ir->name = agg->map;
	ir->label = end;
	ir->size = (uint32_t)agg->stride;
	ir->limit = agg->stripes;
	agg_add(lower, 0, place_const(1));
	if (agg_is_distribution(kind))
		agg_bucket(lower, agg, extra, by);
	else if (kind == AGG_SUM || kind == AGG_AVG || kind == AGG_STDDEV)
		agg_add(lower, 1, value);
	else if (extra.area)
		agg_max(lower, extra);
	if (kind == AGG_STDDEV)
		agg_square(lower, value, extra);
	lower_here(lower, end);
}
