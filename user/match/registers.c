// SPDX-License-Identifier: BSD-2-Clause
/*
 * All ways through the function are followed, with the registers that may still have what the caller put there. Source:
 * the System V ABI for AMD64, 3.2.3.
 */
#include "match/registers.h"

#include <Zydis/Zydis.h>
#include <stddef.h>
#include <string.h>

#define ARGUMENTS 6
#define ALL_ARGUMENTS 0x3f
#define MAX_SIZE 0x8000 /* bytes of a function that are followed */

struct walk {
	const unsigned char *code;
	uint32_t size;
	ZydisDecoder decoder;
	/* Of the instruction at each byte: the arguments with which it was reached, and 0x80 for reached. */
	unsigned char reached[MAX_SIZE];
	uint32_t waiting[MAX_SIZE]; /* that are to be followed */
	size_t waiting_count;
	unsigned int used, passed;
};

static int argument_of(ZydisRegister reg)
{
	static const ZydisRegister arguments[ARGUMENTS] = {
		ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDX,
		ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8,	ZYDIS_REGISTER_R9,
	};
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	for (int i = 0; i < ARGUMENTS; i++) {
		if (whole == arguments[i])
			return i;
	}
	return -1;
}

static unsigned int bit_of(ZydisRegister reg)
{
	int argument = reg == ZYDIS_REGISTER_NONE ? -1 : argument_of(reg);

	return argument < 0 ? 0 : 1u << argument;
}

static void go_to(struct walk *w, uint64_t to, unsigned int intact)
{
	unsigned char state = (unsigned char)(0x80 | intact);

	if (to >= w->size) {
		w->passed |= intact;
		return;
	}
	if ((w->reached[to] | state) == w->reached[to] || w->waiting_count == MAX_SIZE)
		return;
	w->reached[to] |= state;
	w->waiting[w->waiting_count++] = (uint32_t)to;
}

/* What sets a register to zero does not use it. */
static bool clears(const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operands)
{
	return (info->mnemonic == ZYDIS_MNEMONIC_XOR || info->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[0].reg.value == operands[1].reg.value;
}

static unsigned int reads(const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operands)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < info->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			bits |= bit_of(operand->mem.base) | bit_of(operand->mem.index);
		else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			 operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			bits |= bit_of(operand->reg.value);
	}
	return info->mnemonic == ZYDIS_MNEMONIC_NOP || clears(info, operands) ? 0 : bits;
}

/* A write of 32 bits clears the others; one of fewer leaves them. */
static unsigned int writes(const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operands)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < info->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size >= 32 &&
		    operand->actions & ZYDIS_OPERAND_ACTION_WRITE)
			bits |= bit_of(operand->reg.value);
	}
	return bits;
}

static void step(struct walk *w, uint32_t at)
{
	unsigned int intact = w->reached[at] & ALL_ARGUMENTS;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	uint64_t target;
	bool has_target;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w->decoder, w->code + at, w->size - at, &info, operands)))
		return;
	w->used |= reads(&info, operands) & intact;
	has_target = info.raw.imm[0].is_relative &&
		     ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&info, &operands[0], at, &target));
	switch (info.meta.category) {
	case ZYDIS_CATEGORY_RET: return;
	case ZYDIS_CATEGORY_CALL:
		w->passed |= intact;
		go_to(w, at + info.length, 0);
		return;
	case ZYDIS_CATEGORY_UNCOND_BR: go_to(w, has_target ? target : w->size, intact); return;
	case ZYDIS_CATEGORY_COND_BR:
		go_to(w, has_target ? target : w->size, intact);
		go_to(w, at + info.length, intact);
		return;
	default: go_to(w, at + info.length, intact & ~writes(&info, operands));
	}
}

uint16_t registers_used(const struct binary *binary, const struct binary_function *function, struct effort *effort)
{
	static struct walk w;
	size_t left;

	if (function->size > MAX_SIZE)
		return REGISTERS_UNKNOWN;
	w.code = binary_bytes(binary, function->start, &left);
	w.size = function->size;
	w.used = w.passed = 0;
	w.waiting_count = 0;
	if (!w.code || left < w.size)
		return REGISTERS_UNKNOWN;
	memset(w.reached, 0, w.size);
	ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	go_to(&w, 0, ALL_ARGUMENTS);
	while (w.waiting_count && effort_take(effort, EFFORT_INSTRUCTION))
		step(&w, w.waiting[--w.waiting_count]);
	return (uint16_t)(w.used | w.passed << 8);
}

bool registers_fit(uint16_t a, uint16_t b)
{
	unsigned int used_a = a & ALL_ARGUMENTS, used_b = b & ALL_ARGUMENTS;
	unsigned int any_a = used_a | a >> 8, any_b = used_b | b >> 8;

	if (a == REGISTERS_UNKNOWN || b == REGISTERS_UNKNOWN)
		return true;
	return !(used_a & ~any_b) && !(used_b & ~any_a);
}
