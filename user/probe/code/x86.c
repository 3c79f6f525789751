// SPDX-License-Identifier: BSD-2-Clause
#include "probe/code/x86.h"

#include <string.h>

static ZydisDecoder make_decoder(void)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return decoder;
}

bool x86_read(struct x86 *x, const unsigned char *code, size_t left)
{
	ZydisDecoder decoder = make_decoder();

	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, left, &x->info, x->operands));
}

size_t x86_size(const unsigned char *code, size_t left)
{
	ZydisDecoder decoder = make_decoder();
	ZydisDecodedInstruction info;

	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, left, &info)) ? info.length : 0;
}

unsigned char x86_place(ZydisRegister part)
{
	/* In the order of their numbers in instructions: rax, rcx, rdx, rbx, rsp... */
	static const unsigned char places[16] = {
		X86_RAX, 11, 12, 5, X86_RSP, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0,
	};
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return X86_NOWHERE;
	return places[whole - ZYDIS_REGISTER_RAX];
}

bool x86_writes(const struct x86 *x, unsigned char place)
{
	for (size_t i = 0; i < x->info.operand_count; i++) {
		const ZydisDecodedOperand *op = &x->operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    x86_place(op->reg.value) == place)
			return true;
	}
	return false;
}

/* push_setup_xol_ops() in arch/x86/kernel/uprobes.c: pushes of one register, without a prefix or with REX.B alone. */
static bool is_emulated_push(const ZydisDecodedInstruction *info)
{
	bool has_rex_b = info->raw.prefix_count == 1 && info->raw.prefixes[0].value == 0x41;

	return info->mnemonic == ZYDIS_MNEMONIC_PUSH && (info->opcode & 0xf8) == 0x50 &&
	       (!info->raw.prefix_count || has_rex_b);
}

/* branch_setup_xol_ops(): relative jumps and calls, and the one-byte nop; not loop and jrcxz. */
bool x86_is_emulated(const struct x86 *x)
{
	const ZydisDecodedInstruction *info = &x->info;
	bool is_near = info->opcode == 0xe8 || info->opcode == 0xe9 || info->opcode == 0xeb;
	bool is_jcc;

	if (is_emulated_push(info))
		return true;
	if (info->raw.prefix_count)
		return false;
	if (info->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (info->opcode & 0xf0) == 0x80 && info->raw.imm[0].is_relative;
	is_jcc = (info->opcode & 0xf0) == 0x70;
	return info->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       (info->opcode == 0x90 || ((is_near || is_jcc) && info->raw.imm[0].is_relative));
}

/* is_prefix_bad() in the same file. */
bool x86_is_refused(const struct x86 *x)
{
	static const unsigned char bad[] = { 0xf0, 0x26, 0x2e, 0x36, 0x3e };

	for (size_t i = 0; i < x->info.raw.prefix_count; i++) {
		if (memchr(bad, x->info.raw.prefixes[i].value, sizeof(bad)))
			return true;
	}
	return false;
}
