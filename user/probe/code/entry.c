// SPDX-License-Identifier: BSD-2-Clause
/*
 * A probe may be moved behind instructions that do not branch and change the stack pointer only by lowering it. Copies
 * between registers are tracked; other values that are overwritten are lost. The new place must only be reached from
 * the first byte: the function's bytes are searched for jumps, and if that is inconclusive, its control flow is
 * analysed.
 */
#include "probe/code/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define LONGEST_ENTRY 64      /* bytes that are searched */
#define LONGEST_FOLLOWED 4096 /* limit for the analysis of control flow: a file may have thousands of functions */
#define MOST_STACK 4096
#define SHORTEST_ENTRY 16 /* of a function of unknown size */

/* The original register whose value is in the register after the instruction that writes it. */
static unsigned char value_of(const struct x86 *x, const unsigned char holds[ENTRY_REGISTERS])
{
	const ZydisDecodedOperand *from = &x->operands[1];
	unsigned char place;

	if (x->info.mnemonic != ZYDIS_MNEMONIC_MOV || from->type != ZYDIS_OPERAND_TYPE_REGISTER || from->size != 64)
		return ENTRY_LOST;
	place = x86_place(from->reg.value);
	return place == ENTRY_LOST ? ENTRY_LOST : holds[place];
}

/* State between the entry and the new place. */
struct passing {
	unsigned char holds[ENTRY_REGISTERS]; /* for each register, the original register whose value it has */
	bool stores;			      /* to other memory than the stack */
	uint32_t stack;			      /* bytes by which the stack pointer was lowered */
};

/* sub $BYTES,%rsp */
static bool lowers_stack(const struct x86 *x, uint32_t *bytes)
{
	const ZydisDecodedOperand *ops = x->operands;

	if (x->info.mnemonic != ZYDIS_MNEMONIC_SUB || ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    ops[0].reg.value != ZYDIS_REGISTER_RSP || ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    ops[1].imm.value.u > MOST_STACK)
		return false;
	*bytes = (uint32_t)ops[1].imm.value.u;
	return true;
}

static bool writes_memory(const struct x86 *x)
{
	for (size_t i = 0; i < x->info.operand_count; i++) {
		const ZydisDecodedOperand *op = &x->operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    x86_place(op->mem.base) != X86_RSP)
			return true;
	}
	return false;
}

/* Advances over one instruction: its length, 0 if a probe may not be behind it. */
static size_t pass(const struct x86 *x, struct passing *p)
{
	uint32_t bytes = 0;

	if (!flow_goes_on(x) || (x86_writes(x, X86_RSP) && !lowers_stack(x, &bytes)))
		return 0;
	p->stack += bytes;
	for (unsigned char place = 0; place < ENTRY_REGISTERS; place++) {
		if (x86_writes(x, place))
			p->holds[place] = value_of(x, p->holds);
	}
	p->stores |= writes_memory(x);
	return x->info.length;
}

static void set_place(struct entry_place *place, size_t offset, const struct passing *p)
{
	const unsigned char *holds = p->holds;

	place->offset = offset;
	place->stores = p->stores;
	place->stack = p->stack;
	memset(place->now, ENTRY_LOST, sizeof(place->now));
	for (unsigned char i = 0; i < ENTRY_REGISTERS; i++) {
		if (holds[i] != ENTRY_LOST)
			place->now[holds[i]] = i;
	}
}

/* The target of a jump at `at`, as an offset in the function; -1: no jump. */
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
 * Does a jump at the place or behind it lead between `from` and the place? Every byte is taken as a possible start of a
 * jump; false positives are harmless.
 */
static bool is_jumped_into(const struct flow_code *code, size_t from, size_t place)
{
	for (size_t at = place; at < code->size; at++) {
		int64_t target = jump_target(code->bytes, code->size, at);

		if (target >= (int64_t)from && target <= (int64_t)place)
			return true;
	}
	return false;
}

static bool has_indirect_jump(const struct flow_code *code)
{
	for (size_t at = 0; at + 1 < code->size; at++) {
		if (code->bytes[at] == 0xff && (code->bytes[at + 1] & 0x38) == 0x20)
			return true;
	}
	return false;
}

/* Is each instruction from `from` to the place reached exactly once? */
static bool is_straight(const struct flow *flow, size_t from, size_t place)
{
	for (size_t at = from; at <= place; at++) {
		if (flow->bytes[at].ways > 1)
			return false;
	}
	return true;
}

/* If the bytes are inconclusive, use control flow. Unreached code contains no jump there either, if no byte does. */
static bool is_passed_once(const struct flow_code *code, size_t from, size_t place)
{
	bool has_jumps = is_jumped_into(code, from, place), is_once;
	struct flow flow;

	if (!has_jumps && !has_indirect_jump(code))
		return true;
	if (code->size > LONGEST_FOLLOWED || flow_make(code, &flow))
		return false;
	is_once = is_straight(&flow, from, place) && (flow.is_closed || (flow.knows_jumps && !has_jumps));
	flow_free(&flow);
	return is_once;
}

/*
 * A push directly behind endbr64, which marks call targets, has the same hits as the first byte: compilers do not start
 * loops there. If the function's end is unknown, no other place is trusted. A jump to the first byte counts as a call
 * at either place.
 */
static bool is_trusted(const struct flow_code *code, bool is_whole, size_t second, size_t place)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct x86 x;

	if (!place)
		return true;
	if (place == sizeof(endbr64) && !memcmp(code->bytes, endbr64, sizeof(endbr64)) &&
	    x86_read(&x, code->bytes + place, code->size - place) && x.info.mnemonic == ZYDIS_MNEMONIC_PUSH)
		return true;
	return is_whole && is_passed_once(code, second, place);
}

bool entry_find_cheap_in(const struct flow_code *code, bool is_whole, struct entry_place *place)
{
	size_t looked = code->size < LONGEST_ENTRY ? code->size : LONGEST_ENTRY, second = 0, n = 1;
	struct passing p = {};

	for (unsigned char i = 0; i < ENTRY_REGISTERS; i++)
		p.holds[i] = i;
	for (size_t at = 0; n && at + 2 <= looked; at += n) {
		struct x86 x;

		if (!x86_read(&x, code->bytes + at, code->size - at))
			return false;
		if (x86_is_emulated(&x)) {
			set_place(place, at, &p);
			return is_trusted(code, is_whole, second, at);
		}
		n = pass(&x, &p);
		second = second ? second : n;
	}
	return false;
}

static int read_constants(void *data, uint64_t address, void *buf, size_t size)
{
	return image_read(data, address, buf, size);
}

bool entry_find_cheap(const struct image *image, uint64_t address, uint64_t size, struct entry_place *place)
{
	size_t wanted = size ? size : SHORTEST_ENTRY;
	_cleanup_free_ unsigned char *bytes = wanted <= FLOW_LONGEST ? malloc(wanted) : NULL;
	struct flow_code code = {
		.bytes = bytes,
		.size = wanted,
		.address = address,
		.read = read_constants,
		.data = (void *)(uintptr_t)image,
	};

	return image_arch(image) == ARCH_X86_64 && bytes && !image_read_code(image, address, bytes, wanted) &&
	       entry_find_cheap_in(&code, size != 0, place);
}
