// SPDX-License-Identifier: BSD-2-Clause
/*
 * An address takes at least two instructions: the page (adrp), and an offset that is added (add) or part of a load or
 * store. So track the known contents of registers, in the order of the code: a compiler that computes a page once for
 * several paths does so before them.
 *
 * The first of two adds may only be the base of many objects (gcc's section anchors) and is no feature. So an address
 * of data in a register counts only when it is used for something other than computing another address.
 */
#include "match/graph/scan_code.h"

#include "base/a64.h"

#define REGISTERS 32
#define LOST_IN_CALLS 0x4007ffff /* x0 to x18 and x30 (AAPCS64, 6.1.1) */
#define ARGUMENTS 0xff		 /* x0 to x7 */
#define STUB_LENGTH 4

struct known {
	uint32_t has;	 /* one bit per register */
	uint32_t untold; /* registers with an address of data that is still unused */
	uint64_t values[REGISTERS];
};

static bool is_known(const struct known *k, uint8_t reg)
{
	return reg != A64_NONE && k->has >> reg & 1;
}

static void know(struct known *k, uint8_t reg, uint64_t value)
{
	if (reg == A64_NONE)
		return;
	k->has |= 1u << reg;
	k->values[reg] = value;
}

static uint32_t bit_of(uint8_t reg)
{
	return reg == A64_NONE ? 0 : 1u << reg;
}

/* Reports addresses in registers that are used. */
static void tell(struct scanner *s, struct known *k, uint32_t registers)
{
	uint32_t used = k->untold & registers;

	k->untold &= ~used;
	for (; used; used &= used - 1)
		scan_address(s, k->values[__builtin_ctz(used)], true);
}

static bool is_object(const struct scanner *s, uint64_t address)
{
	return binary_kind_of_data(s->binary, address) < 3 && !binary_text(s->binary, address, 1);
}

static void know_object(const struct scanner *s, struct known *k, uint8_t reg, uint64_t address)
{
	know(k, reg, address);
	if (is_object(s, address))
		k->untold |= bit_of(reg);
}

static void visit_place(struct scanner *s, struct known *k, const struct a64 *a)
{
	uint64_t linked;

	tell(s, k, a->reads & ~bit_of(a->rn));

	if (!is_known(k, a->rn)) {
		if (a->rn == A64_NONE)
			return;
		scan_place(s, (int64_t)a->value);
		if (a->is_pair)
			scan_place(s, (int64_t)a->value + a->size);
		return;
	}
	k->untold &= ~bit_of(a->rn);
	linked = a->kind == A64_LOAD ? binary_linked_at(s->binary, k->values[a->rn] + a->value) : 0;
	if (linked)
		scan_address(s, linked, true);
	else
		scan_address(s, k->values[a->rn] + a->value, false);
}

static void visit_add(struct scanner *s, struct known *k, const struct a64 *a)
{
	if (is_known(k, a->rn)) {
		k->untold &= ~bit_of(a->rn);
		if (!is_object(s, k->values[a->rn] + a->value))
			scan_address(s, k->values[a->rn] + a->value, true);
	} else if (a->rn != A64_NONE && a->is_wide) {
		scan_place(s, (int64_t)a->value);
	} else if (a->rn != A64_NONE) {
		scan_number(s, a->value, false);
	}
}

static void visit(struct scanner *s, struct known *k, const struct a64 *a)
{
	switch (a->kind) {
	case A64_ADDRESS: scan_address(s, a->value, true); break;
	case A64_ADD: visit_add(s, k, a); return;
	case A64_LOAD:
	case A64_STORE: visit_place(s, k, a); return;
	case A64_SET: scan_number(s, a->value, true); break;
	case A64_NUMBER:
		if (a->rn != A64_NONE)
			scan_number(s, a->value, false);
		break;
	case A64_CALL:
		tell(s, k, ARGUMENTS);
		/* fall through */
	case A64_GO:
	case A64_GO_IF:
		if (a->value)
			scan_branch(s, a->value);
		break;
	default: break;
	}
	tell(s, k, a->reads);
}

/* Updates the known registers after an instruction. */
static void follow(struct scanner *s, struct known *k, const struct a64 *a)
{
	uint32_t lost = a->kind == A64_CALL ? LOST_IN_CALLS : a->writes;
	bool was_known = is_known(k, a->rn);
	uint64_t sum = was_known ? k->values[a->rn] + a->value : 0, linked;

	/* Another path through the function may use it. */
	tell(s, k, lost);
	k->has &= ~lost;
	if (a->kind == A64_PAGE || a->kind == A64_ADDRESS)
		know(k, a->rd, a->value);
	else if (a->kind == A64_ADD && was_known)
		know_object(s, k, a->rd, sum);
	else if (a->kind == A64_LOAD && was_known && (linked = binary_linked_at(s->binary, sum)))
		know(k, a->rd, linked);
}

static void read_code(struct scanner *s, const unsigned char *code, uint32_t size)
{
	struct known known = {};

	for (uint32_t at = 0; at + A64_SIZE <= size; at += A64_SIZE) {
		struct a64 a = a64_read_code(code + at, s->start + at);

		if (a.kind == A64_SET)
			a.value = a64_whole_number(code + at, size - at);
		visit(s, &known, &a);
		follow(s, &known, &a);
		if (!scan_next(s))
			break;
	}
	tell(s, &known, known.has);
}

/* A stub: adrp, then a load of x17, then a jump to x17. */
static uint64_t read_stub(const unsigned char *code, size_t left, uint64_t address)
{
	struct known known = {};

	for (size_t at = 0; at + A64_SIZE <= left && at < STUB_LENGTH * (size_t)A64_SIZE; at += A64_SIZE) {
		struct a64 a = a64_read_code(code + at, address + at);

		if (a.kind == A64_LOAD && is_known(&known, a.rn))
			return known.values[a.rn] + a.value;
		if (a.kind == A64_PAGE)
			know(&known, a.rd, a.value);
	}
	return 0;
}

const struct scan_machine scan_a64 = { read_code, read_stub };
