// SPDX-License-Identifier: BSD-2-Clause
#include "match/graph/scan_code.h"

#include <Zydis/Zydis.h>

#define STUB_LENGTH 4 /* instructions */

static void visit_number(struct scanner *s, const ZydisDecodedOperand *operand)
{
	uint64_t value = operand->imm.value.u;

	if (operand->imm.is_signed && operand->size <= 32)
		value = (uint32_t)value;
	scan_number(s, value, operand->size >= 32);
}

static bool is_stack(ZydisRegister base)
{
	return base == ZYDIS_REGISTER_NONE || base == ZYDIS_REGISTER_RSP;
}

static void visit_memory(struct scanner *s, const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operand,
			 uint64_t address)
{
	int64_t place = operand->mem.disp.value;
	uint64_t absolute;

	if (operand->mem.base == ZYDIS_REGISTER_RIP || (operand->mem.base == ZYDIS_REGISTER_NONE && place)) {
		if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, operand, address, &absolute)))
			absolute = (uint64_t)place;
		if (info->mnemonic == ZYDIS_MNEMONIC_CALL || info->mnemonic == ZYDIS_MNEMONIC_JMP)
			scan_slot(s, absolute);
		else
			scan_address(s, absolute, info->mnemonic == ZYDIS_MNEMONIC_LEA);
	} else if (!is_stack(operand->mem.base)) {
		scan_place(s, place);
	}
}

static void visit(struct scanner *s, const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operands,
		  uint64_t address)
{
	uint64_t target;

	for (size_t i = 0; i < info->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			visit_memory(s, info, operand, address);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand->imm.is_relative) {
			visit_number(s, operand);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			   ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, operand, address, &target))) {
			scan_branch(s, target);
		}
	}
}

static void read_code(struct scanner *s, const unsigned char *code, uint32_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint32_t at = 0; at < size; at += info.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, size - at, &info, operands)))
			break;
		visit(s, &info, operands, s->start + at);
		if (!scan_next(s))
			break;
	}
}

static uint64_t read_stub(const unsigned char *code, size_t left, uint64_t address)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	ZydisDecoder decoder;
	uint64_t slot;
	size_t at = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < STUB_LENGTH && at < left; i++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, left - at, &info, operands)))
			return 0;
		if (info.mnemonic == ZYDIS_MNEMONIC_JMP && operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&info, &operands[0], address + at, &slot)))
			return slot;
		at += info.length;
	}
	return 0;
}

const struct scan_machine scan_x86 = { read_code, read_stub };
