// SPDX-License-Identifier: BSD-2-Clause
/*
 * Walks all paths from the function's first byte. At a branch, one target is put on a list with room for each
 * instruction once. Calls are assumed to return, except for the one after a failed check of the stack guard. Extra
 * paths make it harder to find a place, but never make it wrong.
 */
#include "probe/code/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "probe/code/flow_table.h"

#define GUARD_OFFSET 0x28 /* of the stack guard, in the thread block at %fs */
#define MOST_TABLES 64

struct walk {
	const struct flow_code *code;
	struct flow *flow;
	uint32_t *later; /* offsets still to be walked */
	size_t later_count;
	struct flow_run run;
};

/* Adding to the graph. */

/* Adds an offset as a target: 0, or -EINVAL if it is inside an instruction. */
static int push_target(struct walk *w, size_t at)
{
	struct flow_byte *byte = &w->flow->bytes[at];

	if (byte->is_inside)
		return -EINVAL;
	if (byte->kind == FLOW_NOTHING && !byte->ways)
		w->later[w->later_count++] = (uint32_t)at;
	byte->ways++;
	return 0;
}

/* The target of a relative jump or call, as an offset in the function. False: outside. */
static bool find_target(const struct walk *w, size_t at, const struct x86 *x, size_t *target)
{
	/* Unsigned: wraps as in the processor. */
	*target = at + x->info.length + x->info.raw.imm[0].value.u;
	return *target < w->flow->size;
}

static int add_target(struct walk *w, size_t at, const struct x86 *x)
{
	size_t target;

	if (!find_target(w, at, x, &target)) {
		w->flow->is_closed = false;
		w->flow->bytes[at].target = (uint32_t)w->flow->size;
		return 0;
	}
	w->flow->bytes[at].target = (uint32_t)target;
	return push_target(w, target);
}

static int add_cases(struct walk *w, const struct flow_dispatch *dispatch, struct flow_table *table)
{
	int err = 0;

	for (size_t i = 0; !err && i < dispatch->count; i++) {
		uint64_t at = dispatch->table + i * sizeof(int32_t);
		int32_t distance;

		err = w->code->read(w->code->data, at, &distance, sizeof(distance));
		at = dispatch->table + (uint64_t)(int64_t)distance - w->code->address;
		if (!err && at >= w->flow->size)
			err = -ENOENT;
		if (err)
			break;
		table->targets[table->count++] = (uint32_t)at;
		err = push_target(w, (size_t)at);
	}
	return err;
}

static int add_unknown_jump(struct walk *w)
{
	w->flow->is_closed = false;
	w->flow->knows_jumps = false;
	return 0;
}

/*
 * Does it jump to an address from one fixed word of memory? This is a tail call through a variable or the linker's
 * table; a switch also uses an index.
 */
static bool is_tail_call(const struct x86 *x)
{
	const ZydisDecodedOperand *op = &x->operands[0];

	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RIP &&
	       op->mem.index == ZYDIS_REGISTER_NONE;
}

/* An indirect jump. An unreadable one may lead anywhere. */
static int add_switch(struct walk *w, size_t at)
{
	struct flow *flow = w->flow;
	struct flow_dispatch dispatch;
	struct flow_table table = {};
	int err;

	if (flow->table_count == MOST_TABLES || !flow_table_find(w->code, &w->run, &dispatch))
		return add_unknown_jump(w);
	if (!array_has_room(flow->tables, flow->table_count))
		return -ENOMEM;
	table.targets = calloc(dispatch.count, sizeof(*table.targets));
	if (!table.targets)
		return -ENOMEM;
	err = add_cases(w, &dispatch, &table);
	flow->bytes[at].kind = FLOW_SWITCH;
	flow->bytes[at].target = (uint32_t)flow->table_count;
	flow->tables[flow->table_count++] = table;
	for (size_t i = dispatch.begin + 1; i <= at; i++)
		flow->bytes[i].is_dispatch = true;
	return err == -ENOENT ? add_unknown_jump(w) : err;
}

/* Instructions. */

/* The comparison of the stack guard with its value at the entry. */
static bool checks_guard(const struct x86 *x)
{
	if (x->info.mnemonic != ZYDIS_MNEMONIC_SUB && x->info.mnemonic != ZYDIS_MNEMONIC_XOR &&
	    x->info.mnemonic != ZYDIS_MNEMONIC_CMP)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const ZydisDecodedOperand *op = &x->operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.segment == ZYDIS_REGISTER_FS &&
		    op->mem.base == ZYDIS_REGISTER_NONE && op->mem.index == ZYDIS_REGISTER_NONE &&
		    op->mem.disp.value == GUARD_OFFSET)
			return true;
	}
	return false;
}

/* If the guard differs, __stack_chk_fail() is called, which does not return. */
static void set_no_return(struct walk *w, size_t branch)
{
	const struct flow *flow = w->flow;
	struct flow_byte *byte = &flow->bytes[branch];
	size_t before;
	struct x86 x;

	if (w->run.count < 2 || byte->target >= flow->size)
		return;
	before = w->run.at[w->run.count - 2];
	flow_read(flow, branch, &x);
	if (x.info.mnemonic != ZYDIS_MNEMONIC_JNZ)
		return;
	flow_read(flow, before, &x);
	if (checks_guard(&x))
		flow->bytes[byte->target].no_return = true;
}

static bool is_relative(const struct x86 *x)
{
	return x->info.raw.imm[0].is_relative;
}

static enum flow_kind kind_of(const struct x86 *x)
{
	switch (x->info.meta.category) {
	case ZYDIS_CATEGORY_RET: return FLOW_RETURN;
	case ZYDIS_CATEGORY_CALL: return FLOW_CALL;
	case ZYDIS_CATEGORY_COND_BR: return FLOW_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR: return is_relative(x) ? FLOW_JUMP : FLOW_SWITCH;
	default: break;
	}
	switch (x->info.mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT: return FLOW_STOP;
	default: return FLOW_PLAIN;
	}
}

/* Far jumps, changes of segments, and other control transfers that are not supported. */
static bool is_unsupported(const struct x86 *x, enum flow_kind kind)
{
	if (kind == FLOW_RETURN)
		return x->info.opcode != 0xc3;
	if (kind == FLOW_PLAIN)
		return is_relative(x) || x->info.meta.category == ZYDIS_CATEGORY_INTERRUPT;
	return x->info.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || (kind == FLOW_BRANCH && !is_relative(x));
}

bool flow_goes_on(const struct x86 *x)
{
	enum flow_kind kind = kind_of(x);

	return kind == FLOW_PLAIN && !is_unsupported(x, kind) && x->info.meta.category != ZYDIS_CATEGORY_SYSCALL &&
	       x->info.meta.category != ZYDIS_CATEGORY_SYSTEM;
}

/* Marks the bytes of an instruction. 0, or -EINVAL if it overlaps another one. */
static int claim(struct flow *flow, size_t at, size_t length)
{
	for (size_t i = at + 1; i < at + length; i++) {
		if (flow->bytes[i].kind != FLOW_NOTHING || flow->bytes[i].ways || flow->bytes[i].is_inside)
			return -EINVAL;
		flow->bytes[i].is_inside = true;
	}
	flow->bytes[at].length = (uint8_t)length;
	return 0;
}

static int add_ways(struct walk *w, size_t at, const struct x86 *x)
{
	struct flow_byte *byte = &w->flow->bytes[at];
	size_t target;
	int err;

	switch (byte->kind) {
	case FLOW_SWITCH:
		byte->kind = FLOW_STOP;
		if (!is_tail_call(x))
			return add_switch(w, at);
		w->flow->is_closed = false;
		return 0;
	case FLOW_JUMP: return add_target(w, at, x);
	case FLOW_BRANCH:
		err = add_target(w, at, x);
		if (!err)
			set_no_return(w, at);
		return err;
	case FLOW_CALL:
		/* A call into the function itself is a trick to get the instruction pointer. */
		return is_relative(x) && find_target(w, at, x, &target) && target ? -EINVAL : 0;
	default: return 0;
	}
}

static void remember(struct flow_run *run, size_t at)
{
	if (run->count == FLOW_RUN) {
		for (size_t i = 1; i < FLOW_RUN; i++)
			run->at[i - 1] = run->at[i];
		run->count--;
	}
	run->at[run->count++] = at;
}

/* Walks one instruction; *follows: the next one is reachable. */
static int step(struct walk *w, size_t at, bool *follows)
{
	struct flow *flow = w->flow;
	struct flow_byte *byte = &flow->bytes[at];
	struct x86 x;
	int err;

	if (!x86_read(&x, flow->code + at, flow->size - at))
		return -EINVAL;
	byte->kind = (uint8_t)kind_of(&x);
	if (is_unsupported(&x, byte->kind) || claim(flow, at, x.info.length))
		return -EINVAL;
	remember(&w->run, at);
	err = add_ways(w, at, &x);
	*follows = byte->kind == FLOW_PLAIN || byte->kind == FLOW_CALL || byte->kind == FLOW_BRANCH;
	return err;
}

/* Walks consecutive instructions up to a known one or the end of the run. */
static int walk_run(struct walk *w, size_t at)
{
	struct flow *flow = w->flow;
	bool follows = true;

	w->run.count = 0;
	for (;;) {
		struct flow_byte *byte = &flow->bytes[at];
		int err = step(w, at, &follows);

		if (err || !follows)
			return err;
		at += byte->length;
		if (at == flow->size) {
			/* Only a call that does not return can be the last instruction of a function. */
			if (byte->kind != FLOW_CALL)
				return -EINVAL;
			byte->kind = FLOW_STOP;
			return 0;
		}
		if (flow->bytes[at].is_inside)
			return -EINVAL;
		flow->bytes[at].ways++;
		if (flow->bytes[at].kind != FLOW_NOTHING)
			return 0;
	}
}

static int walk_all(struct walk *w)
{
	int err = push_target(w, 0);

	while (!err && w->later_count) {
		size_t at = w->later[--w->later_count];

		if (w->flow->bytes[at].is_inside)
			err = -EINVAL;
		else if (w->flow->bytes[at].kind == FLOW_NOTHING)
			err = walk_run(w, at);
	}
	return err;
}

/* The whole graph. */

/* Removes the paths after calls of __stack_chk_fail(), which were counted. */
static void remove_guard_paths(struct flow *flow)
{
	for (size_t at = 0; at < flow->size; at++) {
		struct flow_byte *byte = &flow->bytes[at];

		if (!byte->no_return || byte->kind != FLOW_CALL)
			continue;
		byte->kind = FLOW_STOP;
		flow->bytes[at + byte->length].ways--;
	}
}

static bool is_padding(const struct x86 *x)
{
	return x->info.mnemonic == ZYDIS_MNEMONIC_NOP || x->info.mnemonic == ZYDIS_MNEMONIC_INT3;
}

/* An unknown path would lead to unreached code, or into the middle of a dispatch. */
static bool is_whole(const struct flow *flow)
{
	size_t at = 0;

	while (at < flow->size) {
		const struct flow_byte *byte = &flow->bytes[at];
		struct x86 x;

		if (byte->is_dispatch && byte->ways > 1)
			return false;
		if (byte->length) {
			at += byte->length;
			continue;
		}
		if (!x86_read(&x, flow->code + at, flow->size - at) || !is_padding(&x))
			return false;
		at += x.info.length;
	}
	return true;
}

int flow_make(const struct flow_code *code, struct flow *flow)
{
	struct walk w = { .code = code, .flow = flow };
	int err = -ENOMEM;

	*flow = (struct flow){ .code = code->bytes, .size = code->size, .knows_jumps = true, .is_closed = true };
	if (!code->size || code->size > FLOW_LONGEST)
		return -EFBIG;
	flow->bytes = calloc(code->size, sizeof(*flow->bytes));
	w.later = calloc(code->size, sizeof(*w.later));
	if (flow->bytes && w.later)
		err = walk_all(&w);
	free(w.later);
	if (err) {
		flow_free(flow);
		return err;
	}
	remove_guard_paths(flow);
	flow->is_closed = flow->is_closed && is_whole(flow);
	return 0;
}

void flow_free(struct flow *flow)
{
	for (size_t i = 0; i < flow->table_count; i++)
		free(flow->tables[i].targets);
	free(flow->tables);
	free(flow->bytes);
	*flow = (struct flow){};
}

bool flow_next(const struct flow *flow, size_t at, size_t i, size_t *next)
{
	const struct flow_byte *byte = &flow->bytes[at];
	const struct flow_table *table;

	switch (byte->kind) {
	case FLOW_PLAIN:
	case FLOW_CALL: *next = at + byte->length; return !i && *next < flow->size;
	case FLOW_BRANCH: *next = i ? byte->target : at + byte->length; return i < 2 && *next < flow->size;
	case FLOW_JUMP: *next = byte->target; return !i && *next < flow->size;
	case FLOW_SWITCH:
		table = &flow->tables[byte->target];
		if (i >= table->count)
			return false;
		*next = table->targets[i];
		return true;
	default: return false;
	}
}

void flow_read(const struct flow *flow, size_t at, struct x86 *x)
{
	x86_read(x, flow->code + at, flow->size - at);
}
