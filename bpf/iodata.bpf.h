/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * A text that Erlang code gives as a term: a binary, or a flat list of bytes. It is read at the probe, so that code
 * which fires one has no bytes to copy (probes/app/src/erlbpf.erl).
 */
#ifndef ERLBPF_BPF_IODATA_BPF_H
#define ERLBPF_BPF_IODATA_BPF_H

#include "erl.bpf.h"
#include "term.h"

#define IODATA_LIST 64	 /* bytes of a list that are read; the package makes a binary of a longer one */
#define IODATA_NONE (-1) /* the term is no text, as [] */
#define IODATA_BAD (-14) /* it cannot be read, or a binary begins in the middle of a byte */

/* Where the bytes are: of a binary, in the process; of a list, here. */
struct iodata {
	u64 address; /* 0: in `bytes` */
	u64 size;
	u8 bytes[IODATA_LIST + 8]; /* with a NUL behind them */
};

static __always_inline u64 iodata_word(u64 address)
{
	return erl_load(address, 8, false);
}

static __always_inline void iodata_25(struct iodata *text, u64 at, u64 subtag)
{
	u64 offset = 0;

	text->size = iodata_word(at + TERM_BINARY_SIZE);
	if (subtag == TERM_25_SUB_BINARY) {
		if (iodata_word(at + TERM_25_SUB_BITS) >> 8 & 0xff)
			return;
		offset = iodata_word(at + TERM_25_SUB_OFFSET);
		at = TERM_ADDRESS(iodata_word(at + TERM_25_SUB_ORIGINAL));
		subtag = TERM_HEADER_SUBTAG(iodata_word(at));
	}
	if (subtag == TERM_25_HEAP_BINARY)
		text->address = at + TERM_HEAP_DATA + offset;
	if (subtag == TERM_25_REFC_BINARY)
		text->address = iodata_word(at + TERM_25_REFC_DATA) + offset;
}

static __always_inline void iodata_27(struct iodata *text, u64 at, u64 subtag)
{
	u64 start, base;

	if (subtag == TERM_27_HEAP_BITS) {
		text->size = iodata_word(at + TERM_BINARY_SIZE) / 8;
		text->address = at + TERM_HEAP_DATA;
	}
	if (subtag != TERM_27_SUB_BITS)
		return;
	start = iodata_word(at + TERM_27_SUB_START);
	base = iodata_word(at + TERM_27_SUB_BASE);
	if (start & 7)
		return;
	if (base & TERM_27_SUB_MOVES) {
		base = TERM_ADDRESS(iodata_word(at + TERM_27_SUB_ORIGINAL));
		base = iodata_word(base + TERM_27_REF_VALUE) + TERM_27_VALUE_DATA;
	}
	text->size = (iodata_word(at + TERM_27_SUB_END) - start) / 8;
	text->address = (base & ~3ULL) + start / 8;
}

static __always_inline int iodata_of_binary(struct iodata *text, u64 at)
{
	u64 header = iodata_word(at), subtag = TERM_HEADER_SUBTAG(header);

	if (TERM_TAG(header) == TERM_TAG_HEADER && erl_config.otp == 25)
		iodata_25(text, at, subtag);
	if (TERM_TAG(header) == TERM_TAG_HEADER && erl_config.otp >= 27)
		iodata_27(text, at, subtag);
	return text->address ? 0 : IODATA_BAD;
}

static __always_inline int iodata_of_list(struct iodata *text, u64 list)
{
	u64 cell[2];
	u32 i;

	for (i = 0; i < IODATA_LIST && TERM_TAG(list) == TERM_TAG_LIST; i++) {
		if (bpf_probe_read_user(cell, sizeof(cell), (const void *)TERM_ADDRESS(list)))
			return IODATA_BAD;
		text->bytes[i] = cell[0] >> 4;
		list = cell[1];
	}
	text->size = i;
	return 0;
}

/* 0, IODATA_NONE or IODATA_BAD. A global function, so that the verifier looks at its loop once. */
__noinline int iodata_find(struct iodata *text, u64 term)
{
	if (!text)
		return IODATA_NONE;
	text->address = 0;
	text->size = 0;
	if (TERM_TAG(term) == TERM_TAG_LIST)
		return iodata_of_list(text, term);
	return TERM_TAG(term) == TERM_TAG_BOXED ? iodata_of_binary(text, TERM_ADDRESS(term)) : IODATA_NONE;
}

/*
 * Up to the first NUL: how many bytes are then at `to`, with a NUL at their end, `room` at most. 0: there is no text;
 * negative: it cannot be read. A function of its own, because its caller may need the stack.
 */
static __noinline long iodata_copy(void *to, u32 room, u64 term)
{
	struct iodata text = {};
	int err = iodata_find(&text, term);
	u64 size = text.size + 1;

	if (err)
		return err == IODATA_NONE ? 0 : err;
	asm volatile("" : "+r"(size)); /* or the bound is set for another register */
	if (size > room)
		size = room;
	if (text.address && text.size)
		return bpf_probe_read_user_str(to, size, (const void *)text.address);
	return bpf_probe_read_kernel_str(to, size, text.bytes);
}

/* The same for an argument: the address of a text, or such a term. */
static __always_inline long iodata_copy_arg(void *to, const u32 room, u64 value, const u32 form)
{
	if (form == ERL_FORM_IODATA)
		return iodata_copy(to, room, value);
	return value ? bpf_probe_read_user_str(to, room, (const void *)value) : 0;
}

#endif
