// SPDX-License-Identifier: BSD-2-Clause
/* Source: the System V ABI for AMD64, 3.2.3. */
#include <Zydis/Zydis.h>
#include <stddef.h>

#include "match/graph/registers.h"

#define ARGUMENTS 6

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

/* Clearing a register does not read it. */
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

/* A 32-bit write clears the upper half; a smaller one keeps the rest. */
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

bool step_x86(const unsigned char *code, uint32_t left, uint32_t at, struct step *step)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, left, &info, operands)))
		return false;
	*step = (struct step){ .target = STEP_OUT, .length = info.length };
	step->reads = reads(&info, operands);
	step->writes = writes(&info, operands);
	if (info.raw.imm[0].is_relative &&
	    !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&info, &operands[0], at, &step->target)))
		step->target = STEP_OUT;
	switch (info.meta.category) {
	case ZYDIS_CATEGORY_RET: step->kind = STEP_END; break;
	case ZYDIS_CATEGORY_CALL: step->kind = STEP_CALL; break;
	case ZYDIS_CATEGORY_UNCOND_BR: step->kind = STEP_GO; break;
	case ZYDIS_CATEGORY_COND_BR: step->kind = STEP_FORK; break;
	default: step->kind = STEP_ON;
	}
	return true;
}
