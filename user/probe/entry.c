// SPDX-License-Identifier: BSD-2-Clause
/*
 * A probe may go behind instructions that are known to move or compare, and to write one register at most. Moves
 * between registers are followed; what else is written is lost to the probe.
 */
#include "probe/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/x86.h"

#define LONGEST_ENTRY 48  /* as many bytes as are looked at */
#define SHORTEST_ENTRY 16 /* of a function of unknown size */
#define LONGEST_FUNCTION 65536

static bool is_known(const struct x86 *x)
{
	switch (x->info.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST: return x86_has_no_prefix(x);
	case ZYDIS_MNEMONIC_ENDBR64: return true;
	default: return false;
	}
}

/* Which value the register has after the instruction that writes it. */
static unsigned char value_of(const struct x86 *x, const unsigned char holds[ENTRY_REGISTERS])
{
	const ZydisDecodedOperand *from = &x->operands[1];
	unsigned char place;

	if (x->info.mnemonic != ZYDIS_MNEMONIC_MOV || from->type != ZYDIS_OPERAND_TYPE_REGISTER || from->size != 64)
		return ENTRY_LOST;
	place = x86_place(from->reg.value);
	return place == ENTRY_LOST ? ENTRY_LOST : holds[place];
}

/*
 * Pass one instruction: its length, 0 if it is not known. `holds` says for each register whose value from
 * the function's first byte it has.
 */
static size_t pass(const struct x86 *x, unsigned char holds[ENTRY_REGISTERS])
{
	if (!is_known(x))
		return 0;
	for (size_t i = 0; i < x->info.operand_count; i++) {
		const ZydisDecodedOperand *op = &x->operands[i];
		unsigned char place;

		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		place = x86_place(op->reg.value);
		/* Segments and the like. */
		if (place == ENTRY_LOST && i < x->info.operand_count_visible)
			return 0;
		if (place == ENTRY_LOST || !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (place == X86_RSP)
			return 0;
		holds[place] = value_of(x, holds);
	}
	return x->info.length;
}

static void set_place(struct entry_place *place, size_t offset, const unsigned char holds[ENTRY_REGISTERS])
{
	place->offset = offset;
	memset(place->now, ENTRY_LOST, sizeof(place->now));
	for (unsigned char i = 0; i < ENTRY_REGISTERS; i++) {
		if (holds[i] != ENTRY_LOST)
			place->now[holds[i]] = i;
	}
}

/* Where a jump at `at` leads, as an offset in the function; -1 if there is none. */
static int64_t jump_target(const unsigned char *code, size_t size, size_t at)
{
	bool is_short = (code[at] & 0xf0) == 0x70 || code[at] == 0xeb || (code[at] & 0xfc) == 0xe0;
	size_t opcode = code[at] == 0x0f && at + 1 < size && (code[at + 1] & 0xf0) == 0x80 ? 2
			: code[at] == 0xe9						   ? 1
											   : 0;
	int32_t distance;

	if (is_short && at + 2 <= size)
		return (int64_t)at + 2 + (signed char)code[at + 1];
	if (!opcode || at + opcode + sizeof(distance) > size)
		return -1;
	memcpy(&distance, code + at + opcode, sizeof(distance));
	return (int64_t)(at + opcode + sizeof(distance)) + distance;
}

/*
 * Is the place within a loop that begins at `from` or later? Then it would be hit more than once a call. Every byte
 * is taken for the beginning of a jump: to see one that is none does no harm.
 */
static bool is_in_loop(const unsigned char *code, size_t size, size_t from, size_t place)
{
	for (size_t at = place; at < size; at++) {
		int64_t target = jump_target(code, size, at);

		if (target >= (int64_t)from && target <= (int64_t)place)
			return true;
	}
	return false;
}

/*
 * Directly behind endbr64, which marks where a call may lead, hits are those of the first byte, unless a jump leads
 * there. Of a function that is not at hand as a whole, nothing else is trusted: compilers begin no loop with a push.
 */
bool entry_find_cheap_in(const unsigned char *code, size_t size, bool is_whole, struct entry_place *place)
{
	unsigned char holds[ENTRY_REGISTERS];
	size_t looked = size < LONGEST_ENTRY ? size : LONGEST_ENTRY, n = 1;
	bool is_begin = true;

	for (unsigned char i = 0; i < ENTRY_REGISTERS; i++)
		holds[i] = i;
	for (size_t at = 0; n && at + 2 <= looked; at += n) {
		struct x86 x;

		if (!x86_read(&x, code + at, size - at))
			return false;
		if (x86_is_emulated(&x)) {
			set_place(place, at, holds);
			if (is_begin && (!at || !is_whole))
				return true;
			return is_whole && !is_in_loop(code, size, is_begin ? at : 0, at);
		}
		is_begin = is_begin && x.info.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
		n = pass(&x, holds);
	}
	return false;
}

bool entry_find_cheap(const struct image *image, uint64_t address, uint64_t size, struct entry_place *place)
{
	size_t wanted = size ? size : SHORTEST_ENTRY;
	_cleanup_free_ unsigned char *code = wanted <= LONGEST_FUNCTION ? malloc(wanted) : NULL;

	return image_arch(image) == ARCH_X86_64 && code && !image_read_code(image, address, code, wanted) &&
	       entry_find_cheap_in(code, wanted, size != 0, place);
}
