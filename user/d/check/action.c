// SPDX-License-Identifier: BSD-2-Clause
/*
 * Actions: what each one records, as fields in its struct action, in the order in which the consumer reads them; and
 * the rules for the order of actions in a clause.
 */
#include "d/check/checker.h"

#include <stdio.h>
#include <string.h>

#include "d.h"
#include "base/arena.h"

/* Silently limited to the maximum, as in DTrace. */
static unsigned int frames_of(struct checker *checker, const struct node *call)
{
	const struct unit_options *options = &checker->unit->options;
	uint64_t frames = strcmp(call->name, "stack") ? options->ustack_frames : options->frames;
	uint64_t most = options->max_frames ? options->max_frames : D_STACK_FRAMES;

	if (call->args)
		frames = (uint64_t)call->args->value;
	return (unsigned int)(frames > most ? most : frames);
}

static enum field_symbol symbol_of(const char *name)
{
	static const struct {
		const char *name;
		enum field_symbol symbol;
	} rows[] = {
		{ "uaddr", SYMBOL_UADDR }, { "usym", SYMBOL_USYM }, { "umod", SYMBOL_UMOD }, { "ufunc", SYMBOL_UFUNC },
		{ "sym", SYMBOL_KSYM },	   { "func", SYMBOL_KSYM }, { "mod", SYMBOL_KMOD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].symbol;
	return SYMBOL_KADDR;
}

static void set_stack(struct checker *checker, struct field *field, const struct node *call)
{
	field->kind = FIELD_STACK;
	field->frames = frames_of(checker, call);
	field->size = 8 + 8 * (size_t)field->frames;
}

struct field *field_new(struct checker *checker, struct node *node)
{
	struct field *field = arena_alloc(checker->unit->arena, sizeof(*field));
	struct type *real = type_real(node->type);

	field->node = node;
	field->type = node->type;
	field->size = 8;
	switch (real->kind) {
	case TYPE_STRING: field->kind = FIELD_STRING; break;
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ARRAY:
		field->kind = FIELD_BYTES;
		field->size = real->size;
		break;
	case TYPE_STACK: set_stack(checker, field, node); break;
	case TYPE_SYMBOL:
		field->kind = FIELD_SYMBOL;
		field->symbol = symbol_of(node->name);
		field->size = 16;
		break;
	case TYPE_TERM: field->kind = FIELD_TERM; break;
	default: field->kind = FIELD_INT; break;
	}
	return field;
}

static void add_field(struct action *action, struct field *field)
{
	struct field **end = &action->fields;

	while (*end)
		end = &(*end)->next;
	*end = field;
}

static void add_fields(struct checker *checker, struct action *action, struct node *nodes)
{
	struct field **end = &action->fields;

	while (*end)
		end = &(*end)->next;
	for (struct node *node = nodes; node; node = node->next) {
		*end = field_new(checker, node);
		end = &(*end)->next;
	}
}

static bool wrong_type(struct checker *checker, const struct node *call, size_t number, const char *tag,
		       const char *expected, const struct node *arg)
{
	check_error(checker, call, tag, "%s() argument #%zu is incompatible with prototype: expected %s, found %s",
		    call->name, number, expected, node_type_text(checker, arg));
	return false;
}

/* trace() and print(): one value. */
static bool check_recorded(struct checker *checker, const struct node *call, const struct node *arg)
{
	bool is_print = call->function->action == ACTION_PRINT;

	if (node_is_dynamic(arg)) {
		check_error(checker, call, is_print ? "D_PRINT_DYN" : "D_TRACE_DYN",
			    "%s() cannot be applied to a dynamic expression", call->name);
		return false;
	}
	if (node_is_void(arg)) {
		check_error(checker, call, is_print ? "D_PRINT_VOID" : "D_TRACE_VOID",
			    "%s() cannot be applied to a void expression", call->name);
		return false;
	}
	return true;
}

static bool record_trace(struct checker *checker, struct action *action, struct node *call)
{
	if (!check_recorded(checker, call, call->args))
		return false;
	add_fields(checker, action, call->args);
	return true;
}

/* print() shows the target of a pointer, so its type must be complete. */
static bool record_print(struct checker *checker, struct action *action, struct node *call)
{
	struct node *arg = call->args;
	struct type *element;
	struct field *field;

	if (!check_recorded(checker, call, arg))
		return false;
	add_fields(checker, action, arg);
	if (!type_is_pointer(arg->type))
		return true;
	element = type_element(arg->type);
	if (type_lacks_members(checker, element) || type_real(element)->size == 0) {
		check_error(checker, call, "D_PRINT_SIZE",
			    "print() argument #1 reference has type \"%s\" with size 0; cannot print() it.",
			    type_text(checker->unit->types, element));
		return false;
	}
	field = field_new(checker, arg);
	field->kind = FIELD_BYTES;
	field->type = element;
	field->size = type_real(element)->size;
	add_field(action, field);
	return true;
}

static bool record_tracemem(struct checker *checker, struct action *action, struct node *call)
{
	struct node *size = call->args->next;
	struct field *field = field_new(checker, call->args);

	field->kind = FIELD_BYTES;
	field->size = size->value;
	add_field(action, field);
	add_fields(checker, action, size->next);
	return true;
}

static struct format *read_format(struct checker *checker, const struct node *call, const struct node *text)
{
	struct format *format;
	const char *wrong = NULL;

	if (text->kind != NODE_STRING) {
		wrong_type(checker, call, 1, "D_PRINTF_ARG_FMT", "string constant", text);
		return NULL;
	}
	if (text->length == 0 && call->function->action != ACTION_FREOPEN) {
		check_error(checker, call, "D_PRINTF_FMT_EMPTY", "%s() format string is empty", call->name);
		return NULL;
	}
	/* "." stands for freopen("") inside DTrace. */
	if (call->function->action == ACTION_FREOPEN && strcmp(text->text, ".") == 0) {
		check_error(checker, call, "D_FREOPEN_INVALID", "%s() argument #1 cannot be \".\"", call->name);
		return NULL;
	}
	format = format_parse(checker->unit->arena, text->text, text->length, &wrong);
	if (!format)
		check_error(checker, call, "D_SYNTAX", "%s() %s", call->name, wrong);
	return format;
}

/* State of the walk over a format: the next argument. */
struct matching {
	const struct node *call;
	const struct node *arg;	    /* of printf() */
	const struct type_key *key; /* of printa() */
	bool is_printa;
	size_t conversion, number;
	struct type *agg_type;
};

static struct type *next_type(struct matching *matching)
{
	struct type *type = NULL;

	if (matching->is_printa && matching->key) {
		type = matching->key->type;
		matching->key = matching->key->next;
	} else if (!matching->is_printa && matching->arg) {
		type = matching->arg->type;
		if (node_is_dynamic(matching->arg))
			type = NULL;
		matching->arg = matching->arg->next;
	}
	matching->number++;
	return type;
}

static bool has_next(const struct matching *matching)
{
	return matching->is_printa ? matching->key != NULL : matching->arg != NULL;
}

static const char *part_text(struct checker *checker, const struct format_part *part)
{
	return arena_printf(checker->unit->arena, "%%%s%c", part->modifier, part->conversion);
}

static bool match_star(struct checker *checker, struct matching *matching, const struct format_part *part,
		       const char *star)
{
	struct type *type;

	if (!has_next(matching)) {
		check_error(checker, matching->call, "D_PRINTF_DYN_PROTO",
			    "%s() prototype mismatch: conversion #%zu "
			    "(%s) is missing a corresponding \"%s\" argument",
			    matching->call->name, matching->conversion, part_text(checker, part), star);
		return false;
	}
	type = next_type(matching);
	if (type && type_is_int(type))
		return true;
	check_error(checker, matching->call, "D_PRINTF_DYN_TYPE",
		    "%s() argument #%zu is incompatible with conversion #%zu (%% %s %c): expected int, found %s",
		    matching->call->name, matching->number + 1, matching->conversion, star, part->conversion,
		    type ? type_text(checker->unit->types, type) : "dynamic");
	return false;
}

static bool match_value(struct checker *checker, struct matching *matching, const struct format_part *part)
{
	const char *expected = NULL, *what = "aggregating action";
	struct type *type = matching->agg_type;

	if (!part->is_agg) {
		if (!has_next(matching)) {
			check_error(checker, matching->call, "D_PRINTF_ARG_PROTO",
				    "%s() prototype mismatch: conversion "
				    "#%zu (%s) is missing a corresponding value argument",
				    matching->call->name, matching->conversion, part_text(checker, part));
			return false;
		}
		type = next_type(matching);
		what = arena_printf(checker->unit->arena, "argument #%zu", matching->number + 1);
	}
	expected = type ? format_mismatch(part, type) : "a value";
	if (!expected)
		return true;
	check_error(checker, matching->call, "D_PRINTF_ARG_TYPE",
		    "%s() %s is incompatible with conversion #%zu (%s): expected %s, found %s", matching->call->name,
		    what, matching->conversion, part_text(checker, part), expected,
		    type ? type_text(checker->unit->types, type) : "dynamic");
	return false;
}

static bool match_format(struct checker *checker, struct matching *matching, const struct format *format)
{
	for (const struct format_part *part = format->parts; part; part = part->next) {
		if (part->class == FORMAT_TEXT)
			continue;
		matching->conversion++;
		if (part->is_agg && !matching->is_printa) {
			check_error(checker, matching->call, "D_PRINTF_AGG_CONV",
				    "%%@ conversion requires an aggregation "
				    "and is not for use with %s()",
				    matching->call->name);
			return false;
		}
		if ((part->star_width && !match_star(checker, matching, part, "*")) ||
		    (part->star_precision && !match_star(checker, matching, part, ".*")) ||
		    !match_value(checker, matching, part))
			return false;
	}
	return true;
}

static bool record_printf(struct checker *checker, struct action *action, struct node *call)
{
	struct matching matching = { .call = call, .arg = call->args->next };

	action->format = read_format(checker, call, call->args);
	if (!action->format || !match_format(checker, &matching, action->format))
		return false;
	if (matching.arg) {
		check_error(checker, call, "D_PRINTF_ARG_EXTRA",
			    "%s() prototype mismatch: only %zu arguments required by this format string", call->name,
			    matching.number);
		return false;
	}
	add_fields(checker, action, call->args->next);
	return true;
}

/* The tag depends on the action. */
static bool take_agg(struct checker *checker, struct action *action, const struct node *call, const struct node *arg,
		     size_t number, const char *prefix)
{
	const char *tag;

	if (arg->kind != NODE_AGG) {
		tag = arena_printf(checker->unit->arena, "D_%s_AGGARG", prefix);
		return wrong_type(checker, call, number, tag, "aggregation", arg);
	}
	if (!arg->symbol) {
		tag = arena_printf(checker->unit->arena, "D_%s_AGGBAD", prefix);
		check_error(checker, call, tag, "undefined aggregation: @%s", arg->name);
		return false;
	}
	action->aggs[action->agg_count++] = arg->symbol;
	return true;
}

static bool record_agg(struct checker *checker, struct action *action, struct node *call)
{
	static const char *const prefixes[] = {
		[ACTION_CLEAR] = "CLEAR",
		[ACTION_TRUNC] = "TRUNC",
		[ACTION_NORMALIZE] = "NORMALIZE",
		[ACTION_DENORMALIZE] = "NORMALIZE",
	};

	action->aggs = arena_alloc(checker->unit->arena, sizeof(*action->aggs));
	if (!take_agg(checker, action, call, call->args, 1, prefixes[action->kind]))
		return false;
	add_fields(checker, action, call->args->next);
	return true;
}

static size_t key_count(const struct symbol *agg)
{
	size_t count = 0;

	for (const struct type_key *key = agg->keys; key; key = key->next)
		count++;
	return count;
}

/* Aggregations that are printed side by side need the same keys. */
static bool check_same_keys(struct checker *checker, const struct node *call, const struct symbol *first,
			    const struct symbol *other)
{
	const struct type_key *a = first->keys, *b = other->keys;

	if (key_count(first) != key_count(other)) {
		check_error(checker, call, "D_PRINTA_AGGKEY",
			    "printa(): @%s and @%s do not have matching key "
			    "signatures: @%s has %zu, @%s has %zu",
			    first->name, other->name, first->name, key_count(first), other->name, key_count(other));
		return false;
	}
	for (size_t number = 1; a; a = a->next, b = b->next, number++) {
		struct node value = { .kind = NODE_CAST, .type = b->type };

		if (type_takes(checker, a->type, &value))
			continue;
		check_error(checker, call, "D_PRINTA_AGGPROTO",
			    "printa(): @%s[] key #%zu is incompatible with @%s: expected %s, found %s", other->name,
			    number, first->name, type_text(checker->unit->types, a->type),
			    type_text(checker->unit->types, b->type));
		return false;
	}
	return true;
}

static bool match_agg_format(struct checker *checker, const struct node *call, const struct format *format,
			     const struct symbol *agg)
{
	bool is_count = agg->function->agg == AGG_COUNT;
	struct matching matching = {
		.call = call,
		.is_printa = true,
		.key = agg->keys,
		.agg_type = type_int(checker->unit->types, 8, !is_count),
	};

	return match_format(checker, &matching, format);
}

static bool record_printa(struct checker *checker, struct action *action, struct node *call)
{
	struct node *arg = call->args;
	size_t count = 0, number = 1;

	for (struct node *each = arg; each; each = each->next)
		count++;
	/* Printing reads each of them from the kernel. */
	if (count > D_MAX_AGGS + 1) {
		check_error(checker, call, "D_PRINTA_PROTO", "%s() takes at most %d aggregations", call->name,
			    D_MAX_AGGS);
		return false;
	}
	action->aggs = arena_alloc(checker->unit->arena, count * sizeof(*action->aggs));
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the table says that it has one */
	if (arg->kind == NODE_STRING) {
		action->format = read_format(checker, call, arg);
		if (!action->format)
			return false;
		arg = arg->next;
		number++;
	}
	if (!arg) {
		check_error(checker, call, "D_PRINTA_PROTO", "%s() prototype mismatch: 1 args passed, 2 expected",
			    call->name);
		return false;
	}
	for (; arg; arg = arg->next, number++) {
		const struct symbol *agg;

		if (!take_agg(checker, action, call, arg, number, "PRINTA"))
			return false;
		agg = action->aggs[action->agg_count - 1];
		if (!check_same_keys(checker, call, action->aggs[0], agg) ||
		    (action->format && !match_agg_format(checker, call, action->format, agg)))
			return false;
	}
	return true;
}

static bool record_call(struct checker *checker, struct action *action, struct node *call)
{
	add_field(action, field_new(checker, call));
	return true;
}

static bool record(struct checker *checker, struct action *action, struct node *call)
{
	switch (action->kind) {
	case ACTION_TRACE: return record_trace(checker, action, call);
	case ACTION_PRINT: return record_print(checker, action, call);
	case ACTION_TRACEMEM: return record_tracemem(checker, action, call);
	case ACTION_PRINTF:
	case ACTION_SYSTEM:
	case ACTION_FREOPEN: return record_printf(checker, action, call);
	case ACTION_PRINTA: return record_printa(checker, action, call);
	case ACTION_STACK:
	case ACTION_SYMBOL: return record_call(checker, action, call);
	case ACTION_CLEAR:
	case ACTION_TRUNC:
	case ACTION_NORMALIZE:
	case ACTION_DENORMALIZE: return record_agg(checker, action, call);
	default: add_fields(checker, action, call->args); return true;
	}
}

static bool out_of_order(struct checker *checker, const struct node *node, const char *tag, const char *what)
{
	check_error(checker, node, tag, "%s", what);
	return false;
}

static bool order_speculate(struct checker *checker, const struct node *node)
{
	if (checker->clause->is_speculative)
		return out_of_order(checker, node, "D_SPEC_SPEC", "speculate() cannot follow speculate()");
	if (checker->has_commit)
		return out_of_order(checker, node, "D_SPEC_COMM", "speculate() cannot follow commit()");
	if (checker->has_data || checker->has_agg)
		return out_of_order(checker, node, "D_SPEC_DREC", "speculate() cannot follow data-recording action(s)");
	checker->clause->is_speculative = true;
	return true;
}

static bool order_commit(struct checker *checker, const struct node *node)
{
	if (checker->has_data || checker->has_agg)
		return out_of_order(checker, node, "D_COMM_DREC", "commit() cannot follow data-recording action(s)");
	checker->has_commit = true;
	return true;
}

static bool order_agg(struct checker *checker, const struct node *node)
{
	if (checker->has_commit)
		return out_of_order(checker, node, "D_AGG_COMM", "aggregating actions cannot follow commit()");
	if (checker->clause->is_speculative)
		return out_of_order(checker, node, "D_AGG_SPEC", "aggregating actions cannot follow speculate()");
	checker->has_agg = true;
	return true;
}

static bool order_data(struct checker *checker, const struct node *node)
{
	const struct d_function *function = node->function;

	if (checker->clause->is_speculative && function->is_destructive)
		return out_of_order(checker, node, "D_ACT_SPEC", "destructive actions cannot follow speculate()");
	if (checker->clause->is_speculative && !function->library && function->action == ACTION_EXIT)
		return out_of_order(checker, node, "D_EXIT_SPEC", "exit() cannot follow speculate()");
	if (checker->has_commit)
		return out_of_order(checker, node, "D_DREC_COMM", "data-recording actions cannot follow commit()");
	checker->has_data = true;
	return true;
}

/* A statement: an aggregation or the call of an action. */
bool check_order(struct checker *checker, struct node *node)
{
	if (node->kind == NODE_ASSIGN)
		return order_agg(checker, node);
	if (strcmp(node->name, "speculate") == 0)
		return order_speculate(checker, node);
	if (!node->function->library && node->function->action == ACTION_COMMIT)
		return order_commit(checker, node);
	if (!node->function->library && node->function->action == ACTION_DISCARD)
		return true;
	return order_data(checker, node);
}

static bool set_condition(struct checker *checker, struct action *action, const struct node *call)
{
	action->condition = -1;
	if (!checker->is_conditional)
		return true;
	if (checker->clause->conditions >= CHECK_CONDITIONS) {
		check_error(checker, call, "D_UNKNOWN", "a clause may have at most %d actions under an if",
			    CHECK_CONDITIONS);
		return false;
	}
	action->condition = (int)checker->clause->conditions++;
	return true;
}

/* A checked call as a statement. call->note becomes a struct action with what it records. */
bool check_action(struct checker *checker, struct node *call)
{
	struct action *action;

	if (!check_order(checker, call))
		return false;
	if (call->function->library)
		return true;
	action = arena_alloc(checker->unit->arena, sizeof(*action));
	action->kind = call->function->action;
	action->name = call->name;
	action->line = call->line;
	if (!set_condition(checker, action, call) || !record(checker, action, call))
		return false;
	call->note = action;
	*checker->actions_end = action;
	checker->actions_end = &action->next;
	return true;
}
