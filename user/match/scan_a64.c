// SPDX-License-Identifier: BSD-2-Clause
/*
 * An address is made by two instructions or more: the page (adrp), and what is added to it (add), or is the place of a
 * load or store. So what registers are known to hold is followed, in the order of the code: a compiler that computes a
 * page once for several ways through a function does so before them.
 */
#include "base/a64.h"
#include "match/scan_code.h"

#define REGISTERS 32
#define LOST_IN_CALLS 0x4007ffff /* x0 to x18 and x30 (AAPCS64, 6.1.1) */
#define STUB_LENGTH 4

struct known {
	uint32_t has; /* a bit for each register */
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

static void visit_place(struct scanner *s, const struct known *k, const struct a64 *a)
{
	uint64_t linked;

	if (!is_known(k, a->rn)) {
		if (a->rn == A64_NONE)
			return;
		scan_place(s, (int64_t)a->value);
		if (a->is_pair)
			scan_place(s, (int64_t)a->value + a->size);
		return;
	}
	linked = a->kind == A64_LOAD ? binary_linked_at(s->binary, k->values[a->rn] + a->value) : 0;
	if (linked)
		scan_address(s, linked, true);
	else
		scan_address(s, k->values[a->rn] + a->value, false);
}

static void visit_add(struct scanner *s, const struct known *k, const struct a64 *a)
{
	if (is_known(k, a->rn))
		scan_address(s, k->values[a->rn] + a->value, true);
	else if (a->rn != A64_NONE && a->is_wide)
		scan_place(s, (int64_t)a->value);
	else if (a->rn != A64_NONE)
		scan_number(s, a->value, false);
}

static void visit(struct scanner *s, const struct known *k, const struct a64 *a)
{
	switch (a->kind) {
	case A64_ADDRESS: scan_address(s, a->value, true); break;
	case A64_ADD: visit_add(s, k, a); break;
	case A64_LOAD:
	case A64_STORE: visit_place(s, k, a); break;
	case A64_SET: scan_number(s, a->value, true); break;
	case A64_NUMBER:
		if (a->rn != A64_NONE)
			scan_number(s, a->value, false);
		break;
	case A64_CALL:
	case A64_GO:
	case A64_GO_IF:
		if (a->value)
			scan_branch(s, a->value);
		break;
	default: break;
	}
}

/* What registers hold after it. */
static void follow(struct known *k, const struct scanner *s, const struct a64 *a)
{
	bool was_known = is_known(k, a->rn);
	uint64_t sum = was_known ? k->values[a->rn] + a->value : 0, linked;

	k->has &= ~a->writes;
	if (a->kind == A64_CALL)
		k->has &= ~(uint32_t)LOST_IN_CALLS;
	else if (a->kind == A64_PAGE || a->kind == A64_ADDRESS)
		know(k, a->rd, a->value);
	else if (a->kind == A64_ADD && was_known)
		know(k, a->rd, sum);
	else if (a->kind == A64_LOAD && was_known && (linked = binary_linked_at(s->binary, sum)))
		know(k, a->rd, linked);
}

void scan_a64(struct scanner *s, const unsigned char *code, uint32_t size)
{
	struct known known = {};

	for (uint32_t at = 0; at + A64_SIZE <= size; at += A64_SIZE) {
		struct a64 a = a64_read_code(code + at, s->start + at);

		if (a.kind == A64_SET)
			a.value = a64_whole_number(code + at, size - at);
		visit(s, &known, &a);
		follow(&known, s, &a);
		if (!scan_next(s))
			break;
	}
}

/* adrp, and a load of x17, to which it goes then. */
uint64_t scan_stub_a64(const unsigned char *code, size_t left, uint64_t address)
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
