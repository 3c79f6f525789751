/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Is a text, or an atom of the VM, one that a pattern means? */
#ifndef ERLBPF_BPF_PATTERN_BPF_H
#define ERLBPF_BPF_PATTERN_BPF_H

#include "name.bpf.h"
#include "pattern.h"
#include "term.h"

static __always_inline bool pattern_matches(const volatile struct pattern *pattern, const char *text)
{
	u32 size = pattern->size;

	for (u32 i = 0; i < PATTERN_NAME - 1; i++) {
		if (i >= size)
			return pattern->is_prefix || !text[i];
		if (text[i] != pattern->text[i])
			return false;
	}
	return false;
}

/* Offsets in IndexTable and Atom (index.h, atom.h), equal in 25.2.3, 27.3.4.1 and 29.1.1. */
#define ATOM_SEGMENTS 120
#define ATOM_LENGTH 24
#define ATOM_BYTES 32

/* Where its bytes are. */
static __always_inline u64 atom_bytes(u64 text)
{
	u64 at = TERM_ADDRESS(text);

	if (!TERM_ATOM_IS_BINARY(erl_config.otp))
		return text;
	if (TERM_HEADER_SUBTAG(name_word(at)) == TERM_27_HEAP_BITS)
		return at + TERM_HEAP_DATA;
	return name_word(at + TERM_27_SUB_BASE) & ~3ULL;
}

/* The atom with that number. */
static __always_inline bool pattern_matches_atom(const volatile struct pattern *pattern, u64 number)
{
	u64 segment, atom, length;
	char text[PATTERN_NAME] = {};

	segment = name_word(name_word(erl_config.names.atom_table + ATOM_SEGMENTS) + (number >> 10) * 8);
	atom = name_word(segment + (number & 1023) * 8);
	length = erl_load(atom + ATOM_LENGTH, 2, false);
	if (length > PATTERN_NAME - 1)
		length = PATTERN_NAME - 1;
	bpf_probe_read_user(text, length & (PATTERN_NAME - 1), (const void *)atom_bytes(name_word(atom + ATOM_BYTES)));
	return pattern_matches(pattern, text);
}

#endif
