// SPDX-License-Identifier: BSD-2-Clause
#include "load/optimiser/fold_state.h"

#include <string.h>

#include "load/optimiser/insn.h"

#define SLOT 8

void fold_forget(struct fold_state *state)
{
	memset(state, 0, sizeof(*state));
}

static struct fold_value unknown(void)
{
	return (struct fold_value){ .kind = FOLD_UNKNOWN };
}

static struct fold_value number(uint64_t value)
{
	return (struct fold_value){ .kind = FOLD_NUMBER, .number = value };
}

static void forget_registers(struct fold_state *state, int from, int to)
{
	for (int i = from; i <= to; i++)
		state->registers[i] = unknown();
}

/* Read-only data. */

static struct fold_value wide_value(const struct fold_setting *setting, const struct bpf_insn *insn)
{
	if (!insn->src_reg)
		return number((uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm);
	for (uint32_t i = 0; insn->src_reg == BPF_PSEUDO_MAP_VALUE && i < setting->constant_count; i++) {
		if (insn->imm == setting->constants[i].fd)
			return (struct fold_value){ FOLD_PLACE, i, (uint32_t)insn[1].imm };
	}
	return unknown();
}

static size_t size_of(const struct bpf_insn *insn)
{
	static const size_t sizes[] = {
		[BPF_W >> 3] = 4,
		[BPF_H >> 3] = 2,
		[BPF_B >> 3] = 1,
		[BPF_DW >> 3] = 8,
	};

	return sizes[BPF_SIZE(insn->code) >> 3];
}

/* As the machine has numbers, which is as the kernel has them. */
static uint64_t number_at(const unsigned char *data, size_t size)
{
	uint16_t half;
	uint32_t word;
	uint64_t value;

	switch (size) {
	case 1: return *data;
	case 2: memcpy(&half, data, sizeof(half)); return half;
	case 4: memcpy(&word, data, sizeof(word)); return word;
	default: memcpy(&value, data, sizeof(value)); return value;
	}
}

static struct fold_value constant_at(const struct code_constants *map, uint64_t at, size_t size)
{
	if (at > map->size || size > map->size - at)
		return unknown();
	return number(number_at(map->data + at, size));
}

/* The stack. */

/* The slot that the instruction reads or writes as a whole; NULL: it is none that only such instructions write. */
static struct fold_value *slot_of(const struct fold_setting *setting, const struct bpf_insn *insn,
				  struct fold_state *state)
{
	if (insn->off % SLOT || insn->off < -FOLD_SLOTS * SLOT || insn->off + SLOT > setting->shared_from ||
	    size_of(insn) != SLOT || BPF_MODE(insn->code) != BPF_MEM)
		return NULL;
	return &state->slots[insn->off / SLOT + FOLD_SLOTS];
}

/* A part of a slot, or of two, is written. */
static void forget_written(const struct bpf_insn *insn, struct fold_state *state)
{
	int from = insn->off, to = insn->off + (int)size_of(insn);

	for (int i = 0; i < FOLD_SLOTS; i++) {
		int at = (i - FOLD_SLOTS) * SLOT;

		if (at < to && at + SLOT > from)
			state->slots[i] = unknown(); /* NOLINT(clang-analyzer-core.NullDereference): never NULL */
	}
}

static void store(const struct fold_setting *setting, const struct bpf_insn *insn, struct fold_state *state)
{
	struct fold_value *slot;

	if (insn->dst_reg != BPF_REG_10)
		return;
	slot = slot_of(setting, insn, state);
	if (!slot)
		forget_written(insn, state);
	else if (BPF_CLASS(insn->code) == BPF_STX)
		*slot = state->registers[insn->src_reg];
	else
		*slot = number((uint64_t)(int64_t)insn->imm);
}

static struct fold_value loaded_value(const struct fold_setting *setting, const struct bpf_insn *insn,
				      struct fold_state *state)
{
	const struct fold_value *from = &state->registers[insn->src_reg];

	if (insn->src_reg == BPF_REG_10) {
		const struct fold_value *slot = slot_of(setting, insn, state);

		return slot ? *slot : unknown();
	}
	if (from->kind != FOLD_PLACE || BPF_MODE(insn->code) != BPF_MEM)
		return unknown();
	return constant_at(&setting->constants[from->map], from->number + (uint64_t)(int64_t)insn->off, size_of(insn));
}

/* Numbers. */

static struct fold_value operand_of(const struct bpf_insn *insn, const struct fold_state *state)
{
	return BPF_SRC(insn->code) == BPF_X ? state->registers[insn->src_reg] : number((uint64_t)(int64_t)insn->imm);
}

static bool calculate(unsigned char op, unsigned int bits, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case BPF_MOV: *result = b; return true;
	case BPF_ADD: *result = a + b; return true;
	case BPF_SUB: *result = a - b; return true;
	case BPF_AND: *result = a & b; return true;
	case BPF_OR: *result = a | b; return true;
	case BPF_XOR: *result = a ^ b; return true;
	case BPF_LSH: *result = a << (b & (bits - 1)); return true;
	case BPF_RSH: *result = (bits == 32 ? (uint32_t)a : a) >> (b & (bits - 1)); return true;
	default: return false;
	}
}

static struct fold_value arithmetic(const struct bpf_insn *insn, const struct fold_state *state)
{
	unsigned char op = BPF_OP(insn->code);
	bool is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	struct fold_value from = operand_of(insn, state), to = state->registers[insn->dst_reg];
	uint64_t result;

	/* Later kernels' MOV with sign extension has the width in `off`. */
	if (insn->off)
		return unknown();
	if (is_64 && op == BPF_MOV)
		return from;
	if (is_64 && op == BPF_ADD && to.kind == FOLD_PLACE && from.kind == FOLD_NUMBER) {
		to.number += from.number;
		return to;
	}
	if (from.kind != FOLD_NUMBER || (op != BPF_MOV && to.kind != FOLD_NUMBER) ||
	    !calculate(op, is_64 ? 64 : 32, to.number, from.number, &result))
		return unknown();
	return number(is_64 ? result : (uint32_t)result);
}

static bool compare(unsigned char op, uint64_t a, uint64_t b, bool *result)
{
	switch (op) {
	case BPF_JEQ: *result = a == b; return true;
	case BPF_JNE: *result = a != b; return true;
	case BPF_JGT: *result = a > b; return true;
	case BPF_JGE: *result = a >= b; return true;
	case BPF_JLT: *result = a < b; return true;
	case BPF_JLE: *result = a <= b; return true;
	case BPF_JSET: *result = a & b; return true;
	case BPF_JSGT: *result = (int64_t)a > (int64_t)b; return true;
	case BPF_JSGE: *result = (int64_t)a >= (int64_t)b; return true;
	case BPF_JSLT: *result = (int64_t)a < (int64_t)b; return true;
	case BPF_JSLE: *result = (int64_t)a <= (int64_t)b; return true;
	default: return false;
	}
}

/* 32 bits with their sign are in the same order as without it, for comparisons that know of none. */
static uint64_t compared(const struct bpf_insn *insn, uint64_t value)
{
	return BPF_CLASS(insn->code) == BPF_JMP32 ? (uint64_t)(int64_t)(int32_t)value : value;
}

enum fold_decision fold_decide(const struct bpf_insn *insn, const struct fold_state *state)
{
	struct fold_value a = state->registers[insn->dst_reg], b = operand_of(insn, state);
	bool result;

	if (a.kind != FOLD_NUMBER || b.kind != FOLD_NUMBER ||
	    !compare(BPF_OP(insn->code), compared(insn, a.number), compared(insn, b.number), &result))
		return FOLD_OPEN;
	return result ? FOLD_TAKEN : FOLD_NOT_TAKEN;
}

/* An operation on memory that also reads it leaves what it read in a register. */
static void after_atomic(const struct bpf_insn *insn, struct fold_state *state)
{
	if (BPF_MODE(insn->code) != BPF_ATOMIC)
		return;
	state->registers[insn->src_reg] = unknown();
	state->registers[BPF_REG_0] = unknown();
}

void fold_step(const struct fold_setting *setting, const struct bpf_insn *insn, struct fold_state *state)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		if (insn_is_wide(insn))
			state->registers[insn->dst_reg] = wide_value(setting, insn);
		else
			forget_registers(state, BPF_REG_0, BPF_REG_5);
		break;
	case BPF_LDX: state->registers[insn->dst_reg] = loaded_value(setting, insn, state); break;
	case BPF_ALU:
	case BPF_ALU64: state->registers[insn->dst_reg] = arithmetic(insn, state); break;
	case BPF_STX:
		store(setting, insn, state);
		after_atomic(insn, state);
		break;
	case BPF_ST: store(setting, insn, state); break;
	case BPF_JMP:
		if (BPF_OP(insn->code) == BPF_CALL)
			forget_registers(state, BPF_REG_0, BPF_REG_5);
		break;
	default: break;
	}
}

static bool meet_value(struct fold_value *value, const struct fold_value *other)
{
	if (value->kind == FOLD_UNKNOWN ||
	    (value->kind == other->kind && value->number == other->number && value->map == other->map))
		return false;
	*value = unknown();
	return true;
}

bool fold_meet(struct fold_state *state, const struct fold_state *other)
{
	bool is_less = false;

	for (int i = 0; i < FOLD_REGISTERS; i++)
		is_less |= meet_value(&state->registers[i], &other->registers[i]);
	for (int i = 0; i < FOLD_SLOTS; i++)
		is_less |= meet_value(&state->slots[i], &other->slots[i]);
	return is_less;
}
