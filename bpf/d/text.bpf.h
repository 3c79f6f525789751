/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Texts made in the kernel. On a VM without probes, an argument that is the address of a text in DTrace is a term, an
 * MFA or an address. It becomes the text that the VM would make, by erts_printf_term() and dtrace_fun_decode() of OTP
 * 25.2.3 and 27.3.4.1. "..." replaces parts of a term beyond the limits below. A text is made in the work memory; word
 * D_TEXT_AT is its length so far.
 */
#ifndef ERLBPF_BPF_D_TEXT_BPF_H
#define ERLBPF_BPF_D_TEXT_BPF_H

#include "d/frame.bpf.h"
#include "iodata.bpf.h"
#include "term.h"

#define D_TEXT_AT (D_WORK_WORDS - 1)
#define D_TEXT_MOST 511 /* half of the room, so that an atom always fits after it */
#define D_TEXT_STEPS 10 /* words of a term that are printed */
#define D_ONES 0x0101010101010101ULL
#define D_SIGNS 0x8080808080808080ULL
#define D_ATOM_WORDS 16 /* words of an atom that are searched for characters that need quotes */

static __always_inline u64 *d_text_words(struct d_frame *f)
{
	return d_work(f)->words;
}

static __always_inline void d_text_begin(struct d_frame *f)
{
	*(volatile u64 *)&d_text_words(f)[D_TEXT_AT] = 0;
}

/* Appends a character; 0: none. */
static __always_inline void d_put_if(struct d_frame *f, u64 c, u64 is_wanted)
{
	volatile u64 *at = &d_text_words(f)[D_TEXT_AT];
	u64 place = *at;

	d_work(f)->text[place & D_TEXT_MOST] = c;
	*at = place + (is_wanted & d_is_less(place, D_TEXT_MOST));
}

static __always_inline void d_put(struct d_frame *f, u64 c)
{
	d_put_if(f, c, 1);
}

/* Appends the first `size` of up to eight characters. */
static __always_inline void d_put_some(struct d_frame *f, u64 characters, u64 size)
{
	volatile u64 *at = &d_text_words(f)[D_TEXT_AT];
	u64 place = *at;

	*(volatile u64 *)&d_work(f)->text[place & D_TEXT_MOST] = characters;
	*at = place + (size & -d_is_less(place, D_TEXT_MOST - 8));
}

/* Appends a literal of up to eight characters. */
#define d_put_literal(f, literal, is_wanted)                                                                           \
	d_put_some(f, *(const u64 *)(const char[8]){ literal }, (sizeof(literal) - 1) & -(u64)(is_wanted))

#define D_TOP_3 100ULL /* ten to the power of the number of digits, less one */
#define D_TOP_5 10000ULL
#define D_TOP_10 1000000000ULL
#define D_TOP_20 10000000000000000000ULL

#define D_DIGITS_MOST 20

/* The number being printed, in the work memory after the state of terms. */
struct d_digits {
	u64 value, top, started;
};

#define D_TEXT_DIGITS 24

static __always_inline volatile struct d_digits *d_digits(struct d_frame *f)
{
	return (volatile struct d_digits *)(d_text_words(f) + D_TEXT_DIGITS);
}

/* Appends the next digit. 1: it was the last one. */
static __always_inline u64 d_put_decimal(struct d_frame *f)
{
	volatile struct d_digits *number = d_digits(f);
	u64 value = number->value, top = number->top, digit = value / top, started = number->started;

	number->value = value - digit * top;
	top /= 10;
	number->top = top;
	started |= d_differs(digit, 0) | (d_differs(top, 0) ^ 1);
	number->started = started;
	d_put_if(f, '0' + digit, started);
	return d_differs(top, 0) ^ 1;
}

/* Appends a number below ten times `top`, without leading zeros. */
D_INSIDE d_put_number_if_in(struct d_frame *f, u64 value, u64 top, u64 is_wanted)
{
	volatile struct d_digits *number = d_digits(f);

	if (!is_wanted)
		return 0;
	/* Most numbers are small, and a digit costs two divisions. */
	if (value < 10 * D_TOP_3)
		top = D_TOP_3;
	else if (value < 10 * D_TOP_5)
		top = D_TOP_5;
	number->value = value;
	number->top = top;
	number->started = 0;
	/* Not d_repeat(): its callee would be the ninth nested call at ends of Erlang functions. */
	for (u32 i = 0; i < D_DIGITS_MOST; i++) {
		d_keep(i);
		if (d_put_decimal(f))
			break;
	}
	return 0;
}
D_ONCE_3(d_put_number_if, D_VALUE, D_VALUE, D_VALUE)

static __always_inline void d_put_number(struct d_frame *f, u64 value, u64 top)
{
	d_put_number_if(f, value, top, 1);
}

static __always_inline void d_put_signed(struct d_frame *f, s64 value)
{
	d_put_if(f, '-', (u64)value >> 63);
	d_put_number(f, (value ^ value >> 63) - (value >> 63), D_TOP_20);
}

#define D_HEX_DIGITS 16

static long d_put_hex_digit(u32 i, struct d_loop *loop)
{
	volatile struct d_digits *number = d_digits(loop->f);
	u64 digit = number->value >> 60, started = number->started;

	number->value <<= 4;
	started |= d_differs(digit, 0) | (d_differs(i, D_HEX_DIGITS - 1) ^ 1);
	number->started = started;
	d_put_if(loop->f, digit + '0' + ((-d_is_less(9, digit)) & ('a' - '0' - 10)), started);
	return 0;
}

static __always_inline void d_put_hex(struct d_frame *f, u64 value)
{
	volatile struct d_digits *number = d_digits(f);
	struct d_loop loop = { .f = f };

	number->value = value;
	number->started = 0;
	d_put(f, '0');
	d_put(f, 'x');
	d_repeat(D_HEX_DIGITS, d_put_hex_digit, &loop);
}

/* Copies at most `most` bytes of the text to dst; returns their number with the NUL. */
static __always_inline u64 d_text_give(struct d_frame *f, u64 dst, u64 most)
{
	struct d_work *work = d_work(f);
	s64 size;

	work->text[*(volatile u64 *)&work->words[D_TEXT_AT] & D_TEXT_MOST] = 0;
	size = bpf_probe_read_kernel_str(d_at(f, dst), d_most(most, d_string_size) + 1, work->text);
	return size > 0 ? size : 0;
}

/* --- Atoms: see user/node/atoms/atoms.c for where they are ---------------------------------------------- */

/* The sign bits of bytes from 0 to 127 that are between `from` and `to`. */
static __always_inline u64 d_between(u64 bytes, u64 from, u64 to)
{
	return (bytes + (0x80 - from) * D_ONES) & ~(bytes + (0x7f - to) * D_ONES) & D_SIGNS;
}

static __always_inline volatile u64 *d_atom_bad(struct d_frame *f)
{
	return d_text_words(f) + D_TEXT_DIGITS;
}

static long d_atom_word(u32 i, struct d_loop *loop)
{
	u64 w = ((const volatile u64 *)d_work(loop->f)->table)[i & (D_ATOM_WORDS - 1)], low = w & ~D_SIGNS, good;

	/* Capital and small letters. */
	good = d_between(low | ' ' * D_ONES, 'a', 'z') | d_between(low, '0', '9') | d_between(low, '@', '@') |
	       d_between(low, '_', '_');
	/* Bytes after the end are zeros. */
	*d_atom_bad(loop->f) |= (w & D_SIGNS) | (~good & (low + 0x7f * D_ONES) & D_SIGNS);
	return 0;
}

/*
 * True if the text of `size` bytes in the table of the work memory needs quotes: it is not only letters, digits, @ and
 * _ after a small letter. Small letters outside ASCII need quotes, too.
 */
static __always_inline u64 d_atom_quotes(struct d_frame *f, u64 size)
{
	struct d_loop loop = { .f = f };
	u64 bad = ~d_between(((const volatile u64 *)d_work(f)->table)[0] & ~D_SIGNS, 'a', 'z') & 0x80;

	*d_atom_bad(f) = bad;
	d_repeat(d_has_loop ? d_most((size + 7) / 8, D_ATOM_WORDS) : D_ATOM_WORDS, d_atom_word, &loop);
	return d_differs(*d_atom_bad(f), 0) | (d_is_less(0, size) ^ 1);
}

/* 0 if it is unreadable. By way of the frame, because the stack is small. */
static __always_inline u64 d_user_word_at(struct d_frame *f, u64 address)
{
	bpf_probe_read_user(&f->spare[1], 8, (const void *)address);
	return *(volatile u64 *)&f->spare[1];
}

#define D_INDEX_PAGES 120 /* offset in IndexTable */
#define D_ATOM_LENGTH 24  /* offset in Atom */
#define D_ATOM_BYTES 32

/* The address of an atom's text. */
static __always_inline u64 d_atom_bytes(struct d_frame *f, u64 atom)
{
	u64 text = d_user_word_at(f, atom + D_ATOM_BYTES), at = TERM_ADDRESS(text);

	if (!TERM_ATOM_IS_BINARY(erl_config.otp))
		return text;
	if (TERM_HEADER_SUBTAG(d_user_word_at(f, at)) == TERM_27_HEAP_BITS)
		return at + TERM_HEAP_DATA;
	return d_user_word_at(f, at + TERM_27_SUB_BASE) & ~3ULL;
}

/* Appends the text of an atom, quoted if needed. */
static __always_inline u64 d_put_atom(struct d_frame *f, u64 term)
{
	volatile u64 *at = &d_text_words(f)[D_TEXT_AT];
	struct d_work *work = d_work(f);
	u64 page, atom, size, quotes, place;
	char *text = work->table;

	if (!erl_config.names.atom_table)
		goto unknown;
	page = d_user_word_at(f, erl_config.names.atom_table + D_INDEX_PAGES);
	atom = d_user_word_at(f, d_user_word_at(f, page + (term >> 16) * 8) + (term >> 6 & 1023) * 8);
	size = d_user_word_at(f, atom + D_ATOM_LENGTH) & 255;
	d_clear(text, D_ATOM_WORDS * 8);
	if (!atom || bpf_probe_read_user(text, size, (const void *)d_atom_bytes(f, atom)))
		goto unknown;
	quotes = d_atom_quotes(f, size);
	d_put_if(f, '\'', quotes);
	place = *at;
	bpf_probe_read_kernel(&work->text[place & D_TEXT_MOST], size, text);
	place += size;
	*at = place - ((place - D_TEXT_MOST) & -d_is_less(D_TEXT_MOST, place));
	d_put_if(f, '\'', quotes);
	return 0;
unknown:
	d_put(f, '?');
	return 0;
}

/* --- Terms ----------------------------------------------------------------------------------------- */

#define D_NODE_NAME 24 /* offset of an atom in ErlNode */
#define D_CHANNEL_MOST ((1u << 26) - 1)

/* Appends a pid of another node, <9089.88.0>, whose first number is that of the node's name; false: it is not one. */
static __always_inline bool d_put_remote_pid(struct d_frame *f, u64 term)
{
	u64 at = TERM_ADDRESS(term), node, data;

	if (TERM_TAG(term) != TERM_TAG_BOXED || TERM_HEADER_SUBTAG(d_user_word_at(f, at)) != TERM_EXTERNAL_PID)
		return false;
	node = d_user_word_at(f, d_user_word_at(f, at + TERM_EXTERNAL_NODE) + D_NODE_NAME);
	data = d_user_word_at(f, at + TERM_EXTERNAL_DATA);
	d_put(f, '<');
	d_put_number(f, TERM_ATOM_INDEX(node) & D_CHANNEL_MOST, D_TOP_10);
	d_put(f, '.');
	d_put_number(f, (u32)data, D_TOP_10);
	d_put(f, '.');
	d_put_number(f, data >> 32, D_TOP_10);
	d_put(f, '>');
	return true;
}

/* A local pid or a port: <0.91.0>, #Port<0.5>. Programs that only need these verify in a third of the time. */
D_INSIDE d_put_local_id_in(struct d_frame *f, u64 term)
{
	u64 id = d_opaque(f, erl_id_of_term(term)), is_port, is_pid, value;

	d_meet();
	if (!id) {
		d_put_literal(f, "...", 1);
		return 0;
	}
	is_port = d_differs(erl_id_kind(id), ERL_ID_PORT) ^ 1;
	is_pid = is_port ^ 1;
	d_put_literal(f, "#Port", is_port);
	d_put_literal(f, "<0.", 1);
	value = (erl_id_value(id) & -is_port) | (id & ((1ULL << ERL_ID_NUMBER_BITS) - 1) & -is_pid);
	d_put_number(f, value, D_TOP_20);
	d_put_if(f, '.', is_pid);
	d_put_number_if(f, erl_id_value(id) >> ERL_ID_NUMBER_BITS, D_TOP_10, is_pid);
	d_put(f, '>');
	return 0;
}
D_ONCE_1(d_put_local_id, D_VALUE)

/*
 * A term that is no list or tuple: an atom, or -7, <0.91.0>, #Port<0.5>, []. Common parts run once, with unwanted parts
 * masked, instead of a branch for each kind.
 */
D_GLOBAL d_put_immediate(struct d_frame *f, u64 term)
{
	u64 id, value, is_port, is_id, is_int, is_nil, is_other;

	if (!f)
		return 0;
	if (TERM_IS_ATOM(term))
		return d_put_atom(f, term);
	if (d_put_remote_pid(f, term))
		return 0;
	id = erl_id_of_term(term);
	d_meet();
	id = d_opaque(f, id);
	is_id = d_differs(id, 0);
	is_port = d_differs(erl_id_kind(id), ERL_ID_PORT) ^ 1;
	is_int = d_differs(term & 0xf, 0xf) ^ 1;
	is_nil = d_differs(term, 0x3b) ^ 1;
	is_other = (is_id | is_int | is_nil) ^ 1;
	d_put_literal(f, "[]", is_nil);
	d_put_literal(f, "...", is_other);
	d_put_literal(f, "#Port", is_port);
	d_put_literal(f, "<0.", is_id);
	d_put_if(f, '-', is_int & term >> 63);
	value = ((s64)term >> 4 ^ (s64)term >> 63) - ((s64)term >> 63);
	value = (value & -is_int) | (erl_id_value(id) & -is_id & -is_port) |
		(id & ((1ULL << ERL_ID_NUMBER_BITS) - 1) & -is_id & (is_port - 1));
	d_put_number_if(f, value, D_TOP_20, is_int | is_id);
	is_id &= is_port ^ 1;
	d_put_if(f, '.', is_id);
	d_put_number_if(f, erl_id_value(id) >> ERL_ID_NUMBER_BITS, D_TOP_10, is_id);
	d_put_if(f, '>', is_id | is_port);
	return 0;
}

/*
 * The words still to be printed, as a stack: address, number of remaining words (D_LIST: a list, whose tail comes
 * next), and the closing bracket.
 */
#define D_SPANS 4
#define D_LIST (1ULL << 32)

struct d_span {
	u64 address;
	u64 left;
};

struct d_walk {
	u64 depth;
	u64 word;    /* the next word */
	u64 is_word; /* 0: a span continues or ends */
	struct d_span spans[D_SPANS];
};

static __always_inline struct d_walk *d_walk(struct d_frame *f)
{
	return (struct d_walk *)d_text_words(f);
}

static __always_inline void d_walk_push(struct d_walk *walk, u64 address, u64 left)
{
	volatile struct d_span *span = &walk->spans[*(volatile u64 *)&walk->depth & (D_SPANS - 1)];

	span->address = address;
	span->left = left;
	walk->depth++;
}

/* Starts a tuple or a list; false: the word is neither, or there is no room. */
static __always_inline bool d_walk_enter(struct d_frame *f, struct d_walk *walk, u64 word)
{
	u64 tag = TERM_TAG(word), header, arity;

	if (walk->depth >= D_SPANS)
		return false;
	if (tag == TERM_TAG_LIST) {
		d_put(f, '[');
		d_walk_push(walk, TERM_ADDRESS(word), D_LIST);
		walk->word = d_user_word_at(f, TERM_ADDRESS(word));
		return true;
	}
	if (tag != TERM_TAG_BOXED)
		return false;
	header = d_user_word_at(f, TERM_ADDRESS(word));
	if (header & 0x3f)
		return false;
	arity = TERM_HEADER_ARITY(header);
	d_put(f, '{');
	d_walk_push(walk, TERM_ADDRESS(word) + 8, arity ? arity - 1 : 0);
	walk->word = d_user_word_at(f, TERM_ADDRESS(word) + 8);
	walk->is_word = arity != 0;
	return true;
}

/* The span on top continues with its next word, or is closed. */
static __always_inline void d_walk_next(struct d_frame *f, struct d_walk *walk)
{
	volatile struct d_span *span = &walk->spans[(*(volatile u64 *)&walk->depth - 1) & (D_SPANS - 1)];
	u64 left = span->left, address = span->address, tail;

	if (left & D_LIST) {
		tail = d_user_word_at(f, address + 8);
		if (TERM_TAG(tail) == TERM_TAG_LIST) {
			d_put(f, ',');
			span->address = TERM_ADDRESS(tail);
			walk->word = d_user_word_at(f, TERM_ADDRESS(tail));
			walk->is_word = 1;
			return;
		}
		if (tail != 0x3b) {
			d_put(f, '|');
			walk->word = tail;
			walk->is_word = 1;
			/* The remainder is the tail of the list, and is closed as a list. */
			span->left = 1ULL << 33;
			return;
		}
		d_put(f, ']');
		walk->depth--;
		return;
	}
	if (left >> 33) {
		d_put(f, ']');
		walk->depth--;
		return;
	}
	if (!left) {
		d_put(f, '}');
		walk->depth--;
		return;
	}
	d_put(f, ',');
	span->address = address + 8;
	span->left = left - 1;
	walk->word = d_user_word_at(f, address + 8);
	walk->is_word = 1;
}

static __always_inline u64 d_walk_step_in(struct d_frame *f)
{
	struct d_walk *walk = d_walk(f);

	if (!*(volatile u64 *)&walk->is_word)
		d_walk_next(f, walk);
	d_meet();
	if (*(volatile u64 *)&walk->is_word && !d_walk_enter(f, walk, *(volatile u64 *)&walk->word)) {
		d_meet();
		*(volatile u64 *)&walk->is_word = 0;
		d_put_immediate(f, *(volatile u64 *)&walk->word);
	}
	d_meet();
	return d_opaque(f, walk->is_word | walk->depth);
}
D_ONCE_0(d_walk_step)

/* A list of characters is printed as text; this many are examined. */
#define D_CHARACTERS 64

/* 1: not a printable character. */
static __always_inline u64 d_is_no_character(u64 term)
{
	u64 c = term >> 4;

	return d_differs(term & 0xf, 0xf) | d_is_less(c, ' ') | d_is_less('~', c);
}

/* State of the scan of a list. */
struct d_characters {
	u64 rest; /* remaining list */
	u64 is_wrong;
};

static __always_inline volatile struct d_characters *d_characters(struct d_frame *f)
{
	return (volatile struct d_characters *)d_text_words(f);
}

static long d_put_character(u32 i, struct d_loop *loop)
{
	struct d_frame *f = loop->f;
	volatile struct d_characters *list = d_characters(f);
	u64 *cell = &f->spare[1], c, is_wrong;

	(void)i;
	bpf_probe_read_user(cell, 16, (const void *)TERM_ADDRESS(list->rest));
	c = *(volatile u64 *)&cell[0];
	is_wrong = d_is_no_character(c);
	d_put_if(f, '\\', (d_differs(c >> 4, '"') & d_differs(c >> 4, '\\')) ^ 1);
	d_put(f, c >> 4);
	list->is_wrong = is_wrong;
	c = *(volatile u64 *)&cell[1];
	list->rest = c;
	return is_wrong | d_differs(TERM_TAG(c), TERM_TAG_LIST);
}

/* False: it is no text, and nothing was printed. */
D_INSIDE d_put_characters_in(struct d_frame *f, u64 term)
{
	u64 before = *(volatile u64 *)&d_text_words(f)[D_TEXT_AT];
	volatile struct d_characters *list = d_characters(f);
	struct d_loop loop = { .f = f };

	list->rest = term;
	d_put(f, '"');
	d_repeat(D_CHARACTERS, d_put_character, &loop);
	d_meet();
	if (!list->is_wrong && list->rest == 0x3b) {
		d_put(f, '"');
		return true;
	}
	d_text_words(f)[D_TEXT_AT] = before;
	return false;
}
D_ONCE_1(d_put_characters, D_VALUE)

static __always_inline void d_put_term(struct d_frame *f, u64 term)
{
	struct d_walk *walk = d_walk(f);

	if (TERM_TAG(term) == TERM_TAG_LIST && d_put_characters(f, term))
		return;
	d_meet();
	walk->depth = 0;
	walk->word = d_opaque(f, term);
	walk->is_word = 1;
	for (u64 i = 0; i < D_TEXT_STEPS; i++) {
		d_keep(i);
		if (!d_walk_step(f))
			return;
	}
	d_put_literal(f, "...", 1);
}

/* The address of module, function and arity. */
static __always_inline void d_put_mfa(struct d_frame *f, u64 address)
{
	u64 *mfa = d_text_words(f) + 16;

	mfa[0] = mfa[1] = mfa[2] = 0;
	bpf_probe_read_user(mfa, 24, (const void *)address);
	d_put_immediate(f, *(volatile u64 *)&mfa[0]);
	d_put(f, ':');
	d_put_immediate(f, *(volatile u64 *)&mfa[1]);
	d_put(f, '/');
	d_put_number(f, *(volatile u64 *)&mfa[2], D_TOP_3);
}

/* --- What a process is spawned for, in pieces ---------------------------------------------------------- */

#define D_SPAWNED_ARG 1 /* argument of process-spawn */
#define D_ARITY_MOST 255

static __always_inline bool d_has_spawned(void)
{
	return erl_config.args[D_SPAWNED_ARG].form == ERL_FORM_NONE &&
	       erl_config.args[ERL_ARG_MODULE].form == ERL_FORM_TERM &&
	       erl_config.args[ERL_ARG_FUNCTION].form == ERL_FORM_TERM;
}

static __always_inline u64 d_list_length(struct d_frame *f, u64 list)
{
	u64 length = d_opaque(f, 0);

	list = d_opaque(f, list);
	for (u64 i = 0; i < D_ARITY_MOST; i++) {
		d_keep(i);
		if (TERM_TAG(list) != TERM_TAG_LIST)
			break;
		list = d_user_word_at(f, TERM_ADDRESS(list) + 8);
		length++;
	}
	d_meet();
	return d_opaque(f, length);
}

static __always_inline void d_put_spawned(struct d_frame *f)
{
	d_put_immediate(f, *(volatile u64 *)&f->spawned[0]);
	d_put(f, ':');
	d_put_immediate(f, *(volatile u64 *)&f->spawned[1]);
	d_put(f, '/');
	d_put_number(f, d_list_length(f, *(volatile u64 *)&f->spawned[2]), D_TOP_3);
}

/* --- copyinstr() of an argument ---------------------------------------------------------------------- */

#define D_HAS_WORD (1U << 31)
#define D_HAS_LOCAL_ID (1U << 30)
#define D_HAS(form) (1U << (form))
#define D_NO_HEX                                                                                                       \
	(D_HAS_WORD | D_HAS_LOCAL_ID | D_HAS(ERL_FORM_NONE) | D_HAS(ERL_FORM_TEXT) | D_HAS(ERL_FORM_TERM) |            \
	 D_HAS(ERL_FORM_MFA) | D_HAS(ERL_FORM_SIGNED) | D_HAS(ERL_FORM_SKIPPED) | D_HAS(ERL_FORM_IODATA))

static __always_inline bool d_is_local_id(u64 n)
{
	return erl_config.local_ids >> n & 1;
}

/* Forms of the arguments in the current class, one bit each. The verifier knows them and removes all other code. */
static __always_inline u32 d_forms(void)
{
	u32 forms = 0;

#pragma unroll
	for (int n = 0; n < D_ARGS; n++) {
		if (erl_config.words[n])
			forms |= D_HAS_WORD;
		else
			forms |= d_is_local_id(n) ? D_HAS_LOCAL_ID : 1U << (erl_config.args[n].form & 31);
	}
	return forms;
}

/* True if an argument of the current class must become text. */
static __always_inline bool d_makes_texts(void)
{
	return d_has_spawned() || d_forms() & (D_HAS_WORD | D_HAS_LOCAL_ID | D_HAS(ERL_FORM_TERM) |
					       D_HAS(ERL_FORM_MFA) | D_HAS(ERL_FORM_IODATA));
}

/* A process on another node, or a name there, as the VM shows it: {<9089.88.0>,'b@host'}. */
static __always_inline void d_put_at_node(struct d_frame *f, u64 term)
{
	d_put(f, '{');
	d_put_immediate(f, term);
	d_put(f, ',');
	d_put_immediate(f, *(volatile u64 *)&f->raw[1]);
	d_put(f, '}');
}

/* Up to eight characters. */
static __always_inline void d_put_word(struct d_frame *f, u64 word)
{
	u64 size = 0;

	d_keep(word);
	for (u64 i = 0; i < 8; i++) {
		d_keep(i);
		size += d_differs(word >> 8 * i & 255, 0);
	}
	d_put_some(f, word, size);
}

/* Makes the text of a term; returns its bytes with the NUL. */
static __always_inline u64 d_iodata(struct d_frame *f, u64 dst, u64 term, u64 most)
{
	struct iodata text = {};
	s64 size = iodata_find(&text, term);

	if (size)
		return d_fault(f, D_FAULT_BADADDR, term);
	size = d_most(text.size < most ? text.size : most, d_string_size) + 1;
	if (text.address && text.size)
		size = bpf_probe_read_user_str(d_at(f, dst), size, (const void *)text.address);
	else
		size = bpf_probe_read_kernel_str(d_at(f, dst), size, text.bytes);
	return size < 0 ? d_fault(f, D_FAULT_BADADDR, term) : (u64)size;
}

/* Copies at most `most` bytes of the text of argument n to dst; returns their number with the NUL. */
static __noinline u64 d_text(struct d_frame *f, u64 dst, u64 n, u64 most)
{
	u32 forms = d_forms();
	u64 form, raw;

	if (n >= D_ARGS)
		return d_fault(f, D_FAULT_BADADDR, D_TEXT_TAG + n);
	form = erl_config.args[n].form;
	raw = *(volatile u64 *)&f->raw[n];
	if (forms & D_HAS(ERL_FORM_IODATA) && form == ERL_FORM_IODATA)
		return d_iodata(f, dst, raw, most);
	d_text_begin(f);
	if (n == 2 && erl_config.flags & ERL_CONFIG_AT_NODE)
		d_put_at_node(f, raw);
	else if (forms & D_HAS_WORD && erl_config.words[n])
		d_put_word(f, erl_config.words[n]);
	else if (forms & D_HAS_LOCAL_ID && d_is_local_id(n))
		d_put_local_id(f, raw);
	else if (forms & D_HAS(ERL_FORM_TERM) && form == ERL_FORM_TERM)
		d_put_term(f, raw);
	else if (forms & D_HAS(ERL_FORM_MFA) && form == ERL_FORM_MFA)
		d_put_mfa(f, raw);
	else if (d_has_spawned() && n == D_SPAWNED_ARG)
		d_put_spawned(f);
	else if (forms & D_HAS(ERL_FORM_SIGNED) && form == ERL_FORM_SIGNED)
		d_put_signed(f, raw);
	else if (forms & ~D_NO_HEX)
		d_put_hex(f, raw);
	d_meet();
	return d_text_give(f, dst, most);
}

static __always_inline bool d_is_text(u64 address)
{
	return (address & D_TEXT_TAG_MASK) == D_TEXT_TAG && d_makes_texts();
}

/*
 * A text that this VM does not have: the argument is 0, its text is empty, and this is no fault. The same holds for an
 * argument that the probe never had: driver1.d of OTP reads one of driver-finish.
 */
static __always_inline bool d_is_untold(u64 address)
{
	return !address && erl_config.flags & ERL_CONFIG_EMPTY_TEXT;
}

#endif
