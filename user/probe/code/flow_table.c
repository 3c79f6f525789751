// SPDX-License-Identifier: BSD-2-Clause
/*
 * Code of gcc and clang for a `switch` in position-independent code, with other instructions in between:
 *
 *	cmp $LAST, %index; ja default
 *	lea TABLE(%rip), %base
 *	mov %index, %number			or movzx, or nothing
 *	movslq (%base, %number, 4), %distance
 *	add %base, %distance			or with swapped operands
 *	jmp *%distance
 *
 * It is read backwards from the jump: the last instruction that wrote a register gives its value.
 */
#include "probe/code/flow_table.h"

#define MOST_CASES 1024

struct reading {
	const struct flow_code *code;
	const struct flow_run *run;
};

static bool read_at(const struct reading *r, size_t i, struct x86 *x)
{
	size_t at = r->run->at[i];

	return x86_read(x, r->code->bytes + at, r->code->size - at);
}

/* The last instruction before the i-th that writes the register. False: not among the remembered ones. */
static bool find_writer(const struct reading *r, size_t i, unsigned char place, size_t *writer, struct x86 *x)
{
	while (i-- > 0) {
		if (!read_at(r, i, x))
			return false;
		if (x86_writes(x, place)) {
			*writer = i;
			return true;
		}
	}
	return false;
}

static unsigned char register_of(const struct x86 *x, int operand, unsigned int bits)
{
	const ZydisDecodedOperand *op = &x->operands[operand];

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || (bits && op->size != bits))
		return X86_NOWHERE;
	return x86_place(op->reg.value);
}

/* The jump goes to the sum of two registers; finds them. */
static bool find_sum(const struct reading *r, size_t *add, unsigned char addends[2])
{
	size_t last = r->run->count - 1;
	unsigned char to;
	struct x86 x;

	if (!read_at(r, last, &x))
		return false;
	to = register_of(&x, 0, 64);
	if (to == X86_NOWHERE || !find_writer(r, last, to, add, &x) || x.info.mnemonic != ZYDIS_MNEMONIC_ADD)
		return false;
	addends[0] = register_of(&x, 0, 64);
	addends[1] = register_of(&x, 1, 64);
	return addends[0] != X86_NOWHERE && addends[1] != X86_NOWHERE;
}

/* Is it movslq (%base, %number, 4)? */
static bool is_load(const struct x86 *x, unsigned char base, unsigned char *number)
{
	const ZydisDecodedOperand *from = &x->operands[1];

	if (x->info.mnemonic != ZYDIS_MNEMONIC_MOVSXD || from->type != ZYDIS_OPERAND_TYPE_MEMORY || from->size != 32)
		return false;
	*number = x86_place(from->mem.index);
	return x86_place(from->mem.base) == base && *number != X86_NOWHERE && from->mem.scale == 4 &&
	       !from->mem.disp.value;
}

/* The value of the register before the i-th instruction: a constant address. */
static bool find_address(const struct reading *r, size_t i, unsigned char place, uint64_t *address)
{
	const ZydisDecodedOperand *from;
	size_t writer;
	struct x86 x;

	if (!find_writer(r, i, place, &writer, &x) || x.info.mnemonic != ZYDIS_MNEMONIC_LEA)
		return false;
	from = &x.operands[1];
	if (from->mem.base != ZYDIS_REGISTER_RIP || from->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	*address = r->code->address + r->run->at[writer] + x.info.length + (uint64_t)from->mem.disp.value;
	return true;
}

/* Is it the branch for an index that is too large? The comparison is the instruction before it. */
static bool is_bound(const struct reading *r, size_t i, unsigned char place, size_t *count)
{
	struct x86 x;

	if (!i || !read_at(r, i, &x) || x.info.mnemonic != ZYDIS_MNEMONIC_JNBE)
		return false;
	if (!read_at(r, i - 1, &x) || x.info.mnemonic != ZYDIS_MNEMONIC_CMP || register_of(&x, 0, 0) != place ||
	    x.operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || x.operands[1].imm.value.u >= MOST_CASES)
		return false;
	*count = x.operands[1].imm.value.u + 1;
	return true;
}

/* Between the comparison and the i-th instruction, the index may be copied once, but not modified. */
static bool find_bound(const struct reading *r, size_t i, unsigned char place, struct flow_dispatch *dispatch)
{
	bool is_copied = false;
	struct x86 x;

	while (i-- > 0) {
		if (is_bound(r, i, place, &dispatch->count)) {
			dispatch->begin = r->run->at[i - 1];
			return true;
		}
		if (!read_at(r, i, &x))
			return false;
		if (!x86_writes(&x, place))
			continue;
		if (is_copied || (x.info.mnemonic != ZYDIS_MNEMONIC_MOV && x.info.mnemonic != ZYDIS_MNEMONIC_MOVZX))
			return false;
		place = register_of(&x, 1, 0);
		if (place == X86_NOWHERE)
			return false;
		is_copied = true;
	}
	return false;
}

bool flow_table_find(const struct flow_code *code, const struct flow_run *run, struct flow_dispatch *dispatch)
{
	struct reading r = { code, run };
	unsigned char addends[2], number;
	size_t add, load;
	struct x86 x;

	if (run->count < 2 || !find_sum(&r, &add, addends))
		return false;
	for (int i = 0; i < 2; i++) {
		uint64_t again;

		if (!find_writer(&r, add, addends[i], &load, &x) || !is_load(&x, addends[!i], &number))
			continue;
		/* The same base must be used for the load and the addition. */
		return find_address(&r, load, addends[!i], &dispatch->table) &&
		       find_address(&r, add, addends[!i], &again) && again == dispatch->table &&
		       find_bound(&r, load, number, dispatch);
	}
	return false;
}
