// SPDX-License-Identifier: BSD-2-Clause
/*
 * A small reader of x86-64 instructions. It knows the encodings that compilers begin small functions
 * with, and refuses all others: a probe that is not on the first byte of an instruction kills the process.
 *
 * Such an instruction moves or compares: [REX] opcode [ModRM [SIB] [displacement]] [immediate], where one
 * register is written, or none (Intel SDM, volume 2, chapter 2). Moves between registers are followed.
 */
#include "decoder_before.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_ENTRY 48 /* as many bytes as are looked at */
#define LONGEST_INSTRUCTION 15

#define REX_W 8
#define REX_R 4
#define REX_B 1

/* Places in struct pt_regs of the registers as instructions number them: rax, rcx, rdx, rbx, rsp... */
static const unsigned char places[16] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0 };

#define STACK_POINTER 19

enum form {
	COMPARES,      /* ModRM, nothing is written */
	WRITES_REG,    /* ModRM, the register in its middle is written */
	WRITES_RM,     /* ModRM, the register or memory in its lower part is written */
	WRITES_OPCODE, /* no ModRM, the register is part of the opcode */
	PLAIN,	       /* no ModRM, at most rax is written */
};

static const struct known {
	unsigned char first, last; /* opcodes */
	bool is_two_byte;	   /* behind 0x0f */
	enum form form;
	unsigned char immediate; /* bytes */
	int extension;		 /* of the opcode, in the ModRM byte; -1: any */
} known[] = {
	{ 0x89, 0x89, false, WRITES_RM, 0, -1 }, /* mov */
	{ 0x8b, 0x8b, false, WRITES_REG, 0, -1 }, { 0xb8, 0xbf, false, WRITES_OPCODE, 4, -1 },
	{ 0xc7, 0xc7, false, WRITES_RM, 4, 0 },	  { 0x63, 0x63, false, WRITES_REG, 0, -1 }, /* movslq */
	{ 0xb6, 0xb7, true, WRITES_REG, 0, -1 },					    /* movzx */
	{ 0x8d, 0x8d, false, WRITES_REG, 0, -1 },					    /* lea */
	{ 0x31, 0x31, false, WRITES_RM, 0, -1 },					    /* xor */
	{ 0x33, 0x33, false, WRITES_REG, 0, -1 }, { 0x01, 0x01, false, WRITES_RM, 0, -1 },  /* add */
	{ 0x03, 0x03, false, WRITES_REG, 0, -1 }, { 0x21, 0x21, false, WRITES_RM, 0, -1 },  /* and */
	{ 0x23, 0x23, false, WRITES_REG, 0, -1 }, { 0x25, 0x25, false, PLAIN, 4, -1 },
	{ 0x83, 0x83, false, WRITES_RM, 1, 4 },	  { 0x39, 0x39, false, COMPARES, 0, -1 }, /* cmp */
	{ 0x3b, 0x3b, false, COMPARES, 0, -1 },	  { 0x3c, 0x3c, false, PLAIN, 1, -1 },
	{ 0x3d, 0x3d, false, PLAIN, 4, -1 },	  { 0x80, 0x80, false, COMPARES, 1, 7 },
	{ 0x81, 0x81, false, COMPARES, 4, 7 },	  { 0x83, 0x83, false, COMPARES, 1, 7 },
	{ 0x84, 0x85, false, COMPARES, 0, -1 }, /* test */
	{ 0xa8, 0xa8, false, PLAIN, 1, -1 },	  { 0xa9, 0xa9, false, PLAIN, 4, -1 },
	{ 0xf6, 0xf6, false, COMPARES, 1, 0 },	  { 0xf7, 0xf7, false, COMPARES, 4, 0 },
};

/* See branch_setup_xol_ops() and push_setup_xol_ops() of arch/x86/kernel/uprobes.c. */
static bool is_emulated(const unsigned char *code)
{
	bool is_push = (code[0] & 0xf8) == 0x50 || (code[0] == 0x41 && (code[1] & 0xf8) == 0x50);
	bool is_jump = code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70 ||
		       (code[0] == 0x0f && (code[1] & 0xf0) == 0x80);

	return is_push || is_jump || code[0] == 0x90;
}

/* Bytes of ModRM, SIB and displacement. */
static size_t modrm_size(const unsigned char *modrm)
{
	unsigned int mode = modrm[0] >> 6, rm = modrm[0] & 7;
	size_t sib = mode != 3 && rm == 4;

	if (mode == 3)
		return 1;
	if (mode == 0)
		return 1 + sib + ((sib ? modrm[1] & 7 : rm) == 5 ? 4 : 0);
	return 1 + sib + (mode == 1 ? 1 : 4);
}

static const struct known *find_known(const unsigned char *opcode, bool is_two_byte)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct known *k = &known[i];

		if (opcode[0] >= k->first && opcode[0] <= k->last && k->is_two_byte == is_two_byte &&
		    (k->extension < 0 || k->extension == (opcode[1] >> 3 & 7)))
			return k;
	}
	return NULL;
}

/* The place of the register that is written, ENTRY_LOST if none is. */
static unsigned char written(const struct known *k, unsigned int rex, const unsigned char *opcode)
{
	unsigned int reg = (opcode[1] >> 3 & 7) + (rex & REX_R ? 8 : 0);
	unsigned int rm = (opcode[1] & 7) + (rex & REX_B ? 8 : 0);

	switch (k->form) {
	case WRITES_REG: return places[reg];
	case WRITES_RM: return opcode[1] >> 6 == 3 ? places[rm] : ENTRY_LOST;
	case WRITES_OPCODE: return places[(opcode[0] & 7) + (rex & REX_B ? 8 : 0)];
	case PLAIN: return places[0];
	default: return ENTRY_LOST;
	}
}

/* The place that a move between two whole registers reads, ENTRY_LOST if it is no such move. */
static unsigned char moved_from(unsigned int rex, const unsigned char *opcode)
{
	unsigned int reg = (opcode[1] >> 3 & 7) + (rex & REX_R ? 8 : 0);
	unsigned int rm = (opcode[1] & 7) + (rex & REX_B ? 8 : 0);

	if (!(rex & REX_W) || opcode[1] >> 6 != 3)
		return ENTRY_LOST;
	return opcode[0] == 0x89 ? places[reg] : opcode[0] == 0x8b ? places[rm] : ENTRY_LOST;
}

/*
 * Pass one instruction: its length, 0 if it is not known. `holds` says for each register whose value from
 * the function's first byte it has.
 */
static size_t pass(const unsigned char *code, unsigned char holds[ENTRY_REGISTERS])
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	unsigned int rex = (code[0] & 0xf0) == 0x40 ? code[0] & 0xf : 0;
	const unsigned char *opcode = code + ((code[0] & 0xf0) == 0x40);
	bool is_two_byte = opcode[0] == 0x0f;
	const struct known *k;
	unsigned char to, from;
	size_t size;

	if (!memcmp(code, endbr64, sizeof(endbr64)))
		return sizeof(endbr64);
	opcode += is_two_byte;
	k = find_known(opcode, is_two_byte);
	if (!k)
		return 0;
	size = (size_t)(opcode + 1 - code) + k->immediate;
	if (k->form == WRITES_OPCODE && rex & REX_W)
		size += 4;
	if (k->form != WRITES_OPCODE && k->form != PLAIN)
		size += modrm_size(opcode + 1);
	to = written(k, rex, opcode);
	from = is_two_byte ? ENTRY_LOST : moved_from(rex, opcode);
	if (to == STACK_POINTER)
		return 0;
	if (to != ENTRY_LOST)
		holds[to] = from == ENTRY_LOST ? ENTRY_LOST : holds[from];
	return size;
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
 * Is the place within a loop? Then it would be hit more than once a call. Every byte is taken for the
 * beginning of a jump: to see one that is none does no harm.
 */
static bool is_in_loop(const unsigned char *code, size_t size, size_t place)
{
	for (size_t at = place; at < size; at++) {
		int64_t target = jump_target(code, size, at);

		if (target >= 0 && target <= (int64_t)place)
			return true;
	}
	return false;
}

bool before_find_cheap_in(const unsigned char *code, size_t size, struct entry_place *place)
{
	unsigned char seen[LONGEST_ENTRY + LONGEST_INSTRUCTION] = {}, holds[ENTRY_REGISTERS];
	size_t looked = size < LONGEST_ENTRY ? size : LONGEST_ENTRY, at = 0, n = 1;

	memcpy(seen, code, looked);
	for (unsigned char i = 0; i < ENTRY_REGISTERS; i++)
		holds[i] = i;
	for (; n && at + 2 <= looked; at += n) {
		if (is_emulated(seen + at)) {
			set_place(place, at, holds);
			return !at || !is_in_loop(code, size, at);
		}
		n = pass(seen + at, holds);
	}
	return false;
}
