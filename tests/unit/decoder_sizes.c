// SPDX-License-Identifier: BSD-2-Clause
/*
 * An instruction is: prefixes, REX, an opcode of one to three bytes (or VEX, EVEX and one byte), ModRM with SIB
 * and displacement, an immediate. Two questions about an opcode give its length: has it a ModRM byte, and how
 * long is its immediate? (Intel SDM, volume 2, chapter 2 and appendix A.)
 */
#include "decoder_before.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_INSTRUCTION 15

/* What follows an opcode. */
enum shape {
	BAD = 0,
	NONE = 1, /* nothing */
	MODRM = 2,
	IMM8 = 4,
	IMM16 = 8,
	IMMZ = 16, /* 4 bytes, 2 with an operand prefix */
	IMM32 = 32,
	IMMV = 64,     /* the same as IMMZ, 8 with REX.W */
	ADDRESS = 128, /* 8 bytes, 4 with an address prefix */
	GROUP3 = 256,  /* f6, f7: an immediate with test alone */
};

struct span {
	unsigned char first, last;
	unsigned short shape;
};

static const struct span one_byte[] = {
	{ 0x50, 0x5f, NONE },
	{ 0x63, 0x63, MODRM },
	{ 0x68, 0x68, IMMZ },
	{ 0x69, 0x69, MODRM | IMMZ },
	{ 0x6a, 0x6a, IMM8 },
	{ 0x6b, 0x6b, MODRM | IMM8 },
	{ 0x6c, 0x6f, NONE },
	{ 0x70, 0x7f, IMM8 },
	{ 0x80, 0x80, MODRM | IMM8 },
	{ 0x81, 0x81, MODRM | IMMZ },
	{ 0x83, 0x83, MODRM | IMM8 },
	{ 0x84, 0x8e, MODRM },
	{ 0x90, 0x99, NONE },
	{ 0x9b, 0x9f, NONE },
	{ 0xa0, 0xa3, ADDRESS },
	{ 0xa4, 0xa7, NONE },
	{ 0xa8, 0xa8, IMM8 },
	{ 0xa9, 0xa9, IMMZ },
	{ 0xaa, 0xaf, NONE },
	{ 0xb0, 0xb7, IMM8 },
	{ 0xb8, 0xbf, IMMV },
	{ 0xc0, 0xc1, MODRM | IMM8 },
	{ 0xc2, 0xc2, IMM16 },
	{ 0xc3, 0xc3, NONE },
	{ 0xc6, 0xc6, MODRM | IMM8 },
	{ 0xc7, 0xc7, MODRM | IMMZ },
	{ 0xc8, 0xc8, IMM16 | IMM8 },
	{ 0xc9, 0xc9, NONE },
	{ 0xcc, 0xcc, NONE },
	{ 0xcd, 0xcd, IMM8 },
	{ 0xd0, 0xd3, MODRM },
	{ 0xd7, 0xd7, NONE },
	{ 0xd8, 0xdf, MODRM },
	{ 0xe0, 0xe7, IMM8 },
	{ 0xe8, 0xe9, IMM32 },
	{ 0xeb, 0xeb, IMM8 },
	{ 0xec, 0xef, NONE },
	{ 0xf1, 0xf1, NONE },
	{ 0xf4, 0xf5, NONE },
	{ 0xf6, 0xf6, MODRM | GROUP3 | IMM8 },
	{ 0xf7, 0xf7, MODRM | GROUP3 | IMMZ },
	{ 0xf8, 0xfd, NONE },
	{ 0xfe, 0xff, MODRM },
};

/* Behind 0x0f. */
static const struct span two_byte[] = {
	{ 0x00, 0x03, MODRM },	      { 0x05, 0x09, NONE },	    { 0x0b, 0x0b, NONE },  { 0x0d, 0x0d, MODRM },
	{ 0x10, 0x23, MODRM },	      { 0x28, 0x2f, MODRM },	    { 0x30, 0x35, NONE },  { 0x40, 0x6f, MODRM },
	{ 0x70, 0x73, MODRM | IMM8 }, { 0x74, 0x76, MODRM },	    { 0x77, 0x77, NONE },  { 0x78, 0x79, MODRM },
	{ 0x7c, 0x7f, MODRM },	      { 0x80, 0x8f, IMM32 },	    { 0x90, 0x9f, MODRM }, { 0xa0, 0xa2, NONE },
	{ 0xa3, 0xa3, MODRM },	      { 0xa4, 0xa4, MODRM | IMM8 }, { 0xa5, 0xa5, MODRM }, { 0xa8, 0xaa, NONE },
	{ 0xab, 0xab, MODRM },	      { 0xac, 0xac, MODRM | IMM8 }, { 0xad, 0xb9, MODRM }, { 0xba, 0xba, MODRM | IMM8 },
	{ 0xbb, 0xc1, MODRM },	      { 0xc2, 0xc2, MODRM | IMM8 }, { 0xc3, 0xc3, MODRM }, { 0xc4, 0xc6, MODRM | IMM8 },
	{ 0xc7, 0xc7, MODRM },	      { 0xc8, 0xcf, NONE },	    { 0xd0, 0xff, MODRM },
};

/* Where reading has come to. */
struct reader {
	const unsigned char *at, *end;
	bool has_operand_prefix, has_address_prefix, is_wide;
};

static bool is_prefix(unsigned char byte)
{
	static const unsigned char prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65,
	};

	return memchr(prefixes, byte, sizeof(prefixes));
}

static unsigned int find_shape(const struct span *spans, size_t count, unsigned char opcode)
{
	for (size_t i = 0; i < count; i++) {
		if (opcode >= spans[i].first && opcode <= spans[i].last)
			return spans[i].shape;
	}
	return BAD;
}

static unsigned int shape_of_one(unsigned char opcode)
{
	/* Arithmetic: eight operations of the same six forms. */
	if (opcode < 0x40)
		return (opcode & 7) < 4 ? MODRM : (opcode & 7) == 4 ? IMM8 : (opcode & 7) == 5 ? IMMZ : BAD;
	return find_shape(one_byte, sizeof(one_byte) / sizeof(*one_byte), opcode);
}

static unsigned int shape_of_two(unsigned char opcode)
{
	return find_shape(two_byte, sizeof(two_byte) / sizeof(*two_byte), opcode);
}

/* Opcode maps as VEX numbers them: 0f, 0f 38, 0f 3a. */
static unsigned int shape_of_map(unsigned int map, unsigned char opcode)
{
	switch (map) {
	case 1: return shape_of_two(opcode) & (MODRM | IMM8 | NONE);
	case 2: return MODRM;
	case 3: return MODRM | IMM8;
	default: return BAD;
	}
}

static unsigned int read_vector(struct reader *r, size_t prefix, unsigned int map)
{
	if ((size_t)(r->end - r->at) < prefix + 1)
		return BAD;
	r->at += prefix + 1;
	return shape_of_map(map, r->at[-1]);
}

static unsigned int read_escaped(struct reader *r)
{
	unsigned char opcode;

	if (r->at == r->end)
		return BAD;
	opcode = *r->at++;
	if (opcode != 0x38 && opcode != 0x3a)
		return shape_of_two(opcode);
	if (r->at == r->end)
		return BAD;
	r->at++;
	return opcode == 0x38 ? MODRM : MODRM | IMM8;
}

static unsigned int read_opcode(struct reader *r)
{
	size_t left = (size_t)(r->end - r->at);

	if (!left)
		return BAD;
	if (*r->at == 0xc5)
		return read_vector(r, 2, 1);
	if (*r->at == 0xc4 && left > 1)
		return read_vector(r, 3, r->at[1] & 0x1f);
	if (*r->at == 0x62 && left > 1)
		return read_vector(r, 4, r->at[1] & 7);
	if (*r->at++ == 0x0f)
		return read_escaped(r);
	return shape_of_one(r->at[-1]);
}

static void read_prefixes(struct reader *r)
{
	while (r->at < r->end && is_prefix(*r->at)) {
		r->has_operand_prefix |= *r->at == 0x66;
		r->has_address_prefix |= *r->at == 0x67;
		r->at++;
	}
	if (r->at < r->end && (*r->at & 0xf0) == 0x40)
		r->is_wide = *r->at++ & 8;
}

/* ModRM, SIB and displacement. */
static size_t modrm_size(const struct reader *r)
{
	unsigned int mode = r->at[0] >> 6, rm = r->at[0] & 7;
	size_t sib = mode != 3 && rm == 4;

	if (mode == 3 || (sib && r->end - r->at < 2))
		return 1;
	if (mode == 0)
		return 1 + sib + ((sib ? r->at[1] & 7 : rm) == 5 ? 4 : 0);
	return 1 + sib + (mode == 1 ? 1 : 4);
}

static size_t immediate_size(const struct reader *r, unsigned int shape)
{
	size_t size = 0;

	size += shape & IMM8 ? 1 : 0;
	size += shape & IMM16 ? 2 : 0;
	size += shape & IMM32 ? 4 : 0;
	if (shape & IMMZ)
		size += r->has_operand_prefix && !r->is_wide ? 2 : 4;
	if (shape & IMMV)
		size += r->is_wide ? 8 : r->has_operand_prefix ? 2 : 4;
	if (shape & ADDRESS)
		size += r->has_address_prefix ? 4 : 8;
	return size;
}

size_t before_size(const unsigned char *code, size_t left)
{
	struct reader r = { .at = code, .end = code + left };
	unsigned int shape;
	size_t size;

	read_prefixes(&r);
	shape = read_opcode(&r);
	if (shape == BAD || (shape & MODRM && r.at == r.end))
		return 0;
	/* Of f6 and f7, test alone (/0, /1) has an immediate. */
	if (shape & GROUP3 && (*r.at >> 3 & 7) > 1)
		shape = MODRM;
	size = (size_t)(r.at - code) + (shape & MODRM ? modrm_size(&r) : 0) + immediate_size(&r, shape);
	return size <= left && size <= LONGEST_INSTRUCTION ? size : 0;
}
