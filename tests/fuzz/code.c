// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any instructions as a BPF program that is made shorter. A first byte that is odd: they are taken as they are, and
 * only must not break anything. Else they are made of the input so that they mostly make sense, and the program is
 * executed, as it was and as it has become: it must call the same functions with the same arguments, write the same to
 * memory and return the same.
 */
#include "fuzz.h"
#include "load/optimiser/code.h"
#include "load/optimiser/insn.h"

#define MOST_INSNS 256
#define MOST_STEPS 2000
#define MAP_FD 7
#define MAP_BASE 0x100000000000ULL
#define STACK_END 0x200000000000ULL
#define STACK_SIZE 512

static const unsigned char constants[40] = { 1, 0, 2, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff, 7, [32] = 0xfe, 0xff };
static const struct code_constants map = { MAP_FD, constants, sizeof(constants) };

/* Executing. */

struct machine {
	uint64_t registers[11];
	unsigned char stack[STACK_SIZE];
	uint64_t trace;	   /* of all that can be seen from outside */
	bool is_undefined; /* it does what programs do not, and nothing is said of it */
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;

	return x ^ x >> 32;
}

static size_t width_of(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_W: return 4;
	case BPF_H: return 2;
	case BPF_B: return 1;
	default: return 8;
	}
}

static bool is_in(uint64_t address, size_t width, uint64_t base, size_t size)
{
	return address >= base && address - base <= size - width;
}

/* What is neither the map nor the stack has a value that follows from its address. */
static uint64_t load(const struct machine *m, uint64_t address, size_t width)
{
	uint64_t value = mix(address, 1), wide = 0;

	if (is_in(address, width, MAP_BASE, sizeof(constants)))
		memcpy(&wide, constants + (address - MAP_BASE), width);
	else if (is_in(address, width, STACK_END - STACK_SIZE, STACK_SIZE))
		memcpy(&wide, m->stack + (address - (STACK_END - STACK_SIZE)), width);
	else
		memcpy(&wide, &value, width);
	return wide;
}

static void store(struct machine *m, const struct bpf_insn *insn, uint64_t value)
{
	uint64_t address = m->registers[insn->dst_reg] + (uint64_t)(int64_t)insn->off;
	size_t width = width_of(insn);
	uint64_t stack = STACK_END - STACK_SIZE;

	if (insn->dst_reg == BPF_REG_10 && is_in(address, width, stack, STACK_SIZE)) {
		memcpy(m->stack + (address - stack), &value, width);
		return;
	}
	/* By an address, to the stack or to what is constant: the verifier lets no such program pass unseen. */
	if (address + 8 > stack - STACK_SIZE && address < STACK_END + STACK_SIZE)
		m->is_undefined = true;
	if (address + 8 > MAP_BASE && address < MAP_BASE + sizeof(constants))
		m->is_undefined = true;
	m->trace = mix(mix(m->trace, address), width == 8 ? value : value & ((1ULL << width * 8) - 1));
}

static uint64_t operand(const struct machine *m, const struct bpf_insn *insn)
{
	return BPF_SRC(insn->code) == BPF_X ? m->registers[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
}

static void calculate(struct machine *m, const struct bpf_insn *insn)
{
	bool is_64 = BPF_CLASS(insn->code) == BPF_ALU64;
	uint64_t a = m->registers[insn->dst_reg], b = operand(m, insn), bits = is_64 ? 63 : 31;

	a = is_64 ? a : (uint32_t)a;
	b = is_64 ? b : (uint32_t)b;
	switch (BPF_OP(insn->code)) {
	case BPF_MOV: a = b; break;
	case BPF_ADD: a += b; break;
	case BPF_SUB: a -= b; break;
	case BPF_MUL: a *= b; break;
	case BPF_DIV: a = b ? a / b : 0; break;
	case BPF_AND: a &= b; break;
	case BPF_OR: a |= b; break;
	case BPF_XOR: a ^= b; break;
	case BPF_LSH: a <<= b & bits; break;
	case BPF_RSH: a >>= b & bits; break;
	case BPF_ARSH: a = is_64 ? (uint64_t)((int64_t)a >> (b & bits)) : (uint64_t)((int32_t)a >> (b & bits)); break;
	case BPF_NEG: a = -a; break;
	default: m->is_undefined = true; break;
	}
	m->registers[insn->dst_reg] = is_64 ? a : (uint32_t)a;
}

static bool is_taken(struct machine *m, const struct bpf_insn *insn)
{
	uint64_t a = m->registers[insn->dst_reg], b = operand(m, insn);
	bool is_64 = BPF_CLASS(insn->code) == BPF_JMP;
	int64_t sa = is_64 ? (int64_t)a : (int32_t)a, sb = is_64 ? (int64_t)b : (int32_t)b;

	a = is_64 ? a : (uint32_t)a;
	b = is_64 ? b : (uint32_t)b;
	switch (BPF_OP(insn->code)) {
	case BPF_JA: return true;
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSET: return a & b;
	case BPF_JSGT: return sa > sb;
	case BPF_JSGE: return sa >= sb;
	case BPF_JSLT: return sa < sb;
	case BPF_JSLE: return sa <= sb;
	default: m->is_undefined = true; return false;
	}
}

static uint64_t wide(const struct bpf_insn *insn)
{
	if (insn->src_reg == BPF_PSEUDO_MAP_VALUE && insn->imm == MAP_FD)
		return MAP_BASE + (uint32_t)insn[1].imm;
	if (insn->src_reg)
		return mix((uint32_t)insn->imm, insn->src_reg);
	return (uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm;
}

/* Arguments are gone after a call. */
static void call(struct machine *m, const struct bpf_insn *insn)
{
	m->trace = mix(m->trace, (uint32_t)insn->imm);
	for (int i = BPF_REG_1; i <= BPF_REG_5; i++) {
		m->trace = mix(m->trace, m->registers[i]);
		m->registers[i] = mix(m->trace, 2);
	}
	m->registers[BPF_REG_0] = mix(m->trace, 3);
}

static void step(struct machine *m, const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		if (!insn_is_wide(insn))
			m->is_undefined = true;
		else
			m->registers[insn->dst_reg] = wide(insn);
		break;
	case BPF_LDX:
		m->registers[insn->dst_reg] = load(m, m->registers[insn->src_reg] + (uint64_t)(int64_t)insn->off,
						   width_of(insn));
		break;
	case BPF_ST: store(m, insn, (uint64_t)(int64_t)insn->imm); break;
	case BPF_STX: store(m, insn, m->registers[insn->src_reg]); break;
	case BPF_ALU:
	case BPF_ALU64: calculate(m, insn); break;
	default: call(m, insn); break;
	}
}

/* False: it does not end, or nothing is said of it. */
static bool run(const struct code *code, struct machine *m)
{
	memset(m, 0, sizeof(*m));
	for (int i = 0; i < 10; i++)
		m->registers[i] = mix((uint64_t)i, 4);
	m->registers[BPF_REG_10] = STACK_END;
	for (size_t i = 0, steps = 0; i < code->count && steps < MOST_STEPS && !m->is_undefined; steps++) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn_is_exit(insn)) {
			m->trace = mix(m->trace, m->registers[BPF_REG_0]);
			return true;
		}
		if (insn_is_branch(insn)) {
			i = is_taken(m, insn) ? (size_t)insn_target(insn, i) : i + 1;
			continue;
		}
		step(m, insn);
		i = insn_next(insn, i);
	}
	return false;
}

/* Making programs. */

static const unsigned char codes[] = {
	BPF_ALU64 | BPF_MOV | BPF_K,  BPF_ALU64 | BPF_MOV | BPF_X,  BPF_ALU | BPF_MOV | BPF_K,
	BPF_ALU | BPF_MOV | BPF_X,    BPF_ALU64 | BPF_ADD | BPF_K,  BPF_ALU64 | BPF_ADD | BPF_X,
	BPF_ALU | BPF_ADD | BPF_K,    BPF_ALU64 | BPF_AND | BPF_K,  BPF_ALU64 | BPF_SUB | BPF_X,
	BPF_ALU64 | BPF_OR | BPF_X,   BPF_ALU64 | BPF_LSH | BPF_K,  BPF_ALU64 | BPF_RSH | BPF_K,
	BPF_ALU | BPF_RSH | BPF_K,    BPF_ALU | BPF_LSH | BPF_X,    BPF_ALU64 | BPF_MUL | BPF_K,
	BPF_ALU64 | BPF_ARSH | BPF_K, BPF_ALU64 | BPF_XOR | BPF_X,  BPF_ALU | BPF_NEG,
	BPF_JMP | BPF_JEQ | BPF_K,    BPF_JMP | BPF_JNE | BPF_X,    BPF_JMP | BPF_JGT | BPF_K,
	BPF_JMP | BPF_JSGE | BPF_K,   BPF_JMP | BPF_JSET | BPF_K,   BPF_JMP | BPF_JA,
	BPF_JMP32 | BPF_JLT | BPF_K,  BPF_JMP32 | BPF_JSLE | BPF_X, BPF_JMP | BPF_JLE | BPF_X,
	BPF_JMP | BPF_CALL,	      BPF_JMP | BPF_EXIT,	    BPF_LDX | BPF_MEM | BPF_DW,
	BPF_LDX | BPF_MEM | BPF_W,    BPF_LDX | BPF_MEM | BPF_B,    BPF_STX | BPF_MEM | BPF_DW,
	BPF_STX | BPF_MEM | BPF_W,    BPF_ST | BPF_MEM | BPF_DW,    BPF_LD | BPF_DW | BPF_IMM,
	BPF_LDX | BPF_MEM | BPF_H,    BPF_ST | BPF_MEM | BPF_B,	    BPF_JMP32 | BPF_JSGT | BPF_K,
};

/* Of the stack, mostly; forward, mostly. */
static void set_operands(struct bpf_insn *insn, const uint8_t *data, size_t left)
{
	unsigned char class = BPF_CLASS(insn->code);
	bool is_memory = class == BPF_LDX || class == BPF_ST || class == BPF_STX;

	insn->dst_reg = data[1] % 10;
	insn->src_reg = data[2] % 10;
	insn->imm = (int8_t)data[3];
	if (is_memory && data[1] & 0x80) {
		insn->off = (int16_t)(-8 * (1 + data[3] % 8) + (data[2] & 0x80 ? data[3] >> 5 : 0));
		if (class == BPF_LDX)
			insn->src_reg = BPF_REG_10;
		else
			insn->dst_reg = BPF_REG_10;
	} else if (is_memory) {
		insn->off = data[3] % 48;
	} else if (insn_is_branch(insn)) {
		insn->off = (int16_t)(left ? data[2] % left : 0);
		insn->src_reg = BPF_SRC(insn->code) == BPF_X ? insn->src_reg : 0;
	} else if (insn->code == (BPF_JMP | BPF_CALL) || insn_is_exit(insn)) {
		insn->dst_reg = insn->src_reg = 0;
	}
}

/* Four bytes each. The last of all ends the program. */
static size_t make(const uint8_t *data, size_t size, struct bpf_insn *insns)
{
	size_t count = 0, most = size / 4 < MOST_INSNS ? size / 4 : MOST_INSNS;

	for (size_t i = 0; i < most; i++) {
		const uint8_t *at = data + i * 4;
		struct bpf_insn *insn = &insns[count++];

		*insn = (struct bpf_insn){ .code = codes[at[0] % sizeof(codes)] };
		set_operands(insn, at, most - i - 1);
		if (insn_is_wide(insn)) {
			insn->src_reg = at[2] & 1 ? BPF_PSEUDO_MAP_VALUE : 0;
			insn->imm = at[2] & 1 ? MAP_FD : (int8_t)at[3];
			insns[count++] = (struct bpf_insn){ .imm = at[2] & 1 ? at[3] % 48 : at[2] >> 1 };
		}
	}
	insns[count++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	return count;
}

static void shorten(struct code *code)
{
	size_t before = code->count;

	code_fold(code, &map, 1);
	must(code->count <= before, "a program gets no longer");
	before = code->count;
	code_drop_unused(code);
	must(code->count <= before, "a program gets no longer");
}

static void check_raw(const uint8_t *data, size_t size)
{
	struct code code = { .count = size / sizeof(struct bpf_insn) };
	uint32_t functions[4][2] = { { 0 }, { 3 }, { 9 }, { 20 } };

	/* Of exactly that size: what is written behind it is seen. */
	code.insns = malloc(code.count * sizeof(*code.insns) + !code.count);
	memcpy(code.insns, data, code.count * sizeof(*code.insns));
	code.functions = (unsigned char *)functions;
	code.function_count = 4;
	code.function_size = sizeof(functions[0]);
	shorten(&code);
	free(code.insns);
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct bpf_insn insns[2 * MOST_INSNS + 1];
	struct code code = { .insns = insns };
	struct machine before, after;

	if (!size)
		return;
	if (data[0] & 1) {
		check_raw(data + 1, size - 1);
		return;
	}
	code.count = make(data + 1, size - 1, insns);
	if (!run(&code, &before)) {
		shorten(&code);
		return;
	}
	shorten(&code);
	must(run(&code, &after), "a shorter program ends, too");
	must(before.trace == after.trace, "a shorter program does the same");
}
