// SPDX-License-Identifier: BSD-2-Clause
/* Lowering of clauses and statements, and the basic operations. */
#include "d/lower/lower.h"

#include <string.h>

#include "d.h"
#include "term.h"
#include "base/arena.h"
#include "d/lang/fold.h"
#include "d/lang/function.h"
#include "d/lang/symbol.h"

struct ir *lower_add(struct lower *lower, enum ir_op op)
{
	return ir_add(lower->arena, lower->code, op);
}

struct place lower_temp(struct lower *lower)
{
	size_t n = lower->temps++;

	if (lower->temps > lower->layout->temps)
		lower->layout->temps = lower->temps;
	return place_at(AREA_TEMP, (uint32_t)n);
}

struct place lower_slot(struct lower *lower)
{
	size_t n = lower->strings++;

	if (lower->strings > lower->layout->strings)
		lower->layout->strings = lower->strings;
	return place_at(AREA_STRING, (uint32_t)(n * lower->layout->room));
}

struct place lower_slots(struct lower *lower, size_t size)
{
	struct place first = lower_slot(lower);

	for (size_t room = lower->layout->room; room < size; room += lower->layout->room)
		lower_slot(lower);
	return first;
}

int lower_label(struct lower *lower)
{
	return ++lower->code->labels;
}

void lower_here(struct lower *lower, int label)
{
	lower_add(lower, IR_LABEL)->label = label;
}

void lower_goto(struct lower *lower, int label)
{
	lower_add(lower, IR_GOTO)->label = label;
}

void lower_if(struct lower *lower, struct place a, enum node_op how, struct place b, bool is_signed, int label)
{
	struct ir *ir = lower_add(lower, IR_IF);

	ir->a = a;
	ir->how = how;
	ir->b = b;
	ir->is_signed = is_signed;
	ir->label = label;
}

void lower_move(struct lower *lower, struct place to, struct place from)
{
	struct ir *ir = lower_add(lower, IR_MOVE);

	ir->dst = to;
	ir->a = from;
}

struct place lower_extend(struct lower *lower, struct place word, struct type *type)
{
	struct type *real = type_real(type);
	struct ir *ir;

	if ((real->kind != TYPE_INT && real->kind != TYPE_ENUM) || real->size >= 8 || !real->size)
		return word;
	if (word.area == AREA_CONST)
		return place_const((int64_t)fold_extend((uint64_t)word.value, type));
	ir = lower_add(lower, IR_EXTEND);
	ir->dst = lower_temp(lower);
	ir->a = word;
	ir->size = (uint32_t)real->size;
	ir->is_signed = real->is_signed;
	return ir->dst;
}

struct place lower_cast(struct lower *lower, struct place word, struct type *from, struct type *to)
{
	return fold_is_cut(from, to) ? lower_extend(lower, word, to) : word;
}

struct place lower_compute(struct lower *lower, enum node_op how, struct place a, struct place b, bool is_signed)
{
	struct ir *ir;
	uint64_t value;

	if (a.area == AREA_CONST && b.area == AREA_CONST &&
	    fold_words(how, (uint64_t)a.value, (uint64_t)b.value, is_signed, &value))
		return place_const((int64_t)value);
	ir = lower_add(lower, IR_COMPUTE);
	ir->how = how;
	ir->dst = lower_temp(lower);
	ir->a = a;
	ir->b = b;
	ir->is_signed = is_signed;
	return ir->dst;
}

void lower_copy(struct lower *lower, struct place to, struct place from, size_t size)
{
	struct ir *ir = lower_add(lower, IR_COPY);

	ir->dst = to;
	ir->a = from;
	ir->size = (uint32_t)size;
}

struct place lower_call(struct lower *lower, const char *name, const struct place *args, unsigned int count)
{
	struct ir *ir = lower_add(lower, IR_CALL);

	ir->name = name;
	ir->arg_count = count;
	for (unsigned int i = 0; i < count; i++)
		ir->args[i] = args[i];
	ir->dst = lower_temp(lower);
	ir->label = lower->fault;
	return ir->dst;
}

void lower_unsupported(struct lower *lower, const struct node *node, const char *what)
{
	diag_error(&lower->unit->diag, node->file, node->line, "D_UNKNOWN", "cannot compile %s", what);
}

struct place lower_constant(struct lower *lower, const char *text, size_t length)
{
	struct layout *layout = lower->layout;
	struct constants *constants = lower->constants;
	struct constant *constant;

	if (length >= layout->room)
		length = layout->room - 1;
	if (length > lower->unit->options.strsize)
		length = lower->unit->options.strsize;
	constant = names_find_bytes(&constants->by_text, 0, text, length);
	if (constant)
		return place_at(AREA_GLOBALS, (uint32_t)constant->offset);
	constant = arena_alloc(lower->arena, sizeof(*constant));
	*constant = (struct constant){ text, length, layout->globals_size, constants->first };
	constants->first = constant;
	names_put_bytes(&constants->by_text, lower->arena, 0, text, length, constant);
	layout->globals_size += layout->room;
	return place_at(AREA_GLOBALS, (uint32_t)constant->offset);
}

/* Layout. */

static size_t round8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

size_t lower_type_size(const struct layout *layout, struct type *type)
{
	struct type *real = type_real(type);

	if (real->kind == TYPE_STRING)
		return layout->room;
	if (real->kind == TYPE_STRUCT || real->kind == TYPE_UNION || real->kind == TYPE_ARRAY)
		return round8(real->size);
	return real->kind == TYPE_SYMBOL ? 16 : 8;
}

bool lower_key_is_text(struct type *type)
{
	return type_is_string(type) || type_is_char_array(type);
}

size_t lower_key_size(const struct layout *layout, const struct type_key *keys, bool has_thread)
{
	size_t size = has_thread ? 8 : 0;

	for (; keys; keys = keys->next)
		size += lower_key_is_text(keys->type) ? layout->room : lower_type_size(layout, keys->type);
	return size ? size : 8;
}

static void grow(size_t *size, size_t need)
{
	if (*size < need)
		*size = need;
}

static void place_variables(struct unit *unit, struct layout *layout)
{
	int arrays = 0;

	for (struct symbol *s = unit->variables; s; s = s->next) {
		size_t size = lower_type_size(layout, s->type);

		grow(&layout->value_size, size);
		if (s->scope == SCOPE_SELF) {
			s->map = arrays++;
			grow(&layout->key_size, 8);
		} else if (s->scope == SCOPE_THIS) {
			s->offset = layout->this_size;
			layout->this_size += size;
		} else {
			s->offset = layout->globals_size;
			layout->globals_size += size;
		}
	}
	for (struct symbol *s = unit->arrays; s; s = s->next) {
		s->map = arrays++;
		grow(&layout->key_size, lower_key_size(layout, s->keys, s->scope == SCOPE_SELF));
		grow(&layout->value_size, lower_type_size(layout, s->type->base));
	}
	if (arrays > D_MAX_ARRAYS)
		diag_error(&unit->diag, NULL, 0, "D_ID_OFLOW",
			   "the program has %d associative arrays and thread-local variables; at most %d are possible",
			   arrays, D_MAX_ARRAYS);
}

/* Places the fields of a key one after the other, starting at `size`. */
static size_t place_key_fields(const struct layout *layout, struct field *field, size_t size)
{

	for (; field; field = field->next) {
		if (field->kind == FIELD_STRING)
			field->size = layout->room;
		else if (field->kind == FIELD_STACK)
			field->size = 8 + 8 * (size_t)field->frames;
		else if (field->kind == FIELD_SYMBOL)
			field->size = 16;
		else
			field->size = field->size ? field->size : 8;
		field->offset = size;
		size += round8(field->size);
	}
	return size ? size : 8;
}

static int count_aggregations(const struct unit *unit)
{
	int count = 0;

	for (const struct unit_agg *agg = unit->aggs; agg; agg = agg->next)
		count++;
	return count;
}

/* The last aggregation before `of` with the same sizes of keys and values; NULL: none. */
static const struct unit_agg *last_alike(const struct unit *unit, const struct unit_agg *of)
{
	const struct unit_agg *found = NULL;

	for (const struct unit_agg *agg = unit->aggs; agg != of; agg = agg->next) {
		if (agg->key_size == of->key_size && agg->stripes * agg->stride == of->stripes * of->stride)
			found = agg;
	}
	return found;
}

/* Each aggregation has its own map. If there are more aggregations than maps, those with the same sizes share one. */
static void place_aggregations(struct unit *unit, struct layout *layout)
{
	bool is_shared = count_aggregations(unit) > D_MAX_AGGS;
	int count = 0;

	for (struct unit_agg *agg = unit->aggs; agg; agg = agg->next) {
		const struct unit_agg *like;

		agg->key_size = place_key_fields(layout, agg->keys, is_shared ? sizeof(agg->number) : 0);
		grow(&layout->key_size, agg->key_size);
		grow(&layout->zeros, agg->stripes * agg->stride);
		like = is_shared ? last_alike(unit, agg) : NULL;
		agg->number = !is_shared ? 0 : like ? like->number + 1 : 1;
		agg->symbol->map = like ? like->symbol->map : count++;
		agg->map = like ? like->map : arena_printf(unit->arena, "d_agg_%d", agg->symbol->map);
	}
	if (count > D_MAX_AGGS)
		diag_error(&unit->diag, NULL, 0, "D_ID_OFLOW",
			   "there are more than %d aggregations, with keys and values of %d sizes: at most %d sizes "
			   "are possible",
			   D_MAX_AGGS, count, D_MAX_AGGS);
}

size_t lower_field_size(const struct field *field)
{
	switch (field->kind) {
	case FIELD_STACK: return 8 + 8 * (size_t)field->frames;
	case FIELD_SYMBOL: return 16;
	case FIELD_BYTES: return round8(field->size);
	default: return 8;
	}
}

/* Fixed fields first, then strings. */
static void place_record(struct layout *layout, struct unit_clause *clause)
{
	size_t size = sizeof(struct d_record), strings = 0, terms = 0;

	for (struct action *action = clause->actions; action; action = action->next) {
		for (struct field *field = action->fields; field; field = field->next) {
			field->offset = size;
			size += lower_field_size(field);
			strings += field->kind == FIELD_STRING;
			terms += field->kind == FIELD_TERM;
		}
	}
	clause->record_size = size;
	/* A term is aligned to 8 bytes. */
	grow(&layout->record_size, size + (strings + 1) * layout->room + terms * (sizeof(struct term_snapshot) + 8));
	grow(&layout->record_size, sizeof(struct d_fault_record));
}

void lower_prepare(struct unit *unit, struct layout *layout)
{
	*layout = (struct layout){
		.room = (unit->options.strsize + 1 + 7) & ~(size_t)7,
		.scratch_size = round8(unit->options.scratch_size),
		.key_size = 8,
		.value_size = 8,
		.zeros = 8,
	};
	place_aggregations(unit, layout);
	layout->globals_size = layout->zeros;
	place_variables(unit, layout);
	for (struct unit_clause *clause = unit->clauses; clause; clause = clause->next)
		place_record(layout, clause);
}

void layout_place(struct layout *layout)
{
	size_t at = round8(sizeof(struct d_frame));
	struct {
		enum area area;
		size_t size;
	} areas[] = {
		{ AREA_TEMP, layout->temps * 8 },     { AREA_THIS, layout->this_size },
		{ AREA_KEY, layout->key_size },	      { AREA_TOKENS, layout->tokens_size },
		{ AREA_VALUE, layout->value_size },   { AREA_STRING, layout->strings * layout->room },
		{ AREA_RECORD, layout->record_size }, { AREA_SCRATCH, layout->scratch_size },
	};

	layout->start[AREA_HEAD] = 0;
	for (size_t i = 0; i < sizeof(areas) / sizeof(*areas); i++) {
		layout->start[areas[i].area] = at;
		at += round8(areas[i].size);
	}
	/* At least as many bytes must follow the scratch memory: see bpf/d.h. */
	layout->work = at;
	at += d_work_size(layout->room);
	if (at < layout->work + layout->scratch_size)
		at = layout->work + layout->scratch_size;
	layout->frame_size = at;
}

/* Clauses. */

static void lower_statements(struct lower *lower, struct statement *statement);

static bool is_action(const struct node *node)
{
	return node->kind == NODE_CALL && node->function && node->function->kind == FUNCTION_ACTION;
}

void lower_count_action(struct lower *lower)
{
	struct ir *ir;

	if (lower->unit->options.compat != COMPAT_ILLUMOS)
		return;
	ir = lower_add(lower, IR_STORE);
	ir->dst = LOWER_HEAD(action);
	ir->a = place_const(++lower->action_number);
	ir->size = 8;
}

static void lower_expression_statement(struct lower *lower, struct node *node)
{
	lower->temps = 0;
	lower->strings = lower->kept_strings;
	if (is_action(node))
		lower_action(lower, node);
	else if (node->kind == NODE_ASSIGN && node->a->kind == NODE_AGG)
		lower_aggregation(lower, node);
	else {
		lower_count_action(lower);
		lower_effect(lower, node);
	}
}

static void lower_if_statement(struct lower *lower, struct statement *statement)
{
	int otherwise = lower_label(lower), end = lower_label(lower);

	lower->temps = 0;
	lower->strings = lower->kept_strings;
	lower_branch(lower, statement->expression, otherwise);
	lower_statements(lower, statement->then);
	lower_goto(lower, end);
	lower_here(lower, otherwise);
	lower_statements(lower, statement->otherwise);
	lower_here(lower, end);
}

static void lower_statements(struct lower *lower, struct statement *statement)
{
	for (; statement; statement = statement->next) {
		if (statement->kind == STATEMENT_IF)
			lower_if_statement(lower, statement);
		else if (statement->kind == STATEMENT_BLOCK)
			lower_statements(lower, statement->then);
		else if (statement->expression)
			lower_expression_statement(lower, statement->expression);
	}
}

static void lower_begin(struct lower *lower)
{
	struct place args[] = { place_at(AREA_RECORD, 0), place_const(lower->clause->clause->id),
				place_const((int64_t)lower->clause->record_size) };

	lower_call(lower, "d_clause_begin", args, 3);
	lower->code->last->is_safe = true;
}

bool lower_speculates_records(const struct lower *lower)
{
	return lower->unit->options.compat == COMPAT_ORACLE;
}

size_t lower_speculated_size(const struct lower *lower)
{
	size_t size = 8 + lower->clause->record_size - sizeof(struct d_record);

	for (const struct action *action = lower->clause->actions; action; action = action->next) {
		for (const struct field *field = action->fields; field; field = field->next) {
			if (field->kind == FIELD_STRING)
				size += lower->unit->options.strsize + 1 - lower_field_size(field);
		}
	}
	return size;
}

static void lower_output(struct lower *lower)
{
	struct place args[] = { place_at(AREA_RECORD, 0), place_const((int64_t)lower->layout->record_size),
				place_const((int64_t)lower_speculated_size(lower)) };

	if (!lower->clause->actions)
		return;
	if (!lower->clause->is_speculative)
		lower_call(lower, "d_output", args, 2);
	else if (lower_speculates_records(lower))
		lower_call(lower, "d_output_speculated_record", args, 3);
	else
		lower_call(lower, "d_output_speculated", args, 2);
	lower->code->last->is_safe = true;
}

static bool leads_to(const struct ir *ir, int label)
{
	while (ir && ir->label != label)
		ir = ir->next;
	return ir;
}

/*
 * The path from a fault to the end of the program, if ERROR called exit(). It is a chain of jumps with one link in each
 * later clause, because the distance of a jump is limited. So clauses need no check.
 */
static void lower_exit_path(struct lower *lower, bool begins_here)
{
	int before = lower->exit_label;

	if (!before && !begins_here)
		return;
	lower->exit_label = lower_label(lower);
	if (begins_here)
		lower_if(lower, LOWER_HEAD(has_exited), OP_NE, place_const(0), false, lower->exit_label);
	if (!before)
		return;
	lower_goto(lower, lower->end);
	lower_here(lower, before);
	lower_goto(lower, lower->exit_label);
}

const char *lower_errors_name(const struct unit *unit, enum d_hook hook)
{
	return unit->errors_by_hook ? arena_printf(unit->arena, "d_errors_%d", (int)hook) : "d_errors";
}

/* A fault ends the clause: its record is dropped, a fault record is sent, and ERROR fires. */
static void lower_fault_tail(struct lower *lower, const struct ir *clause)
{
	struct place args[] = { place_at(AREA_RECORD, 0) };
	bool has_fault = leads_to(clause, lower->fault);
	struct ir *ir;

	lower_goto(lower, lower->end);
	lower_here(lower, lower->fault);
	lower_call(lower, lower->in_error ? "d_fault_in_error" : "d_fault_record", args, 1);
	lower->code->last->is_safe = true;
	if (!lower->unit->has_errors_clause || lower->in_error)
		return;
	ir = lower_add(lower, IR_CALL);
	ir->name = lower_errors_name(lower->unit, lower->hook);
	ir->with_context = true;
	ir->is_safe = true;
	ir->dst = lower_temp(lower);
	lower_exit_path(lower, has_fault && lower->errors_exit);
}

/* exit() skips the remaining clauses. Each jumps only to its own end, because the distance of a jump is limited. */
static void lower_unless_over(struct lower *lower)
{
	if (lower->may_exit)
		lower_if(lower, LOWER_HEAD(has_exited), OP_NE, place_const(0), false, lower->end);
}

static void lower_clause(struct lower *lower, struct unit_clause *clause)
{
	const struct ir *before;

	lower->clause = clause;
	lower->action = clause->actions;
	lower->action_number = 0;
	lower->fault = lower_label(lower);
	lower->end = lower_label(lower);
	lower->temps = 0;
	lower->strings = lower->kept_strings = 0;
	lower_unless_over(lower);
	lower_begin(lower);
	before = lower->code->last;
	if (clause->clause->predicate)
		lower_branch(lower, clause->clause->predicate, lower->end);
	lower_statements(lower, clause->clause->body);
	lower->temps = 0;
	lower_output(lower);
	lower_fault_tail(lower, before->next);
	lower_here(lower, lower->end);
}

static void call_alone(struct lower *lower, const char *name)
{
	lower_call(lower, name, NULL, 0);
	lower->code->last->is_safe = true;
}

static struct ir *lower_zero(struct lower *lower, struct place place)
{
	struct ir *ir = lower_add(lower, IR_ZERO);

	ir->dst = place;
	return ir;
}

static void lower_this(struct lower *lower)
{
	lower_zero(lower, place_at(AREA_THIS, 0))->size = (uint32_t)lower->layout->this_size;
	for (const struct symbol *s = lower->unit->variables; s; s = s->next) {
		if (s->scope == SCOPE_THIS && type_is_string(s->type))
			lower_set_null(lower, place_at(AREA_THIS, (uint32_t)s->offset));
	}
}

static struct place head_word(struct lower *lower, struct place place, uint32_t size)
{
	struct ir *ir = lower_add(lower, IR_LOAD);

	ir->dst = lower_temp(lower);
	ir->a = place;
	ir->size = size;
	return ir->dst;
}

/*
 * arg1 to arg3. Oracle: the number of the probe, of the clause from 0, and 0. illumos: the number of the clause, of the
 * action from 1 (0: the predicate), and an unknown instruction.
 */
static void lower_error_begin(struct lower *lower)
{
	struct place clause = head_word(lower, LOWER_HEAD(clause), 4), args[3];

	if (lower->unit->options.compat == COMPAT_ORACLE) {
		lower->unit->uses_probe_names = true;
		args[0] = lower_call(lower, "d_probe_id", NULL, 0);
		lower->code->last->is_safe = true;
		args[1] = lower_compute(lower, OP_SUB, clause, place_const(1), false);
		args[2] = place_const(0);
	} else {
		args[0] = clause;
		args[1] = head_word(lower, LOWER_HEAD(action), 8);
		args[2] = place_const(-1);
	}
	lower_call(lower, "d_error_begin", args, 3);
	lower->code->last->is_safe = true;
}

bool lower_program(struct lower *lower, struct unit_clause *const *clauses, size_t count)
{
	size_t errors = lower->unit->diag.errors;
	struct ir *tokens;

	if (lower->in_error)
		lower_error_begin(lower);
	else
		lower_this(lower);
	tokens = lower_zero(lower, place_at(AREA_TOKENS, 0));
	for (size_t i = 0; i < count; i++)
		lower_clause(lower, clauses[i]);
	if (lower->exit_label)
		lower_here(lower, lower->exit_label);
	tokens->size = (uint32_t)lower->layout->tokens_size;
	if (lower->in_error)
		call_alone(lower, "d_error_end");
	lower_add(lower, IR_END);
	return lower->unit->diag.errors == errors;
}
