/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of bpf/term.bpf.h and user/term/: what the kernel keeps of an Erlang term.
 *
 * A term is a word; what it stands for lies where the word points to. A snapshot is the memory that the
 * term reaches, in lines as a processor's cache has them, until the lines are used up. They are short,
 * since garbage collection scatters lists. Nothing is formatted in the kernel: user/term/ reads the
 * snapshot as it reads the memory of a live process.
 */
#ifndef ERLBPF_BPF_TERM_H
#define ERLBPF_BPF_TERM_H

#include <linux/types.h>

#define TERM_LINE 32 /* bytes: two list cells; lines do not cross pages */
#define TERM_LINE_WORDS (TERM_LINE / 8)
#define TERM_LINES 64  /* of a snapshot: a power of two, 2 KiB in all */
#define TERM_DEPTH 32  /* of nesting that is followed; a power of two */
#define TERM_STEPS 320 /* words that are looked at */
#define TERM_BYTES 256 /* of one binary or bignum */
#define TERM_SLOTS 128 /* a power of two */

struct term_line {
	__u64 address; /* and TERM_LINE_FAULT, if it could not be read */
	__u64 words[TERM_LINE_WORDS];
};

#define TERM_LINE_FAULT 1ULL

#define TERM_CUT 1   /* there was more than fits: the bounds above */
#define TERM_FAULT 2 /* some of it could not be read */

/*
 * Whoever makes one sets nothing before term_take(); lines from `count` on hold whatever was there
 * before. What is sent is the first term_snapshot_size() bytes.
 */
struct term_snapshot {
	__u64 term;
	__u32 count; /* lines that are used */
	__u32 flags; /* TERM_CUT, TERM_FAULT */
	struct term_line lines[TERM_LINES];

	/* The walk's own. */
	__u32 depth;
	__u32 first; /* line that was read by this walk and not by one before */
	__u32 limit; /* lines that it may use */
	__u32 pad;
	__u64 spans[TERM_DEPTH]; /* address << 17 | words that are left there */
	__u8 slots[TERM_SLOTS];	 /* line of an address, by a hash of it; a hint */
};

#define TERM_SNAPSHOT_HEAD 16 /* what is in front of the lines */

static inline __u32 term_snapshot_size(const struct term_snapshot *s)
{
	__u32 count = s->count;

	return TERM_SNAPSHOT_HEAD + (count < TERM_LINES ? count : TERM_LINES) * sizeof(struct term_line);
}

/*
 * Layouts that both sides need: erl_term.h, erl_map.h, erl_bits.h, erl_binary.h, global.h and erl_fun.h of
 * OTP 25.2.3, 27.3.4.1 and 29.1.1 on 64-bit machines, structures by `ptype /o`. OTP 27 has other binaries, OTP 29
 * other funs, records, and binaries as the texts of atoms.
 */
enum term_subtag {
	TERM_TUPLE = 0x0,
	TERM_BIG = 0x2,
	TERM_NEGATIVE_BIG = 0x3,
	TERM_REF = 0x4,
	TERM_FUN = 0x5,
	TERM_FLOAT = 0x6,
	TERM_EXTERNAL_PID = 0xc,
	TERM_EXTERNAL_PORT = 0xd,
	TERM_EXTERNAL_REF = 0xe,

	TERM_25_REFC_BINARY = 0x8,
	TERM_25_HEAP_BINARY = 0x9,
	TERM_25_SUB_BINARY = 0xa,
	TERM_25_MAP = 0xf,

	TERM_27_HEAP_BITS = 0x8,
	TERM_27_SUB_BITS = 0x9,
	TERM_27_BINARY_REFERENCE = 0xa,
	TERM_27_MAP = 0xb,

	TERM_29_RECORD = 0x7,
};

#define TERM_KNOWS_RELEASE(otp) ((otp) == 25 || (otp) == 27 || (otp) == 29)
#define TERM_ATOM_IS_BINARY(otp) ((otp) >= 28) /* the text of an atom, which was an address before */

#define TERM_TAG(word) ((word)&3) /* of a word */
#define TERM_TAG_HEADER 0
#define TERM_TAG_LIST 1
#define TERM_TAG_BOXED 2
#define TERM_ADDRESS(word) ((word) & ~7ULL)

#define TERM_IS_ATOM(word) (((word)&0x3f) == 0x0b)
#define TERM_ATOM_INDEX(word) ((__u32)((word) >> 6))

#define TERM_HEADER_SUBTAG(header) ((header) >> 2 & 0xf)
#define TERM_HEADER_ARITY(header) ((header) >> 6)

/* Maps: a flat one has size, tuple of keys, values; others are a tree of nodes with pairs as leaves. */
#define TERM_MAP_KIND(header) ((header) >> 6 & 3)
#define TERM_MAP_FLAT 0
#define TERM_MAP_NODE 1 /* the others are heads and have their size in front */
#define TERM_MAP_HEAD_ARRAY 2
#define TERM_MAP_HEAD 3
#define TERM_MAP_BITS(header) ((header) >> 16 & 0xffff)
#define TERM_MAP_SIZE 8
#define TERM_MAP_KEYS 16
#define TERM_MAP_VALUES 24

#define TERM_BINARY_SIZE 8 /* of all but sub binaries: in bytes in OTP 25, in bits in OTP 27 */
#define TERM_HEAP_DATA 16
#define TERM_25_REFC_DATA 32 /* address of the bytes */
#define TERM_25_SUB_OFFSET 16
#define TERM_25_SUB_BITS 24 /* bytes: bits of the last byte, bits to skip in the first */
#define TERM_25_SUB_ORIGINAL 32
#define TERM_27_SUB_BASE 8   /* and two flags */
#define TERM_27_SUB_MOVES 2  /* flag: the base is where the bytes were, not where they are */
#define TERM_27_SUB_START 16 /* in bits */
#define TERM_27_SUB_END 24
#define TERM_27_SUB_ORIGINAL 32
#define TERM_27_REF_VALUE 8   /* of a BinRef: the Binary */
#define TERM_27_VALUE_DATA 32 /* of a Binary */

#define TERM_REF_MARKER 8 /* 32 bits, all ones: the numbers follow; else magic */
#define TERM_REF_NUMBERS 12
#define TERM_REF_MAGIC 8 /* address of a magic binary, which has the numbers */
#define TERM_MAGIC_NUMBERS(otp) ((otp) == 25 ? 32 : 40)

#define TERM_FUN_ENTRY 8       /* address of what is called: an ErlFunEntry or an Export */
#define TERM_25_FUN_NUMBERS 24 /* bytes: its arity, how many terms are bound */
#define TERM_25_FUN_CREATOR 32 /* an atom if it is an Export */
#define TERM_25_FUN_BOUND 40   /* the terms themselves */
#define TERM_27_FUN_BOUND 16
/* Bits 16 to 23 have how many terms are bound; OTP 27 counts one more for a local fun. */
#define TERM_27_FUN_IS_EXPORT(header, otp) ((otp) == 27 ? !((header) >> 16) : (header) >> 24 != 0)
#define TERM_ENTRY 24	    /* what is of interest there, from here on, ... */
#define TERM_ENTRY_BYTES 64 /* ... and so long */
/* Both begin with addresses of code, ERTS_ADDRESSV_SIZE: one more under the JIT. Behind them: */
#define TERM_ADDRESSES(is_jit) ((is_jit) ? 32 : 24)
#define TERM_ENTRY_MODULE(otp) ((otp) == 29 ? 8 : 0)
#define TERM_ENTRY_OLD_UNIQ(otp) ((otp) == 29 ? 40 : 36)
#define TERM_ENTRY_OLD_INDEX(otp) (TERM_ENTRY_OLD_UNIQ(otp) + 4)
#define TERM_EXPORT_MFA(otp) ((otp) == 25 ? 24 : 32)

/* A record has its definition, a hidden tuple, and its values, in the order of the definition's keys. */
#define TERM_RECORD_DEFINITION 8
#define TERM_RECORD_VALUES 16
#define TERM_RECORD_FIELDS(header) (TERM_HEADER_ARITY(header) ? TERM_HEADER_ARITY(header) - 1 : 0)
#define TERM_DEFINITION_ORDER 8 /* a tuple: which of the keys is the first field, ... */
#define TERM_DEFINITION_MODULE 24
#define TERM_DEFINITION_NAME 32
#define TERM_DEFINITION_KEYS 48

#define TERM_EXTERNAL_NODE 8 /* address of an ErlNode */
#define TERM_EXTERNAL_DATA 24
#define TERM_NODE_NAME 24
#define TERM_NODE_DIST 40 /* address of its DistEntry */

#endif
