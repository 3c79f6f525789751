// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two passes. The first goes over the instructions in their order, with what registers hold as far as it is constant:
 * nothing is known where something may jump to. It decides branches. The second marks what can still be reached from
 * the beginning; the rest goes, and distances are written anew. With fewer jumps more is known, so this is done again.
 */
#include "run/fold.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define REGISTERS 11
#define MOST_ROUNDS 8

enum kind { UNKNOWN, NUMBER, PLACE };

/* What a register holds. */
struct value {
	enum kind kind;
	uint64_t number;			/* of a place: the offset */
	const struct fold_constants *map;	/* of a place */
};

enum decision { OPEN, TAKEN, NOT_TAKEN };

/* Of an instruction. */
struct mark {
	bool is_target, is_reached;
	unsigned char decision;
	uint32_t at;		/* where it will be */
};

struct folding {
	struct fold_program *program;
	const struct fold_constants *constants;
	size_t constant_count;
	struct mark *marks;	/* one more than there are instructions */
	uint32_t *open;		/* reached, and not yet gone on from */
	size_t open_count;
};

/* What instructions are. */

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

static bool is_call_of_own(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_function_address(const struct bpf_insn *insn)
{
	return is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}

static bool is_branch(const struct bpf_insn *insn)
{
	unsigned char class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

static bool is_always(const struct bpf_insn *insn)
{
	return is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

static bool is_exit(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT);
}

/* Where a branch, a call of an own function or the address of one leads; -1 for others. */
static int64_t target_of(const struct bpf_insn *insn, size_t i)
{
	if (is_branch(insn))
		return (int64_t)i + 1 + insn->off;
	if (is_call_of_own(insn) || is_function_address(insn))
		return (int64_t)i + 1 + insn->imm;
	return -1;
}

static size_t next_of(const struct bpf_insn *insn, size_t i)
{
	return i + (is_wide(insn) ? 2 : 1);
}

/* What registers hold. */

static struct value unknown(void)
{
	return (struct value){ .kind = UNKNOWN };
}

static struct value number(uint64_t value)
{
	return (struct value){ .kind = NUMBER, .number = value };
}

static void forget(struct value *registers, int from, int to)
{
	for (int i = from; i <= to; i++)
		registers[i] = unknown();
}

static struct value wide_value(const struct folding *f, const struct bpf_insn *insn)
{
	if (!insn->src_reg)
		return number((uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm);
	for (size_t i = 0; insn->src_reg == BPF_PSEUDO_MAP_VALUE && i < f->constant_count; i++) {
		if (insn->imm == f->constants[i].fd)
			return (struct value){ .kind = PLACE, .number = (uint32_t)insn[1].imm,
					       .map = &f->constants[i] };
	}
	return unknown();
}

static struct value loaded_value(const struct bpf_insn *insn, const struct value *from)
{
	static const size_t sizes[] = {
		[BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8,
	};
	size_t size = sizes[BPF_SIZE(insn->code) >> 3];
	uint64_t at = from->number + (uint64_t)(int64_t)insn->off;
	uint64_t value = 0;

	if (BPF_MODE(insn->code) != BPF_MEM || from->kind != PLACE || at > from->map->size ||
	    size > from->map->size - at)
		return unknown();
	/* As the machine has it, which is the kernel's, too. */
	switch (size) {
	case 1:
		return number(from->map->data[at]);
	case 2: {
		uint16_t half;

		memcpy(&half, from->map->data + at, sizeof(half));
		return number(half);
	}
	case 4: {
		uint32_t word;

		memcpy(&word, from->map->data + at, sizeof(word));
		return number(word);
	}
	default:
		memcpy(&value, from->map->data + at, sizeof(value));
		return number(value);
	}
}

static struct value operand_of(const struct bpf_insn *insn, const struct value *registers)
{
	return BPF_SRC(insn->code) == BPF_X ? registers[insn->src_reg] : number((uint64_t)(int64_t)insn->imm);
}

static bool calculate(unsigned char op, unsigned int bits, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case BPF_MOV:
		*result = b;
		return true;
	case BPF_ADD:
		*result = a + b;
		return true;
	case BPF_SUB:
		*result = a - b;
		return true;
	case BPF_AND:
		*result = a & b;
		return true;
	case BPF_OR:
		*result = a | b;
		return true;
	case BPF_XOR:
		*result = a ^ b;
		return true;
	case BPF_LSH:
		*result = a << (b & (bits - 1));
		return true;
	case BPF_RSH:
		*result = (bits == 32 ? (uint32_t)a : a) >> (b & (bits - 1));
		return true;
	default:
		return false;
	}
}

static struct value arithmetic(const struct bpf_insn *insn, const struct value *registers)
{
	unsigned char op = BPF_OP(insn->code);
	bool is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	struct value from = operand_of(insn, registers), to = registers[insn->dst_reg];
	uint64_t result;

	/* Later kernels' MOV with sign extension has the width in `off`. */
	if (insn->off)
		return unknown();
	if (is_64 && op == BPF_MOV)
		return from;
	if (is_64 && op == BPF_ADD && to.kind == PLACE && from.kind == NUMBER) {
		to.number += from.number;
		return to;
	}
	if (from.kind != NUMBER || (op != BPF_MOV && to.kind != NUMBER) ||
	    !calculate(op, is_64 ? 64 : 32, to.number, from.number, &result))
		return unknown();
	return number(is_64 ? result : (uint32_t)result);
}

static bool compare(unsigned char op, uint64_t a, uint64_t b, bool *result)
{
	switch (op) {
	case BPF_JEQ:
		*result = a == b;
		return true;
	case BPF_JNE:
		*result = a != b;
		return true;
	case BPF_JGT:
		*result = a > b;
		return true;
	case BPF_JGE:
		*result = a >= b;
		return true;
	case BPF_JLT:
		*result = a < b;
		return true;
	case BPF_JLE:
		*result = a <= b;
		return true;
	case BPF_JSET:
		*result = a & b;
		return true;
	default:
		return false;
	}
}

static enum decision decide(const struct bpf_insn *insn, const struct value *registers)
{
	struct value a = registers[insn->dst_reg], b = operand_of(insn, registers);
	uint64_t mask = BPF_CLASS(insn->code) == BPF_JMP32 ? UINT32_MAX : UINT64_MAX;
	bool result;

	if (a.kind != NUMBER || b.kind != NUMBER ||
	    !compare(BPF_OP(insn->code), a.number & mask, b.number & mask, &result))
		return OPEN;
	return result ? TAKEN : NOT_TAKEN;
}

/* An operation on memory that also reads it leaves what it read in a register. */
static void after_store(const struct bpf_insn *insn, struct value *registers)
{
	if (BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC) {
		registers[insn->src_reg] = unknown();
		registers[BPF_REG_0] = unknown();
	}
}

static void step(const struct folding *f, const struct bpf_insn *insn, struct value *registers)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		if (is_wide(insn))
			registers[insn->dst_reg] = wide_value(f, insn);
		else
			forget(registers, BPF_REG_0, BPF_REG_5);
		break;
	case BPF_LDX:
		registers[insn->dst_reg] = loaded_value(insn, &registers[insn->src_reg]);
		break;
	case BPF_ALU:
	case BPF_ALU64:
		registers[insn->dst_reg] = arithmetic(insn, registers);
		break;
	case BPF_STX:
		after_store(insn, registers);
		break;
	case BPF_JMP:
		if (BPF_OP(insn->code) == BPF_CALL)
			forget(registers, BPF_REG_0, BPF_REG_5);
		break;
	default:
		break;
	}
}

/* Deciding. */

static int mark_targets(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;

	for (size_t i = 0; i < f->program->count; i = next_of(&insns[i], i)) {
		int64_t target = target_of(&insns[i], i);

		/* A long jump, of later compilers, has its distance elsewhere. */
		if (insns[i].code == (BPF_JMP32 | BPF_JA) || insns[i].dst_reg >= REGISTERS || insns[i].src_reg >= REGISTERS ||
		    target >= (int64_t)f->program->count || next_of(&insns[i], i) > f->program->count)
			return -EINVAL;
		if (target >= 0)
			f->marks[target].is_target = true;
	}
	return 0;
}

static void decide_branches(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;
	struct value registers[REGISTERS];

	forget(registers, BPF_REG_0, BPF_REG_10);
	for (size_t i = 0; i < f->program->count; i = next_of(&insns[i], i)) {
		if (f->marks[i].is_target)
			forget(registers, BPF_REG_0, BPF_REG_10);
		if (is_branch(&insns[i]) && !is_always(&insns[i]))
			f->marks[i].decision = decide(&insns[i], registers);
		else
			step(f, &insns[i], registers);
		if (is_always(&insns[i]) || is_exit(&insns[i]))
			forget(registers, BPF_REG_0, BPF_REG_10);
	}
}

/* Reaching. */

static void reach(struct folding *f, size_t i)
{
	if (f->marks[i].is_reached)
		return;
	f->marks[i].is_reached = true;
	f->open[f->open_count++] = (uint32_t)i;
}

static int go_on(struct folding *f, size_t i)
{
	const struct bpf_insn *insn = &f->program->insns[i];
	int64_t target = target_of(insn, i);
	bool goes_on = !is_exit(insn) && !is_always(insn) && f->marks[i].decision != TAKEN;

	if (target >= 0 && f->marks[i].decision != NOT_TAKEN)
		reach(f, (size_t)target);
	if (!goes_on)
		return 0;
	if (next_of(insn, i) >= f->program->count)
		return -EINVAL;
	reach(f, next_of(insn, i));
	return 0;
}

static int reach_all(struct folding *f)
{
	int err = 0;

	reach(f, 0);
	while (!err && f->open_count)
		err = go_on(f, f->open[--f->open_count]);
	return err;
}

/* Leaving out. */

/* It leads over nothing but what is left out. */
static bool is_to_next(const struct folding *f, size_t i)
{
	const struct bpf_insn *insn = &f->program->insns[i];
	int64_t target = target_of(insn, i);
	size_t next = i + 1;

	if ((!is_always(insn) && f->marks[i].decision != TAKEN) || target <= (int64_t)i)
		return false;
	while ((int64_t)next < target && !f->marks[next].is_reached)
		next++;
	return (int64_t)next == target;
}

/* A branch that is never taken is nothing, and one that leads to what comes next is neither. */
static bool is_kept(const struct folding *f, size_t i)
{
	return f->marks[i].is_reached && f->marks[i].decision != NOT_TAKEN && !is_to_next(f, i);
}

static void number_kept(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;
	uint32_t at = 0;
	size_t next;

	for (size_t i = 0; i < f->program->count; i = next) {
		next = next_of(&insns[i], i);
		for (size_t part = i; part < next; part++)
			f->marks[part].at = at;
		at += is_kept(f, i) ? (uint32_t)(next - i) : 0;
	}
	f->marks[f->program->count].at = at;
}

static void redirect(const struct folding *f, struct bpf_insn *insn, size_t i)
{
	int64_t target = target_of(insn, i);
	int32_t distance;

	if (target < 0)
		return;
	distance = (int32_t)(f->marks[target].at - f->marks[i].at) - 1;
	if (!is_branch(insn)) {
		insn->imm = distance;
		return;
	}
	if (f->marks[i].decision == TAKEN)
		*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
	insn->off = (int16_t)distance;
}

static void leave_out(struct folding *f)
{
	struct bpf_insn *insns = f->program->insns;
	size_t next;

	for (size_t i = 0; i < f->program->count; i = next) {
		next = next_of(&insns[i], i);
		if (!is_kept(f, i))
			continue;
		redirect(f, &insns[i], i);
		memmove(&insns[f->marks[i].at], &insns[i], (next - i) * sizeof(*insns));
	}
}

/* Of functions that nobody calls nothing is said. */
static void leave_out_functions(struct folding *f)
{
	struct fold_program *program = f->program;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < program->function_count; i++) {
		unsigned char *record = program->functions + (size_t)i * program->function_size;
		uint32_t at;

		memcpy(&at, record, sizeof(at));
		if (at >= program->count || !f->marks[at].is_reached)
			continue;
		memmove(program->functions + (size_t)kept * program->function_size, record, program->function_size);
		memcpy(program->functions + (size_t)kept++ * program->function_size, &f->marks[at].at, sizeof(at));
	}
	program->function_count = kept;
}

static int fold_once(struct fold_program *program, const struct fold_constants *constants, size_t count)
{
	_cleanup_free_ struct mark *marks = calloc(program->count + 1, sizeof(*marks));
	_cleanup_free_ uint32_t *open = calloc(program->count + 1, sizeof(*open));
	struct folding f = {
		.program = program, .constants = constants, .constant_count = count, .marks = marks, .open = open,
	};
	int err = marks && open && program->count ? mark_targets(&f) : -ENOMEM;

	if (err)
		return err;
	decide_branches(&f);
	err = reach_all(&f);
	if (err)
		return err;
	number_kept(&f);
	leave_out(&f);
	leave_out_functions(&f);
	program->count = marks[program->count].at;
	return 0;
}

int fold(struct fold_program *program, const struct fold_constants *constants, size_t count)
{
	size_t before;
	int rounds = 0, err;

	do {
		before = program->count;
		err = fold_once(program, constants, count);
	} while (!err && program->count < before && ++rounds < MOST_ROUNDS);
	return err;
}
