// SPDX-License-Identifier: BSD-2-Clause
#include "d/object/emit.h"

#include <string.h>

#include "d.h"
#include "base/arena.h"

#define CTX BPF_REG_6
#define FRAME BPF_REG_7
#define GLOBALS BPF_REG_8
#define VALUE BPF_REG_9
#define FAR 32000	 /* offsets of loads and stores have 16 bits */
#define INLINE_BYTES 128 /* copied and zeroed word by word */

struct jump {
	size_t at;
	int label;
	struct jump *next;
};

struct emitter {
	struct arena *arena;
	const struct layout *layout;
	struct emit_code *code;
	size_t *labels; /* position of each label */
	struct jump *jumps;
};

/* Single instructions. */

static void add(struct emitter *e, struct bpf_insn insn)
{
	struct emit_code *code = e->code;

	code->insns = arena_grow(e->arena, code->insns, &code->room, code->count + 1, sizeof(*code->insns));
	code->insns[code->count++] = insn;
}

static void op_imm(struct emitter *e, int op, int dst, int32_t imm)
{
	add(e, (struct bpf_insn){ .code = (__u8)(BPF_ALU64 | op | BPF_K), .dst_reg = dst & 15, .imm = imm });
}

static void op_reg(struct emitter *e, int op, int dst, int src)
{
	add(e, (struct bpf_insn){ .code = (__u8)(BPF_ALU64 | op | BPF_X), .dst_reg = dst & 15, .src_reg = src & 15 });
}

static void move(struct emitter *e, int dst, int src)
{
	op_reg(e, BPF_MOV, dst, src);
}

static void load_imm(struct emitter *e, int dst, int64_t value)
{
	if (value == (int32_t)value) {
		op_imm(e, BPF_MOV, dst, (int32_t)value);
		return;
	}
	add(e, (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = dst & 15, .imm = (__s32)value });
	add(e, (struct bpf_insn){ .imm = (__s32)(value >> 32) });
}

static int width(uint32_t size)
{
	return size == 8 ? BPF_DW : size == 4 ? BPF_W : size == 2 ? BPF_H : BPF_B;
}

static void load(struct emitter *e, uint32_t size, int dst, int base, int offset)
{
	add(e, (struct bpf_insn){ .code = (__u8)(BPF_LDX | BPF_MEM | width(size)),
				  .dst_reg = dst & 15,
				  .src_reg = base & 15,
				  .off = (__s16)offset });
}

static void store(struct emitter *e, uint32_t size, int base, int offset, int src)
{
	add(e, (struct bpf_insn){ .code = (__u8)(BPF_STX | BPF_MEM | width(size)),
				  .dst_reg = base & 15,
				  .src_reg = src & 15,
				  .off = (__s16)offset });
}

static void store_imm(struct emitter *e, int base, int offset, int32_t imm)
{
	add(e, (struct bpf_insn){
		       .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = base & 15, .off = (__s16)offset, .imm = imm });
}

static void atomic_add(struct emitter *e, int base, int offset, int src)
{
	add(e, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
				  .dst_reg = base & 15,
				  .src_reg = src & 15,
				  .off = (__s16)offset,
				  .imm = BPF_ADD });
}

/* src becomes the value before the addition. */
static void atomic_fetch_add(struct emitter *e, int base, int offset, int src)
{
	atomic_add(e, base, offset, src);
	e->code->insns[e->code->count - 1].imm |= BPF_FETCH;
}

/* R0 is the expected value, and afterwards the old one. */
static void atomic_exchange(struct emitter *e, int base, int offset, int src)
{
	atomic_add(e, base, offset, src);
	e->code->insns[e->code->count - 1].imm = BPF_CMPXCHG;
}

static void call_helper(struct emitter *e, int helper)
{
	add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper });
}

static void refer(struct emitter *e, const char *name, bool is_call)
{
	struct emit_reference *reference = arena_alloc(e->arena, sizeof(*reference));

	*reference = (struct emit_reference){ e->code->count, name, is_call, e->code->references };
	e->code->references = reference;
}

static void call_function(struct emitter *e, const char *name)
{
	refer(e, name, true);
	/* -1: the function of the symbol, instead of a number of instructions. */
	add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = -1 });
}

static void load_map(struct emitter *e, int dst, const char *name)
{
	refer(e, name, false);
	add(e, (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = dst & 15 });
	add(e, (struct bpf_insn){ 0 });
}

/* A jump over the next `skip` instructions. */
static void skip_imm(struct emitter *e, int op, int reg, int32_t imm, int skip)
{
	add(e, (struct bpf_insn){
		       .code = (__u8)(BPF_JMP | op | BPF_K), .dst_reg = reg & 15, .imm = imm, .off = (__s16)skip });
}

static void skip_reg(struct emitter *e, int op, int a, int b, int skip)
{
	add(e,
	    (struct bpf_insn){
		    .code = (__u8)(BPF_JMP | op | BPF_X), .dst_reg = a & 15, .src_reg = b & 15, .off = (__s16)skip });
}

/* The last instruction jumps to a label. */
static void to_label(struct emitter *e, int label)
{
	struct jump *jump = arena_alloc(e->arena, sizeof(*jump));

	*jump = (struct jump){ e->code->count - 1, label, e->jumps };
	e->jumps = jump;
}

static void jump(struct emitter *e, int label)
{
	add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
	to_label(e, label);
}

/* Makes the jump at `from` lead here. */
static void land(struct emitter *e, size_t from)
{
	e->code->insns[from].off = (__s16)(e->code->count - from - 1);
}

static size_t here(const struct emitter *e)
{
	return e->code->count;
}

/* Places. */

static uint32_t offset_of(const struct emitter *e, struct place place)
{
	if (place.area == AREA_TEMP)
		return (uint32_t)(e->layout->start[AREA_TEMP] + place.offset * 8);
	if (place.area == AREA_GLOBALS)
		return place.offset;
	return (uint32_t)(e->layout->start[place.area] + place.offset);
}

static int base_of(struct place place)
{
	return place.area == AREA_GLOBALS ? GLOBALS : FRAME;
}

static void address(struct emitter *e, int reg, struct place place)
{
	move(e, reg, base_of(place));
	op_imm(e, BPF_ADD, reg, (int32_t)offset_of(e, place));
}

/* Register and offset of a place; `reg` is used if it is far. */
static int near(struct emitter *e, struct place place, int reg, int *offset)
{
	uint32_t at = offset_of(e, place);

	*offset = (int)at;
	if (at < FAR)
		return base_of(place);
	address(e, reg, place);
	*offset = 0;
	return reg;
}

static void get_word(struct emitter *e, int reg, struct place place)
{
	int base, offset;

	if (place.area == AREA_CONST) {
		load_imm(e, reg, place.value);
		return;
	}
	base = near(e, place, reg, &offset);
	load(e, 8, reg, base, offset);
}

static void put_sized(struct emitter *e, struct place place, int reg, uint32_t size)
{
	int offset, base = near(e, place, BPF_REG_5, &offset);

	store(e, size, base, offset, reg);
}

static void put_word(struct emitter *e, struct place place, int reg)
{
	if (place.area)
		put_sized(e, place, reg, 8);
}

static void extend(struct emitter *e, int reg, uint32_t size, bool is_signed)
{
	int shift = 64 - 8 * (int)size;

	if (!shift)
		return;
	op_imm(e, BPF_LSH, reg, shift);
	op_imm(e, is_signed ? BPF_ARSH : BPF_RSH, reg, shift);
}

/* Moving memory. */

/* Copies from [r1] to [r2], both known to the verifier; changes r0. */
static void copy_inline(struct emitter *e, uint32_t size)
{
	uint32_t at = 0;

	while (at < size) {
		uint32_t part = size - at >= 8 ? 8 : size - at >= 4 ? 4 : size - at >= 2 ? 2 : 1;

		load(e, part, BPF_REG_0, BPF_REG_1, (int)at);
		store(e, part, BPF_REG_2, (int)at, BPF_REG_0);
		at += part;
	}
}

/* Copies from the address in r3 to a place, by a read helper. */
static void copy_by(struct emitter *e, int helper, struct place to, uint32_t size)
{
	address(e, BPF_REG_1, to);
	load_imm(e, BPF_REG_2, size);
	call_helper(e, helper);
}

static void copy(struct emitter *e, const struct ir *ir)
{
	if (!ir->size)
		return;
	if (ir->size <= INLINE_BYTES) {
		address(e, BPF_REG_1, ir->a);
		address(e, BPF_REG_2, ir->dst);
		copy_inline(e, ir->size);
		return;
	}
	address(e, BPF_REG_3, ir->a);
	copy_by(e, BPF_FUNC_probe_read_kernel, ir->dst, ir->size);
}

static void zero(struct emitter *e, struct place place, uint32_t size)
{
	uint32_t rounded = (size + 7) & ~7U;

	if (!size)
		return;
	if (rounded <= INLINE_BYTES * 4) {
		address(e, BPF_REG_1, place);
		for (uint32_t at = 0; at < rounded; at += 8)
			store_imm(e, BPF_REG_1, (int)at, 0);
		return;
	}
	move(e, BPF_REG_1, FRAME);
	load_imm(e, BPF_REG_2, offset_of(e, place));
	load_imm(e, BPF_REG_3, rounded);
	call_function(e, "d_zero");
}

/* Operations. */

static const struct {
	enum node_op op;
	int code, signed_code;
} jumps[] = {
	{ OP_EQ, BPF_JEQ, BPF_JEQ },  { OP_NE, BPF_JNE, BPF_JNE },  { OP_LT, BPF_JLT, BPF_JSLT },
	{ OP_LE, BPF_JLE, BPF_JSLE }, { OP_GT, BPF_JGT, BPF_JSGT }, { OP_GE, BPF_JGE, BPF_JSGE },
};

static void emit_if(struct emitter *e, const struct ir *ir)
{
	int code = BPF_JEQ;

	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++) {
		if (jumps[i].op == ir->how)
			code = ir->is_signed ? jumps[i].signed_code : jumps[i].code;
	}
	get_word(e, BPF_REG_1, ir->a);
	if (ir->b.area == AREA_CONST && ir->b.value == (int32_t)ir->b.value) {
		skip_imm(e, code, BPF_REG_1, (int32_t)ir->b.value, 0);
	} else {
		get_word(e, BPF_REG_2, ir->b);
		skip_reg(e, code, BPF_REG_1, BPF_REG_2, 0);
	}
	to_label(e, ir->label);
}

static void compute(struct emitter *e, const struct ir *ir)
{
	static const int codes[] = {
		[OP_ADD] = BPF_ADD, [OP_SUB] = BPF_SUB, [OP_MUL] = BPF_MUL, [OP_AND] = BPF_AND,
		[OP_OR] = BPF_OR,   [OP_XOR] = BPF_XOR, [OP_SHL] = BPF_LSH, [OP_SHR] = BPF_RSH,
	};
	int code = ir->how == OP_SHR && ir->is_signed ? BPF_ARSH : codes[ir->how];
	bool is_shift = ir->how == OP_SHL || ir->how == OP_SHR;

	get_word(e, BPF_REG_1, ir->a);
	if (ir->b.area == AREA_CONST && ir->b.value == (int32_t)ir->b.value) {
		op_imm(e, code, BPF_REG_1, (int32_t)(is_shift ? ir->b.value & 63 : ir->b.value));
	} else {
		get_word(e, BPF_REG_2, ir->b);
		op_reg(e, code, BPF_REG_1, BPF_REG_2);
	}
	put_word(e, ir->dst, BPF_REG_1);
}

static void emit_load(struct emitter *e, const struct ir *ir)
{
	int offset, base = near(e, ir->a, BPF_REG_1, &offset);

	load(e, ir->size, BPF_REG_1, base, offset);
	if (ir->is_signed)
		extend(e, BPF_REG_1, ir->size, true);
	put_word(e, ir->dst, BPF_REG_1);
}

/* r2 = address of place + b * imm; b is already checked, and checked again for the verifier. */
static void element_address(struct emitter *e, const struct ir *ir, struct place place)
{
	get_word(e, BPF_REG_1, ir->b);
	skip_imm(e, BPF_JLT, BPF_REG_1, (int32_t)ir->limit, 1);
	op_imm(e, BPF_MOV, BPF_REG_1, 0);
	op_imm(e, BPF_MUL, BPF_REG_1, (int32_t)ir->imm);
	address(e, BPF_REG_2, place);
	op_reg(e, BPF_ADD, BPF_REG_2, BPF_REG_1);
}

static void load_at(struct emitter *e, const struct ir *ir)
{
	element_address(e, ir, ir->a);
	load(e, ir->size, BPF_REG_1, BPF_REG_2, 0);
	if (ir->is_signed)
		extend(e, BPF_REG_1, ir->size, true);
	put_word(e, ir->dst, BPF_REG_1);
}

static void store_at(struct emitter *e, const struct ir *ir)
{
	element_address(e, ir, ir->dst);
	get_word(e, BPF_REG_1, ir->a);
	store(e, ir->size, BPF_REG_2, 0, BPF_REG_1);
}

static void same_string(struct emitter *e, const struct ir *ir)
{
	address(e, BPF_REG_1, ir->a);
	address(e, BPF_REG_2, ir->b);
	op_imm(e, BPF_MOV, BPF_REG_3, 0);
	for (uint32_t at = 0; at < ir->size; at += 8) {
		load(e, 8, BPF_REG_4, BPF_REG_1, (int)at);
		load(e, 8, BPF_REG_5, BPF_REG_2, (int)at);
		op_reg(e, BPF_XOR, BPF_REG_4, BPF_REG_5);
		/* The last byte is the NULL marker, not content. */
		if (at + 8 == ir->size)
			op_imm(e, BPF_LSH, BPF_REG_4, 8);
		op_reg(e, BPF_OR, BPF_REG_3, BPF_REG_4);
	}
	op_imm(e, BPF_MOV, BPF_REG_1, 1);
	skip_imm(e, BPF_JEQ, BPF_REG_3, 0, 1);
	op_imm(e, BPF_MOV, BPF_REG_1, 0);
	put_word(e, ir->dst, BPF_REG_1);
}

static void same_text(struct emitter *e, const struct ir *ir)
{
	address(e, BPF_REG_1, ir->a);
	op_imm(e, BPF_MOV, BPF_REG_3, 0);
	for (uint32_t at = 0; at <= ir->size; at += 8) {
		uint32_t part = ir->size - at < 8 ? ir->size - at : 8;
		uint64_t word = 0;

		memcpy(&word, ir->text + at, part);
		load(e, 8, BPF_REG_4, BPF_REG_1, (int)at);
		load_imm(e, BPF_REG_5, (int64_t)word);
		op_reg(e, BPF_XOR, BPF_REG_4, BPF_REG_5);
		if (at + 8 >= e->layout->room)
			op_imm(e, BPF_LSH, BPF_REG_4, 8);
		op_reg(e, BPF_OR, BPF_REG_3, BPF_REG_4);
	}
	op_imm(e, BPF_MOV, BPF_REG_1, 1);
	skip_imm(e, BPF_JEQ, BPF_REG_3, 0, 1);
	op_imm(e, BPF_MOV, BPF_REG_1, 0);
	put_word(e, ir->dst, BPF_REG_1);
}

/* Appends the text of a string to the record, and stores offset and length in its field. */
static void put_string(struct emitter *e, const struct ir *ir)
{
	int used = (int)offsetof(struct d_frame, record_size);
	int32_t most = (int32_t)(e->layout->record_size - e->layout->room);

	load(e, 8, BPF_REG_4, FRAME, used);
	put_sized(e, ir->dst, BPF_REG_4, 4);
	skip_imm(e, BPF_JGT, BPF_REG_4, most, 0);
	to_label(e, ir->label);
	address(e, BPF_REG_3, ir->a);
	address(e, BPF_REG_1, place_at(AREA_RECORD, 0));
	op_reg(e, BPF_ADD, BPF_REG_1, BPF_REG_4);
	load_imm(e, BPF_REG_2, ir->size);
	call_helper(e, BPF_FUNC_probe_read_kernel_str);
	skip_imm(e, BPF_JSGT, BPF_REG_0, 0, 1);
	op_imm(e, BPF_MOV, BPF_REG_0, 1);
	move(e, BPF_REG_1, BPF_REG_0);
	op_imm(e, BPF_ADD, BPF_REG_1, -1);
	put_sized(e, place_plus(ir->dst, 4), BPF_REG_1, 4);
	load(e, 8, BPF_REG_1, FRAME, used);
	op_reg(e, BPF_ADD, BPF_REG_1, BPF_REG_0);
	store(e, 8, FRAME, used, BPF_REG_1);
}

static void set_fault(struct emitter *e, int64_t fault, int label)
{
	store_imm(e, FRAME, (int)offsetof(struct d_frame, fault), (int32_t)fault);
	jump(e, label);
}

/* The result of a helper that reads from the address in a. */
static void fault_unless_read(struct emitter *e, const struct ir *ir)
{
	size_t ok = here(e);

	skip_imm(e, BPF_JEQ, BPF_REG_0, 0, 0);
	get_word(e, BPF_REG_1, ir->a);
	store(e, 8, FRAME, (int)offsetof(struct d_frame, fault_value), BPF_REG_1);
	set_fault(e, D_FAULT_BADADDR, ir->label);
	land(e, ok);
}

static void copy_from_address(struct emitter *e, const struct ir *ir)
{
	get_word(e, BPF_REG_3, ir->a);
	copy_by(e, BPF_FUNC_probe_read, ir->dst, ir->size);
	fault_unless_read(e, ir);
}

static void copy_at(struct emitter *e, const struct ir *ir)
{
	element_address(e, ir, ir->dst);
	move(e, BPF_REG_1, BPF_REG_2);
	load_imm(e, BPF_REG_2, ir->size);
	get_word(e, BPF_REG_3, ir->a);
	call_helper(e, BPF_FUNC_probe_read);
	fault_unless_read(e, ir);
}

static void emit_fault(struct emitter *e, const struct ir *ir)
{
	get_word(e, BPF_REG_1, ir->a);
	store(e, 8, FRAME, (int)offsetof(struct d_frame, fault_value), BPF_REG_1);
	set_fault(e, ir->imm, ir->label);
}

static void emit_call(struct emitter *e, const struct ir *ir)
{
	int reg = BPF_REG_1;

	if (ir->with_context)
		move(e, reg++, CTX);
	move(e, reg++, FRAME);
	if (ir->with_context && !ir->arg_count)
		move(e, reg, GLOBALS);
	for (unsigned int i = 0; i < ir->arg_count && reg <= BPF_REG_5; i++) {
		struct place arg = ir->args[i];

		if (arg.area == AREA_CONST || arg.area == AREA_TEMP)
			get_word(e, reg++, arg);
		else
			load_imm(e, reg++, offset_of(e, arg));
	}
	call_function(e, ir->name);
	put_word(e, ir->dst, BPF_REG_0);
	if (ir->is_safe)
		return;
	load(e, 8, BPF_REG_1, FRAME, (int)offsetof(struct d_frame, fault));
	skip_imm(e, BPF_JNE, BPF_REG_1, 0, 0);
	to_label(e, ir->label);
}

/* Maps. */

static void lookup(struct emitter *e, const char *map)
{
	load_map(e, BPF_REG_1, map);
	address(e, BPF_REG_2, place_at(AREA_KEY, 0));
	call_helper(e, BPF_FUNC_map_lookup_elem);
}

static void get(struct emitter *e, const struct ir *ir)
{
	size_t missing, end;

	lookup(e, ir->name);
	missing = here(e);
	skip_imm(e, BPF_JEQ, BPF_REG_0, 0, 0);
	if (ir->size <= INLINE_BYTES) {
		move(e, BPF_REG_1, BPF_REG_0);
		address(e, BPF_REG_2, ir->dst);
		copy_inline(e, ir->size);
	} else {
		move(e, BPF_REG_3, BPF_REG_0);
		copy_by(e, BPF_FUNC_probe_read_kernel, ir->dst, ir->size);
	}
	end = here(e);
	add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
	land(e, missing);
	zero(e, ir->dst, ir->size);
	if (ir->imm) {
		op_imm(e, BPF_MOV, BPF_REG_1, 1);
		put_sized(e, place_plus(ir->dst, ir->size - 1), BPF_REG_1, 1);
	}
	land(e, end);
}

static void count_drop(struct emitter *e, size_t word)
{
	move(e, BPF_REG_1, FRAME);
	load_imm(e, BPF_REG_2, (int64_t)(word / 8));
	call_function(e, "d_count_drop");
}

/* An existing element is changed in place, which is cheaper than a new one. */
static void set(struct emitter *e, const struct ir *ir)
{
	size_t missing = 0, end = 0, ok;

	if (ir->size == 8) {
		lookup(e, ir->name);
		missing = here(e);
		skip_imm(e, BPF_JEQ, BPF_REG_0, 0, 0);
		get_word(e, BPF_REG_1, ir->a);
		store(e, 8, BPF_REG_0, 0, BPF_REG_1);
		end = here(e);
		add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
		land(e, missing);
	}
	load_map(e, BPF_REG_1, ir->name);
	address(e, BPF_REG_2, place_at(AREA_KEY, 0));
	address(e, BPF_REG_3, ir->a);
	op_imm(e, BPF_MOV, BPF_REG_4, BPF_ANY);
	call_helper(e, BPF_FUNC_map_update_elem);
	ok = here(e);
	skip_imm(e, BPF_JEQ, BPF_REG_0, 0, 0);
	count_drop(e, offsetof(struct d_drops, dynamic));
	land(e, ok);
	if (ir->size == 8)
		land(e, end);
}

static void delete (struct emitter *e, const char *map)
{
	load_map(e, BPF_REG_1, map);
	address(e, BPF_REG_2, place_at(AREA_KEY, 0));
	call_helper(e, BPF_FUNC_map_delete_elem);
}

/* Selects the stripe of this CPU. */
static void find_stripe(struct emitter *e, const struct ir *ir)
{
	if (ir->limit < 2)
		return;
	call_helper(e, BPF_FUNC_get_smp_processor_id);
	op_imm(e, BPF_AND, BPF_REG_0, (int32_t)ir->limit - 1);
	op_imm(e, BPF_MUL, BPF_REG_0, (int32_t)ir->size);
	op_reg(e, BPF_ADD, VALUE, BPF_REG_0);
}

static void aggregate(struct emitter *e, const struct ir *ir)
{
	size_t found, again;

	lookup(e, ir->name);
	move(e, VALUE, BPF_REG_0);
	found = here(e);
	skip_imm(e, BPF_JNE, VALUE, 0, 0);
	load_map(e, BPF_REG_1, ir->name);
	address(e, BPF_REG_2, place_at(AREA_KEY, 0));
	/* The globals begin with zeros for this purpose. */
	move(e, BPF_REG_3, GLOBALS);
	op_imm(e, BPF_MOV, BPF_REG_4, BPF_NOEXIST);
	call_helper(e, BPF_FUNC_map_update_elem);
	lookup(e, ir->name);
	move(e, VALUE, BPF_REG_0);
	again = here(e);
	skip_imm(e, BPF_JNE, VALUE, 0, 0);
	count_drop(e, offsetof(struct d_drops, aggregations));
	jump(e, ir->label);
	land(e, found);
	land(e, again);
	find_stripe(e, ir);
}

static void agg_add_at(struct emitter *e, const struct ir *ir)
{
	get_word(e, BPF_REG_1, ir->a);
	skip_imm(e, BPF_JLT, BPF_REG_1, (int32_t)ir->limit, 1);
	op_imm(e, BPF_MOV, BPF_REG_1, 0);
	op_imm(e, BPF_LSH, BPF_REG_1, 3);
	op_reg(e, BPF_ADD, BPF_REG_1, VALUE);
	get_word(e, BPF_REG_2, ir->b);
	atomic_add(e, BPF_REG_1, 0, BPF_REG_2);
}

#define MOST_EXCHANGES 8 /* each failure means that another CPU stored a greater number */

/* A change by another CPU is detected, and the exchange is repeated. */
static void agg_max(struct emitter *e, const struct ir *ir)
{
	int offset = (int)(ir->dst.value * 8);
	size_t is_less[MOST_EXCHANGES], is_done[MOST_EXCHANGES];

	get_word(e, BPF_REG_1, ir->a);
	load(e, 8, BPF_REG_0, VALUE, offset);
	for (int i = 0; i < MOST_EXCHANGES; i++) {
		is_less[i] = here(e);
		skip_reg(e, BPF_JGE, BPF_REG_0, BPF_REG_1, 0);
		move(e, BPF_REG_2, BPF_REG_0);
		atomic_exchange(e, VALUE, offset, BPF_REG_1);
		is_done[i] = here(e);
		skip_reg(e, BPF_JEQ, BPF_REG_0, BPF_REG_2, 0);
	}
	count_drop(e, offsetof(struct d_drops, aggregations));
	for (int i = 0; i < MOST_EXCHANGES; i++) {
		land(e, is_less[i]);
		land(e, is_done[i]);
	}
}

static void agg_square(struct emitter *e, const struct ir *ir)
{
	get_word(e, BPF_REG_1, ir->a);
	op_reg(e, BPF_MUL, BPF_REG_1, BPF_REG_1);
	get_word(e, BPF_REG_2, ir->b);
	move(e, BPF_REG_3, BPF_REG_1);
	atomic_fetch_add(e, VALUE, 16, BPF_REG_3);
	op_reg(e, BPF_ADD, BPF_REG_3, BPF_REG_1);
	skip_reg(e, BPF_JGE, BPF_REG_3, BPF_REG_1, 1);
	op_imm(e, BPF_ADD, BPF_REG_2, 1);
	atomic_add(e, VALUE, 24, BPF_REG_2);
}

static void begin(struct emitter *e)
{
	move(e, CTX, BPF_REG_1);
	move(e, FRAME, BPF_REG_2);
	move(e, GLOBALS, BPF_REG_3);
}

/* Copies a word, optionally through an operation. */
static void change_word(struct emitter *e, const struct ir *ir)
{
	get_word(e, BPF_REG_1, ir->a);
	if (ir->op == IR_EXTEND)
		extend(e, BPF_REG_1, ir->size, ir->is_signed);
	else if (ir->op == IR_NEGATE)
		op_imm(e, BPF_NEG, BPF_REG_1, 0);
	else if (ir->op == IR_INVERT)
		op_imm(e, BPF_XOR, BPF_REG_1, -1);
	put_word(e, ir->dst, BPF_REG_1);
}

static void emit_one(struct emitter *e, const struct ir *ir)
{
	switch (ir->op) {
	case IR_LABEL: e->labels[ir->label] = here(e); break;
	case IR_GOTO: jump(e, ir->label); break;
	case IR_IF: emit_if(e, ir); break;
	case IR_MOVE:
	case IR_EXTEND:
	case IR_NEGATE:
	case IR_INVERT: change_word(e, ir); break;
	case IR_COMPUTE: compute(e, ir); break;
	case IR_LOAD: emit_load(e, ir); break;
	case IR_STORE:
		get_word(e, BPF_REG_1, ir->a);
		put_sized(e, ir->dst, BPF_REG_1, ir->size);
		break;
	case IR_LOAD_AT: load_at(e, ir); break;
	case IR_STORE_AT: store_at(e, ir); break;
	case IR_ADDRESS:
		address(e, BPF_REG_1, ir->a);
		put_word(e, ir->dst, BPF_REG_1);
		break;
	case IR_ADDRESS_AT:
		element_address(e, ir, ir->a);
		put_word(e, ir->dst, BPF_REG_2);
		break;
	case IR_COPY: copy(e, ir); break;
	case IR_ZERO: zero(e, ir->dst, ir->size); break;
	case IR_COPY_FROM: copy_from_address(e, ir); break;
	case IR_COPY_AT: copy_at(e, ir); break;
	case IR_SAME_STRING: same_string(e, ir); break;
	case IR_SAME_TEXT: same_text(e, ir); break;
	case IR_PUT_STRING: put_string(e, ir); break;
	case IR_CALL: emit_call(e, ir); break;
	case IR_FAULT: emit_fault(e, ir); break;
	case IR_GET: get(e, ir); break;
	case IR_SET: set(e, ir); break;
	case IR_DELETE: delete (e, ir->name); break;
	case IR_AGGREGATE: aggregate(e, ir); break;
	case IR_AGG_ADD:
		get_word(e, BPF_REG_1, ir->a);
		atomic_add(e, VALUE, (int)(ir->dst.value * 8), BPF_REG_1);
		break;
	case IR_AGG_ADD_AT: agg_add_at(e, ir); break;
	case IR_AGG_MAX: agg_max(e, ir); break;
	case IR_AGG_SQUARE: agg_square(e, ir); break;
	case IR_END:
		op_imm(e, BPF_MOV, BPF_REG_0, 0);
		add(e, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
		break;
	}
}

static bool resolve_jumps(struct emitter *e)
{
	for (const struct jump *jump = e->jumps; jump; jump = jump->next) {
		int64_t distance = (int64_t)e->labels[jump->label] - (int64_t)jump->at - 1;

		if (distance != (__s16)distance)
			return false;
		e->code->insns[jump->at].off = (__s16)distance;
	}
	return true;
}

bool emit(struct arena *arena, const struct layout *layout, const struct ir_list *list, struct emit_code *code)
{
	struct emitter e = {
		.arena = arena,
		.layout = layout,
		.code = code,
		.labels = arena_alloc(arena, ((size_t)list->labels + 1) * sizeof(size_t)),
	};

	*code = (struct emit_code){};
	begin(&e);
	for (const struct ir *ir = list->first; ir; ir = ir->next)
		emit_one(&e, ir);
	return resolve_jumps(&e);
}
