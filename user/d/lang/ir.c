// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/ir.h"

#include "base/arena.h"

struct ir *ir_add(struct arena *arena, struct ir_list *list, enum ir_op op)
{
	struct ir *ir = arena_alloc(arena, sizeof(*ir));

	ir->op = op;
	*(list->last ? &list->last->next : &list->first) = ir;
	list->last = ir;
	return ir;
}

static const char *const areas[AREAS] = {
	[AREA_HEAD] = "frame",	  [AREA_STRING] = "string",   [AREA_THIS] = "this",
	[AREA_KEY] = "key",	  [AREA_VALUE] = "value",     [AREA_RECORD] = "record",
	[AREA_TOKENS] = "tokens", [AREA_SCRATCH] = "scratch", [AREA_GLOBALS] = "globals",
};

static const char *const signs[] = {
	[OP_ADD] = "+", [OP_SUB] = "-",	 [OP_MUL] = "*",  [OP_AND] = "&", [OP_OR] = "|",
	[OP_XOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_EQ] = "==", [OP_NE] = "!=",
	[OP_LT] = "<",	[OP_LE] = "<=",	 [OP_GT] = ">",	  [OP_GE] = ">=",
};

static void print_place(FILE *to, struct place place)
{
	switch (place.area) {
	case AREA_NONE:
	case AREAS: fputs("-", to); break;
	case AREA_CONST: fprintf(to, "%lld", (long long)place.value); break;
	case AREA_TEMP: fprintf(to, "t%u", place.offset); break;
	default: fprintf(to, "%s[%u]", areas[place.area], place.offset); break;
	}
}

static const char *const names[] = {
	[IR_MOVE] = "move",
	[IR_EXTEND] = "extend",
	[IR_NEGATE] = "neg",
	[IR_INVERT] = "not",
	[IR_LOAD] = "load",
	[IR_STORE] = "store",
	[IR_LOAD_AT] = "load-at",
	[IR_STORE_AT] = "store-at",
	[IR_ADDRESS] = "address",
	[IR_ADDRESS_AT] = "address-at",
	[IR_COPY] = "copy",
	[IR_ZERO] = "zero",
	[IR_COPY_FROM] = "copy-from",
	[IR_COPY_AT] = "copy-at",
	[IR_SAME_STRING] = "same",
	[IR_SAME_TEXT] = "same-text",
	[IR_PUT_STRING] = "put-string",
	[IR_FAULT] = "fault",
	[IR_GET] = "get",
	[IR_SET] = "set",
	[IR_DELETE] = "delete",
	[IR_AGGREGATE] = "aggregate",
	[IR_AGG_ADD] = "agg-add",
	[IR_AGG_ADD_AT] = "agg-add-at",
	[IR_AGG_MAX] = "agg-max",
	[IR_AGG_SQUARE] = "agg-square",
	[IR_END] = "end",
};

static void print_call(FILE *to, const struct ir *ir)
{
	print_place(to, ir->dst);
	fprintf(to, " = %s(", ir->name);
	for (unsigned int i = 0; i < ir->arg_count; i++) {
		if (i)
			fputs(", ", to);
		print_place(to, ir->args[i]);
	}
	fputs(")", to);
}

static void print_other(FILE *to, const struct ir *ir)
{
	fprintf(to, "%-10s ", names[ir->op]);
	print_place(to, ir->dst);
	if (ir->a.area) {
		fputs(", ", to);
		print_place(to, ir->a);
	}
	if (ir->b.area) {
		fputs(", ", to);
		print_place(to, ir->b);
	}
	if (ir->size)
		fprintf(to, ", %u%s", ir->size, ir->is_signed ? " signed" : "");
	if (ir->name)
		fprintf(to, ", %s", ir->name);
	if (ir->text)
		fprintf(to, ", \"%s\"", ir->text);
}

static void print_one(FILE *to, const struct ir *ir)
{
	if (ir->op == IR_LABEL) {
		fprintf(to, "L%d:\n", ir->label);
		return;
	}
	fputc('\t', to);
	if (ir->op == IR_GOTO) {
		fprintf(to, "goto L%d", ir->label);
	} else if (ir->op == IR_CALL) {
		print_call(to, ir);
	} else if (ir->op == IR_IF || ir->op == IR_COMPUTE) {
		if (ir->op == IR_COMPUTE)
			print_place(to, ir->dst);
		fputs(ir->op == IR_IF ? "if " : " = ", to);
		print_place(to, ir->a);
		fprintf(to, " %s%s ", signs[ir->how], ir->is_signed ? "s" : "");
		print_place(to, ir->b);
		if (ir->op == IR_IF)
			fprintf(to, " goto L%d", ir->label);
	} else {
		print_other(to, ir);
	}
	fputc('\n', to);
}

void ir_print(FILE *to, const struct ir_list *list)
{
	for (const struct ir *ir = list->first; ir; ir = ir->next)
		print_one(to, ir);
}

/* The target label of an operation, 0: none. */
static int goes_to(const struct ir *ir)
{
	switch (ir->op) {
	case IR_GOTO:
	case IR_IF:
	case IR_COPY_FROM:
	case IR_COPY_AT:
	case IR_PUT_STRING:
	case IR_FAULT:
	case IR_AGGREGATE: return ir->label;
	case IR_CALL: return ir->is_safe ? 0 : ir->label;
	default: return 0;
	}
}

static bool never_goes_on(const struct ir *ir)
{
	return ir->op == IR_GOTO || ir->op == IR_FAULT || ir->op == IR_END;
}

static bool prune_once(struct arena *arena, struct ir_list *list)
{
	unsigned int *uses = arena_alloc(arena, ((size_t)list->labels + 1) * sizeof(*uses));
	bool is_dead = false, has_changed = false;
	struct ir **at = &list->first;

	for (const struct ir *ir = list->first; ir; ir = ir->next)
		uses[goes_to(ir)]++;
	list->last = NULL;
	while (*at) {
		struct ir *ir = *at;

		if (ir->op == IR_LABEL && uses[ir->label])
			is_dead = false;
		if (is_dead || (ir->op == IR_LABEL && !uses[ir->label]) ||
		    (ir->op == IR_GOTO && ir->next && ir->next->op == IR_LABEL && ir->next->label == ir->label)) {
			*at = ir->next;
			has_changed = true;
			continue;
		}
		is_dead = never_goes_on(ir);
		list->last = ir;
		at = &ir->next;
	}
	return has_changed;
}

void ir_prune(struct arena *arena, struct ir_list *list)
{
	while (prune_once(arena, list))
		;
}
