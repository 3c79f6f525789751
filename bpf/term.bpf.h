/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * The memory that a term reaches, kept at the event: the heap that it is on moves or is gone soon.
 *
 * The walk goes through words in the order in which they are printed, so that what the bounds cut is
 * the end of the text. A stack of spans says which words are still to be looked at. Pointers may be
 * wild and structures cyclic; the bounds of term.h end the walk, whatever it finds.
 *
 * Functions are global, so that the verifier looks at each once and not at every step of the loop
 * (kernels from 5.13 on take a pointer to a struct as their argument). There may be eight calls inside each other, of
 * which a D program that runs at returns takes three (bpf/d.bpf.c) and what is called here five.
 */
#ifndef ERLBPF_BPF_TERM_BPF_H
#define ERLBPF_BPF_TERM_BPF_H

#include "erl.bpf.h"
#include "term.h"

#define TERM_SPAN_SHIFT 16 /* addresses of processes have 48 bits on aarch64, 47 on x86-64 */
#define TERM_SPAN_WORDS 0x7ffff
#define TERM_NO_LINE TERM_LINES

/*
 * Where a record is made that ends in a snapshot: the ring buffer gives out constant sizes only, and
 * most snapshots are small. A few for each CPU, since programs of uprobes are preempted by each other
 * from Linux 6.12 on.
 */
#define TERM_PLACES 4
#define TERM_HEAD 384 /* largest part of a record in front of the snapshot */

struct term_place {
	u64 users;
	u8 head[TERM_HEAD];
	struct term_snapshot snapshot;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, TERM_PLACES);
	__type(key, u32);
	__type(value, struct term_place);
} term_places SEC(".maps");

static __always_inline void term_place_put(struct term_place *place)
{
	__sync_fetch_and_add(&place->users, -1);
}

/* A free place, NULL if there is none. The caller gives it back. */
static __always_inline struct term_place *term_place_get(void)
{
	for (u32 i = 0; i < TERM_PLACES; i++) {
		u32 key = i;
		struct term_place *place = bpf_map_lookup_elem(&term_places, &key);

		if (!place)
			return NULL;
		/* Who sees itself alone is alone: whoever comes later sees two. Additions that return the
		 * old value would do in one step, but not every architecture's BPF has them. */
		__sync_fetch_and_add(&place->users, 1);
		if (*(volatile u64 *)&place->users == 1)
			return place;
		term_place_put(place);
	}
	return NULL;
}

/* Where the part of the record begins that is in front of the snapshot: a struct of the tool. */
#define term_place_head(place, type)                                                                                   \
	({                                                                                                             \
		_Static_assert(sizeof(type) <= TERM_HEAD, "larger than its place");                                    \
		(type *)((place)->head + TERM_HEAD - sizeof(type));                                                    \
	})

/* The number of the line at `base`, which is read now if it is not yet there. */
__noinline u32 term_line(struct term_snapshot *s, u64 base)
{
	u32 n, slot = (base / TERM_LINE ^ base / TERM_LINE / TERM_SLOTS) & (TERM_SLOTS - 1);
	struct term_line *line;

	if (!s)
		return TERM_NO_LINE;
	n = s->slots[slot];
	if (n >= s->first && n < s->count && (s->lines[n & (TERM_LINES - 1)].address & ~TERM_LINE_FAULT) == base)
		return n;
	n = s->count;
	if (n >= s->limit || n >= TERM_LINES) {
		s->flags |= TERM_CUT;
		return TERM_NO_LINE;
	}
	line = &s->lines[n & (TERM_LINES - 1)];
	line->address = base;
	if (bpf_probe_read_user(line->words, TERM_LINE, (const void *)base)) {
		line->address |= TERM_LINE_FAULT;
		s->flags |= TERM_FAULT;
	}
	s->slots[slot] = n;
	s->count = n + 1;
	return n;
}

/* A word of the process's memory; 0, which is no term and points nowhere, if it cannot be had. */
__noinline u64 term_word(struct term_snapshot *s, u64 address)
{
	u32 n = term_line(s, address & ~(u64)(TERM_LINE - 1));

	if (!s || n >= TERM_LINES)
		return 0;
	return s->lines[n & (TERM_LINES - 1)].words[address / 8 & (TERM_LINE_WORDS - 1)];
}

/* Keep the lines of so many bytes, or of the first TERM_BYTES. */
__noinline int term_keep(struct term_snapshot *s, u64 address, u64 size)
{
	u64 base = address & ~(u64)(TERM_LINE - 1);

	if (!s)
		return 0;
	if (size > TERM_BYTES) {
		s->flags |= TERM_CUT;
		size = TERM_BYTES;
	}
	for (int i = 0; i < TERM_BYTES / TERM_LINE + 1; i++) {
		if (base >= address + size || term_line(s, base) >= TERM_LINES)
			break;
		base += TERM_LINE;
	}
	return 0;
}

/* So many words from `address` on are terms, to be looked at next. */
__noinline int term_push(struct term_snapshot *s, u64 address, u64 words)
{
	if (!s || !words)
		return 0;
	/* Not of a process: a span has no room for it, and the read that fails is to be seen. */
	if (address >> (64 - TERM_SPAN_SHIFT)) {
		term_line(s, address & ~(u64)(TERM_LINE - 1));
		return 0;
	}
	if (s->depth >= TERM_DEPTH) {
		s->flags |= TERM_CUT;
		return 0;
	}
	if (words > TERM_SPAN_WORDS)
		words = TERM_SPAN_WORDS;
	s->spans[s->depth & (TERM_DEPTH - 1)] = address << TERM_SPAN_SHIFT | words;
	s->depth++;
	return 0;
}

static __always_inline int term_map(struct term_snapshot *s, u64 at, u64 header)
{
	u64 size, kind = TERM_MAP_KIND(header);

	if (kind == TERM_MAP_FLAT) {
		size = term_word(s, at + TERM_MAP_SIZE);
		term_push(s, at + TERM_MAP_VALUES, size);
		at = TERM_ADDRESS(term_word(s, at + TERM_MAP_KEYS));
		term_word(s, at);
		term_push(s, at + 8, size);
		return 0;
	}
	size = kind == TERM_MAP_HEAD_ARRAY ? 16 : __builtin_popcountll(TERM_MAP_BITS(header));
	term_push(s, at + (kind == TERM_MAP_NODE ? 8 : 16), size);
	return 0;
}

static __always_inline void term_25_binary(struct term_snapshot *s, u64 at, u64 subtag)
{
	u64 data, original, size = term_word(s, at + TERM_BINARY_SIZE);

	if (subtag == TERM_25_HEAP_BINARY) {
		term_keep(s, at + TERM_HEAP_DATA, size);
	} else if (subtag == TERM_25_REFC_BINARY) {
		term_keep(s, term_word(s, at + TERM_25_REFC_DATA), size);
	} else {
		original = TERM_ADDRESS(term_word(s, at + TERM_25_SUB_ORIGINAL));
		term_word(s, at + TERM_25_SUB_BITS);
		data = TERM_HEADER_SUBTAG(term_word(s, original)) == TERM_25_REFC_BINARY
			       ? term_word(s, original + TERM_25_REFC_DATA)
			       : original + TERM_HEAP_DATA;
		/* Two bytes more: what is left of the first and of the last. */
		term_keep(s, data + term_word(s, at + TERM_25_SUB_OFFSET), size + 2);
	}
}

static __always_inline void term_27_binary(struct term_snapshot *s, u64 at, u64 subtag)
{
	u64 data, start, end;

	if (subtag == TERM_27_HEAP_BITS) {
		term_keep(s, at + TERM_HEAP_DATA, term_word(s, at + TERM_BINARY_SIZE) / 8 + 1);
		return;
	}
	data = term_word(s, at + TERM_27_SUB_BASE);
	start = term_word(s, at + TERM_27_SUB_START);
	end = term_word(s, at + TERM_27_SUB_END);
	if (data & TERM_27_SUB_MOVES) {
		data = TERM_ADDRESS(term_word(s, at + TERM_27_SUB_ORIGINAL));
		data = term_word(s, data + TERM_27_REF_VALUE) + TERM_27_VALUE_DATA;
	}
	term_keep(s, (data & ~3ULL) + start / 8, end / 8 - start / 8 + 1);
}

static __always_inline int term_binary(struct term_snapshot *s, u64 at, u64 subtag)
{
	if (erl_config.otp == 25)
		term_25_binary(s, at, subtag);
	if (erl_config.otp >= 27)
		term_27_binary(s, at, subtag);
	return 0;
}

static __always_inline void term_ref(struct term_snapshot *s, u64 at, u64 header)
{
	u64 first = term_word(s, at + TERM_REF_MARKER);

	term_keep(s, at, (TERM_HEADER_ARITY(header) + 1) * 8);
	if ((u32)first != ~0u)
		term_keep(s, first + TERM_MAGIC_NUMBERS(erl_config.otp), 12);
}

static __always_inline void term_external(struct term_snapshot *s, u64 at, u64 header)
{
	u64 node = term_word(s, at + TERM_EXTERNAL_NODE);

	term_keep(s, at, (TERM_HEADER_ARITY(header) + 1) * 8);
	term_word(s, node + TERM_NODE_NAME);
	term_word(s, node + TERM_NODE_DIST);
}

static __always_inline void term_fun(struct term_snapshot *s, u64 at)
{
	u64 entry = term_word(s, at + TERM_FUN_ENTRY);

	if (erl_config.otp == 25)
		term_word(s, at + TERM_25_FUN_CREATOR);
	term_keep(s, entry + TERM_ENTRY, TERM_ENTRY_BYTES);
}

/* The names of its fields are atoms. */
static __always_inline int term_record(struct term_snapshot *s, u64 at, u64 header)
{
	u64 fields = TERM_RECORD_FIELDS(header), definition = TERM_ADDRESS(term_word(s, at + TERM_RECORD_DEFINITION));

	term_keep(s, definition, TERM_DEFINITION_KEYS + fields * 8);
	term_keep(s, TERM_ADDRESS(term_word(s, definition + TERM_DEFINITION_ORDER)), (fields + 1) * 8);
	return term_push(s, at + TERM_RECORD_VALUES, fields);
}

__noinline int term_boxed(struct term_snapshot *s, u64 at)
{
	u64 header = term_word(s, at), subtag = TERM_HEADER_SUBTAG(header);

	/* A header is what a pointer leads to, unless it is wild. */
	if (!s || TERM_TAG(header) != TERM_TAG_HEADER)
		return 0;
	if (subtag == TERM_TUPLE)
		term_push(s, at + 8, TERM_HEADER_ARITY(header));
	else if (subtag == TERM_FLOAT)
		term_word(s, at + 8);
	else if (subtag == TERM_BIG || subtag == TERM_NEGATIVE_BIG)
		term_keep(s, at, (TERM_HEADER_ARITY(header) + 1) * 8);
	else if (subtag == TERM_REF)
		term_ref(s, at, header);
	else if (subtag == TERM_FUN)
		term_fun(s, at);
	else if (subtag == (erl_config.otp == 25 ? TERM_25_MAP : TERM_27_MAP))
		term_map(s, at, header);
	else if (subtag >= TERM_EXTERNAL_PID && subtag <= TERM_EXTERNAL_REF)
		term_external(s, at, header);
	else if (subtag == TERM_29_RECORD && erl_config.otp == 29)
		term_record(s, at, header);
	else
		term_binary(s, at, subtag);
	return 0;
}

static __always_inline void term_look_at(struct term_snapshot *s, u64 word)
{
	if (TERM_TAG(word) == TERM_TAG_LIST)
		term_push(s, TERM_ADDRESS(word), 2);
	else if (TERM_TAG(word) == TERM_TAG_BOXED && TERM_KNOWS_RELEASE(erl_config.otp))
		term_boxed(s, TERM_ADDRESS(word));
}

/* Looks at the next word. 0: there is none left. */
__noinline int term_step(struct term_snapshot *s)
{
	u64 span, address;
	u32 top;

	if (!s || !s->depth)
		return 0;
	top = s->depth - 1;
	span = s->spans[top & (TERM_DEPTH - 1)];
	address = TERM_ADDRESS(span >> TERM_SPAN_SHIFT);
	/* A list's tail is the last of its span, so the stack does not grow along a list. */
	if ((span & TERM_SPAN_WORDS) <= 1)
		s->depth = top;
	else
		s->spans[top & (TERM_DEPTH - 1)] = span - 1 + (8ULL << TERM_SPAN_SHIFT);
	term_look_at(s, term_word(s, address));
	return s->count < s->limit || !(s->flags & TERM_CUT);
}

static __always_inline void term_walk(struct term_snapshot *s, u64 term)
{
	s->depth = 0;
	term_look_at(s, term);
	for (int i = 0; i < TERM_STEPS; i++) {
		if (!term_step(s))
			break;
	}
	if (s->depth)
		s->flags |= TERM_CUT;
}

/* An empty snapshot of at most `limit` lines. */
static __always_inline void term_begin(struct term_snapshot *s, u32 limit)
{
	s->term = 0;
	s->count = 0;
	s->flags = 0;
	s->first = 0;
	s->limit = limit;
}

/* The snapshot of a term of the process that runs. Programs call this, once per snapshot. */
static __always_inline void term_take(struct term_snapshot *s, u64 term)
{
	term_begin(s, TERM_LINES);
	s->term = term;
	term_walk(s, term);
}

/* One term more in the same snapshot. */
__noinline int term_add(struct term_snapshot *s, u64 term)
{
	if (s)
		term_walk(s, term);
	return 0;
}

/* Keeps what was read so far; from now on memory is read again, into the remaining lines. */
static __always_inline void term_resume(struct term_snapshot *s)
{
	s->first = s->count;
	s->limit = TERM_LINES;
}

#endif
