// SPDX-License-Identifier: BSD-2-Clause
#include "base/a64.h"

#include <string.h>

#define KEEPS_WITHIN 6 /* instructions in which the parts of a number must be set */

static uint32_t bits(uint32_t word, int low, int count)
{
	return word >> low & ((1u << count) - 1);
}

static uint8_t rd_of(uint32_t word)
{
	return word & 31;
}

static uint8_t rn_of(uint32_t word)
{
	return word >> 5 & 31;
}

static uint8_t rm_of(uint32_t word)
{
	return word >> 16 & 31;
}

static uint8_t ra_of(uint32_t word)
{
	return word >> 10 & 31;
}

static uint32_t bit_of(uint8_t reg)
{
	return reg == A64_NONE ? 0 : 1u << reg;
}

static int64_t extended(uint32_t value, int count)
{
	return (int64_t)((uint64_t)value << (64 - count)) >> (64 - count);
}

/* The signed field of `count` bits at bit `low`, times 4. */
static uint64_t target_of(uint32_t word, uint64_t address, int low, int count)
{
	return address + (uint64_t)(extended(bits(word, low, count), count) * 4);
}

/* DecodeBitMasks() of the manual: a rotated run of ones, repeated. 0: invalid. */
static uint64_t mask_of(uint32_t word)
{
	uint32_t turn = bits(word, 16, 6), ones = bits(word, 10, 6), known = bits(word, 22, 1) << 6 | (~ones & 0x3f);
	int length = known ? 31 - __builtin_clz(known) : 0;
	uint32_t size = 1u << length;
	uint64_t run, all = 0;

	if (length < 1)
		return 0;
	turn &= size - 1;
	ones = (ones & (size - 1)) + 1;
	if (ones == size)
		return 0;
	run = (1ULL << ones) - 1;
	if (turn)
		run = (run >> turn | run << (size - turn)) & (size == 64 ? ~0ULL : (1ULL << size) - 1);
	for (uint32_t at = 0; at < 64; at += size)
		all |= run << at;
	return word >> 31 ? all : (uint32_t)all;
}

static struct a64 one_of_one(uint32_t word, enum a64_kind kind, uint64_t value)
{
	return (struct a64){
		.kind = kind,
		.value = value,
		.rd = rd_of(word),
		.rn = rn_of(word),
		.is_wide = word >> 31,
		.reads = bit_of(rn_of(word)),
		.writes = bit_of(rd_of(word)),
	};
}

static struct a64 read_add(uint32_t word)
{
	uint64_t value = (uint64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? 12 : 0);
	bool is_compared = bits(word, 29, 1), is_less = bits(word, 30, 1);

	return one_of_one(word, is_compared || is_less ? A64_NUMBER : A64_ADD, value);
}

static struct a64 read_set(uint32_t word)
{
	uint8_t shift = (uint8_t)(16 * bits(word, 21, 2));
	uint64_t value = (uint64_t)bits(word, 5, 16) << shift;
	struct a64 a = one_of_one(word, A64_SET, value);

	a.rn = A64_NONE;
	a.reads = 0;
	switch (bits(word, 29, 2)) {
	case 0: a.value = a.is_wide ? ~value : (uint32_t)~value; break;
	case 3:
		a.kind = A64_KEEP;
		a.shift = shift;
		a.reads = a.writes;
		break;
	default: break;
	}
	return a;
}

static struct a64 read_immediate(uint32_t word, uint64_t address)
{
	uint64_t distance = (uint64_t)extended(bits(word, 5, 19) << 2 | bits(word, 29, 2), 21);
	struct a64 a;

	switch (bits(word, 23, 3)) {
	case 0:
	case 1:
		a = word >> 31 ? one_of_one(word, A64_PAGE, (address & ~0xfffULL) + (distance << 12))
			       : one_of_one(word, A64_ADDRESS, address + distance);
		a.rn = A64_NONE;
		a.reads = 0;
		return a;
	case 2: return read_add(word);
	case 4: /* orr with the zero register: mov */
		return one_of_one(word, bits(word, 29, 2) == 1 && rn_of(word) == A64_NONE ? A64_SET : A64_NUMBER,
				  mask_of(word));
	case 5: return read_set(word);
	case 6: /* bfm keeps the other bits */
		a = one_of_one(word, A64_OTHER, 0);
		a.reads |= bits(word, 29, 2) == 1 ? a.writes : 0;
		return a;
	case 7:
		a = one_of_one(word, A64_OTHER, 0);
		a.reads |= bit_of(rm_of(word));
		return a;
	default: return one_of_one(word, A64_OTHER, 0);
	}
}

static struct a64 goes(enum a64_kind kind, uint64_t to, uint32_t reads)
{
	return (struct a64){ .kind = kind, .value = to, .rd = A64_NONE, .rn = A64_NONE, .reads = reads };
}

/* Branch to a register: br, blr, ret and their variants with pointer authentication. */
static struct a64 read_register_branch(uint32_t word)
{
	static const enum a64_kind kinds[] = { A64_GO, A64_CALL, A64_STOP, A64_STOP };

	return goes(kinds[bits(word, 21, 2)], 0, bit_of(rn_of(word)));
}

/* brk and hlt stop, system calls do not; msr reads a register, mrs writes one. */
static struct a64 read_system(uint32_t word)
{
	struct a64 a = goes(A64_OTHER, 0, 0);

	if ((word & 0xff000000) == 0xd4000000) {
		a.kind = bits(word, 21, 3) ? A64_STOP : A64_OTHER;
		a.reads = bits(word, 21, 3) ? 0 : 0x13f; /* x0 to x5, x8 */
	} else if (bits(word, 21, 1)) {
		a.writes = bit_of(rd_of(word));
	} else {
		a.reads = bit_of(rd_of(word));
	}
	return a;
}

static struct a64 read_branch(uint32_t word, uint64_t address)
{
	if ((word & 0x7c000000) == 0x14000000)
		return goes(word >> 31 ? A64_CALL : A64_GO, target_of(word, address, 0, 26), 0);
	if ((word & 0x7e000000) == 0x34000000)
		return goes(A64_GO_IF, target_of(word, address, 5, 19), bit_of(rd_of(word)));
	if ((word & 0x7e000000) == 0x36000000)
		return goes(A64_GO_IF, target_of(word, address, 5, 14), bit_of(rd_of(word)));
	if ((word & 0xfe000000) == 0x54000000)
		return goes(A64_GO_IF, target_of(word, address, 5, 19), 0);
	if ((word & 0xfe000000) == 0xd6000000)
		return read_register_branch(word);
	return read_system(word);
}

/* Sets the registers that are moved; vector registers are ignored. */
static struct a64 moves(uint32_t word, bool is_load, int scale, int64_t place)
{
	bool is_vector = bits(word, 26, 1);
	struct a64 a = {
		.kind = is_load ? A64_LOAD : A64_STORE,
		.value = (uint64_t)place,
		.rd = is_vector ? A64_NONE : rd_of(word),
		.rn = rn_of(word),
		.size = (uint8_t)(1 << scale),
		.is_wide = scale == 3,
		.reads = bit_of(rn_of(word)),
	};

	*(is_load ? &a.writes : &a.reads) |= bit_of(a.rd);
	return a;
}

static struct a64 read_pair(uint32_t word)
{
	bool is_load = bits(word, 22, 1), is_vector = bits(word, 26, 1);
	int opc = (int)bits(word, 30, 2), scale = is_vector ? 2 + opc : opc == 2 ? 3 : 2;
	uint32_t how = bits(word, 23, 2); /* 1: rn changes after the access, 3: before */
	struct a64 a = moves(word, is_load, scale & 7, how == 1 ? 0 : extended(bits(word, 15, 7), 7) * (1 << scale));

	a.is_pair = true;
	if (!is_vector)
		*(is_load ? &a.writes : &a.reads) |= bit_of(ra_of(word));
	a.writes |= how & 1 ? bit_of(a.rn) : 0;
	return a;
}

/* A single register: its size, and whether it is read. */
static struct a64 read_single(uint32_t word, int64_t place, bool is_scaled)
{
	uint32_t size = bits(word, 30, 2), opc = bits(word, 22, 2);
	bool is_vector = bits(word, 26, 1);
	int scale = (int)(is_vector && opc & 2 ? 4 : size);
	bool is_load = is_vector ? opc & 1 : opc != 0;

	if (!is_vector && size == 3 && opc == 2) { /* prfm */
		struct a64 a = goes(A64_OTHER, 0, bit_of(rn_of(word)));

		return a;
	}
	return moves(word, is_load, scale, is_scaled ? place * (1 << scale) : place);
}

static struct a64 read_single_of_kinds(uint32_t word)
{
	struct a64 a;

	if (!bits(word, 21, 1)) {
		uint32_t how = bits(word, 10, 2); /* as in read_pair() */

		a = read_single(word, how == 1 ? 0 : extended(bits(word, 12, 9), 9), false);
		a.writes |= how & 1 ? bit_of(a.rn) : 0;
		return a;
	}
	if (bits(word, 10, 2) == 2) { /* indexed by a register: the address is unknown */
		a = read_single(word, 0, false);
		a.kind = A64_OTHER;
		a.reads |= bit_of(rm_of(word));
		return a;
	}
	if (bits(word, 10, 2) == 0) { /* ldadd and similar */
		a = moves(word, true, (int)bits(word, 30, 2), 0);
		a.reads |= bit_of(rm_of(word));
		return a;
	}
	return moves(word, true, 3, 0);
}

/* ldxr, stxr, ldar, stlr, cas and similar. */
static struct a64 read_exclusive(uint32_t word)
{
	bool is_ordered = bits(word, 23, 1), is_load = bits(word, 22, 1), is_two = bits(word, 21, 1);
	struct a64 a;

	if (is_two && (is_ordered || !bits(word, 31, 1))) {
		a = moves(word, false, (int)bits(word, 30, 2), 0);
		a.reads |= bit_of(rm_of(word));
		a.writes |= bit_of(rm_of(word));
		return a;
	}
	a = moves(word, is_load, (int)bits(word, 30, 2), 0);
	if (is_two)
		*(is_load ? &a.writes : &a.reads) |= bit_of(ra_of(word));
	if (!is_ordered && !is_load)
		a.writes |= bit_of(rm_of(word));
	return a;
}

static struct a64 read_memory(uint32_t word, uint64_t address)
{
	struct a64 a;

	if ((word & 0x3b000000) == 0x18000000) {
		a = goes(A64_OTHER, target_of(word, address, 5, 19), 0);
		a.writes = bits(word, 26, 1) || bits(word, 30, 2) == 3 ? 0 : bit_of(rd_of(word));
		return a;
	}
	if ((word & 0x3a000000) == 0x28000000)
		return read_pair(word);
	if ((word & 0x3b000000) == 0x39000000)
		return read_single(word, bits(word, 10, 12), true);
	if ((word & 0x3b000000) == 0x38000000)
		return read_single_of_kinds(word);
	if ((word & 0x3f000000) == 0x08000000)
		return read_exclusive(word);
	if ((word & 0x3f200c00) == 0x19000000)
		return read_single(word, extended(bits(word, 12, 9), 9), false);
	/* Several vectors, and newer instructions. */
	a = goes(A64_OTHER, 0, bit_of(rn_of(word)));
	if ((word & 0xbf800000) == 0x0c800000) {
		a.reads |= bit_of(rm_of(word));
		a.writes = bit_of(rn_of(word));
	}
	return a;
}

static struct a64 read_registers(uint32_t word)
{
	uint32_t op = bits(word, 21, 4);
	struct a64 a = one_of_one(word, A64_OTHER, 0);

	if (!bits(word, 28, 1)) {
		a.reads |= bit_of(rm_of(word));
	} else if (op == 2) { /* ccmp: with a register or a number */
		a.reads |= bits(word, 11, 1) ? 0 : bit_of(rm_of(word));
		a.writes = 0;
	} else if (op != 6 || !bits(word, 30, 1)) {
		a.reads |= bit_of(rm_of(word));
		a.reads |= op >= 8 ? bit_of(ra_of(word)) : 0;
	}
	return a;
}

/* Between general and vector registers. */
static struct a64 read_vector(uint32_t word)
{
	struct a64 a = goes(A64_OTHER, 0, 0);
	uint32_t op = bits(word, 16, 3);

	if ((word & 0x5f20fc00) == 0x1e200000 || (word & 0x5f200000) == 0x1e000000) {
		if (op == 2 || op == 3 || op == 7)
			a.reads = bit_of(rn_of(word));
		else
			a.writes = bit_of(rd_of(word));
	} else if ((word & 0xbfe0fc00) == 0x0e000c00 || (word & 0xffe0fc00) == 0x4e001c00) { /* dup, ins */
		a.reads = bit_of(rn_of(word));
	} else if ((word & 0xbfe0fc00) == 0x0e003c00 || (word & 0xbfe0fc00) == 0x0e002c00) { /* umov, smov */
		a.writes = bit_of(rd_of(word));
	}
	return a;
}

struct a64 a64_read(uint32_t word, uint64_t address)
{
	switch (bits(word, 25, 4)) {
	case 8:
	case 9: return read_immediate(word, address);
	case 10:
	case 11: return read_branch(word, address);
	case 4:
	case 6:
	case 12:
	case 14: return read_memory(word, address);
	case 5:
	case 13: return read_registers(word);
	case 7:
	case 15: return read_vector(word);
	case 0: return goes(A64_STOP, 0, 0);
	default: return goes(A64_OTHER, 0, 0);
	}
}

struct a64 a64_read_code(const unsigned char *code, uint64_t address)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return a64_read(word, address);
}

uint64_t a64_whole_number(const unsigned char *code, size_t left)
{
	struct a64 first = a64_read_code(code, 0);
	uint64_t value = first.value;

	for (size_t at = A64_SIZE; at + A64_SIZE <= left && at <= KEEPS_WITHIN * A64_SIZE; at += A64_SIZE) {
		struct a64 a = a64_read_code(code + at, 0);

		if (a.kind == A64_KEEP && a.rd == first.rd)
			value = (value & ~(0xffffULL << a.shift)) | a.value;
		else if ((a.writes | a.reads) & first.writes || a.kind == A64_STOP)
			break;
	}
	return value;
}
