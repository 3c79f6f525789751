/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Strings of D. A string is d_string_room bytes of the frame: its text and zeros up to the end. NULL, which
 * strchr(), strstr(), strtok()... give when there is nothing to give, has no text either but a 1 in its last
 * byte, which no text reaches, since d_string_room > d_string_size. So copying a string keeps whether it is NULL,
 * and what is all zeros is empty. What that means is said in user/d/lower/null.c. Functions that take a string fault on
 * NULL as DTrace does, if it is not said otherwise.
 *
 * Where a function gives a string, that is none of those that it takes. An argument that may be left out makes two
 * functions: NAME without it, NAME_n with it.
 */
#ifndef ERLBPF_BPF_D_STRING_BPF_H
#define ERLBPF_BPF_D_STRING_BPF_H

#include "d/frame.bpf.h"
#include "d/text.bpf.h"

#define D_LAST_BYTE (0xffULL << 56) /* on little-endian machines */

/*
 * Bytes are examined in strides, without branches, and only then can the loop end. A stride can pass the end of the
 * string, where its results do not count.
 */
#define D_STRIDE 16

static __always_inline void d_string_clear(struct d_frame *f, u64 dst)
{
	d_clear(d_at(f, dst), d_string_room);
}

/* Precondition: `dst` is empty. */
static __always_inline void d_string_set_null(struct d_frame *f, u64 dst)
{
	d_at(f, dst)[d_string_room - 1] = 1;
}

static __always_inline bool d_string_is_null(struct d_frame *f, u64 s)
{
	return d_at(f, s)[d_string_room - 1];
}

/* True if there is a string. */
static __always_inline bool d_string_given(struct d_frame *f, u64 s)
{
	if (!d_string_is_null(f, s))
		return true;
	d_fault(f, D_FAULT_BADADDR, 0);
	return false;
}

static __always_inline u64 d_length(struct d_frame *f, u64 s)
{
	s64 size = bpf_probe_read_kernel_str(d_at(f, d_work_string(1)), d_string_size + 1, d_at(f, s));

	return size > 0 ? d_most(size - 1, d_string_size) : 0;
}

/* Copies at most `most` bytes of s from byte `from` on; dst is empty. */
static __always_inline u64 d_string_part(struct d_frame *f, u64 dst, u64 s, u64 from, u64 most)
{
	from = d_offset(from, d_string_size);
	bpf_probe_read_kernel_str(d_at(f, dst), d_most(most, d_string_size) + 1, d_at(f, s) + from);
	return 0;
}

/* --- Out of the traced process ------------------------------------------------------------------- */

#define D_SHORT 48

/*
 * Reads a text shorter than D_SHORT: returns its bytes with the NUL; 0: longer, or unreadable. With
 * CONFIG_HARDENED_USERCOPY, the kernel looks up the frame in its memory for each copy, which doubles the time; it
 * recognizes its stack immediately. A function that needs 64 bytes or more has its stack elsewhere (Linux 6.13,
 * BPF_PRIV_STACK_MIN_SIZE).
 */
static __noinline u64 d_copyin_short(struct d_frame *f, u64 dst, u64 address)
{
	u64 words[D_SHORT / 8] = {};
	s64 size = bpf_probe_read_user_str(words, sizeof(words), (const void *)address);

	if (size <= 0 || size >= D_SHORT)
		return 0;
#pragma unroll
	for (int i = 0; i < D_SHORT / 8; i++)
		((volatile u64 *)d_at(f, dst))[i] = words[i];
	return size;
}

/* Copies only the text to dst: returns its bytes with the NUL, 0 if there is none. */
static __always_inline u64 d_copyin_text(struct d_frame *f, u64 dst, u64 address, u64 most)
{
	s64 size;

	if (d_is_text(address))
		return d_text(f, dst, address & ~D_TEXT_TAG_MASK, most);
	if (d_is_untold(address))
		return 0;
	size = d_string_size >= D_SHORT && most >= D_SHORT ? d_copyin_short(f, dst, address) : 0;
	if (size)
		return size;
	size = bpf_probe_read_user_str(d_at(f, dst), d_most(most, d_string_size) + 1, (const void *)address);
	return size < 0 ? d_fault(f, D_FAULT_BADADDR, address) : (u64)size;
}

/* copyinstr(address) */
D_INSIDE d_copyinstr_in(struct d_frame *f, u64 dst, u64 address)
{
	d_string_clear(f, dst);
	d_copyin_text(f, dst, address, d_string_size);
	return 0;
}
D_ONCE_2(d_copyinstr, D_PLACE, D_VALUE)

/* In Oracle's DTrace, the limit of copyinstr(address, most) includes the NUL. */
static __always_inline u64 d_copyin_most(u64 most)
{
	return most - (d_has_null && most);
}

/* copyinstr(address, most) */
D_INSIDE d_copyinstr_n_in(struct d_frame *f, u64 dst, u64 address, u64 most)
{
	d_string_clear(f, dst);
	d_copyin_text(f, dst, address, d_copyin_most(most));
	return 0;
}
D_ONCE_3(d_copyinstr_n, D_PLACE, D_VALUE, D_VALUE)

/* stringof(address), in kernel memory, in alloca() or in the process */
D_INSIDE d_stringof_in(struct d_frame *f, u64 dst, u64 address)
{
	d_string_clear(f, dst);
	if (bpf_probe_read_str(d_at(f, dst), d_string_size + 1, (const void *)address) < 0)
		return d_fault(f, D_FAULT_BADADDR, address);
	return 0;
}
D_ONCE_2(d_stringof, D_PLACE, D_VALUE)

/* memstr(address, character, size): memory as a string, with the character in place of each NUL but the last. */
D_INSIDE d_memstr_in(struct d_frame *f, u64 dst, u64 address, u64 c, u64 size)
{
	volatile u64 *words = (volatile u64 *)d_at(f, d_work_string(1));
	u64 filled = (c & 0xff) * 0x0101010101010101, bytes, zeros;

	d_string_clear(f, dst);
	if (!size)
		return 0;
	bytes = d_most(size - 1, d_string_size);
	if (bpf_probe_read(d_at(f, d_work_string(1)), bytes, (const void *)address))
		return d_fault(f, D_FAULT_BADADDR, address);
	for (u64 i = 0; i < d_string_room / 8; i++) {
		d_keep(i);
		zeros = ~(((words[i] & ~D_SIGNS) + ~D_SIGNS) | words[i]) & D_SIGNS;
		words[i] |= filled & (zeros >> 7) * 0xff;
	}
	bpf_probe_read_kernel_str(d_at(f, dst), bytes + 1, d_at(f, d_work_string(1)));
	return 0;
}
D_ONCE_4(d_memstr, D_PLACE, D_VALUE, D_VALUE, D_VALUE)

/* --- Lengths, parts, order ----------------------------------------------------------------------- */

D_INSIDE d_strlen_in(struct d_frame *f, u64 s)
{
	return d_string_given(f, s) ? d_opaque(f, d_length(f, s)) : 0;
}
D_ONCE_1(d_strlen, D_PLACE)

D_INSIDE d_strjoin_in(struct d_frame *f, u64 dst, u64 a, u64 b)
{
	s64 size;
	u64 used;

	d_string_clear(f, dst);
	if (!d_string_given(f, a) || !d_string_given(f, b))
		return 0;
	size = bpf_probe_read_kernel_str(d_at(f, dst), d_string_size + 1, d_at(f, a));
	used = size > 0 ? d_offset(size - 1, d_string_size) : 0;
	bpf_probe_read_kernel_str(d_at(f, dst) + used, d_most(d_string_size - used, d_string_size) + 1, d_at(f, b));
	return 0;
}
D_ONCE_3(d_strjoin, D_PLACE, D_PLACE, D_PLACE)

/* Less than, equal to or greater than 0, by the first differing bytes. NULL equals "", see user/d/lower/null.c. */
D_INSIDE d_strcmp_in(struct d_frame *f, u64 a, u64 b)
{
	const volatile u64 *left = (const volatile u64 *)d_at(f, a), *right = (const volatile u64 *)d_at(f, b);
	u64 last = d_string_room / 8 - 1, i = 0, x = 0, y = 0;

	/* The last one in a word. */
	while (i < last && x == y) {
		x = left[i];
		y = right[i];
		i++;
		d_keep(i);
	}
	if (x == y) {
		x = left[last] & ~D_LAST_BYTE;
		y = right[last] & ~D_LAST_BYTE;
	}
	x = __builtin_bswap64(x);
	y = __builtin_bswap64(y);
	return d_opaque(f, (x > y) - (x < y));
}
D_ONCE_2(d_strcmp, D_PLACE, D_PLACE)

/* A negative position counts from the end; a negative length omits that many bytes at the end. */
static __always_inline u64 d_part(struct d_frame *f, u64 dst, u64 s, s64 at, s64 most)
{
	s64 length;

	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	length = d_opaque(f, d_length(f, s));
	if (at < 0) {
		at += length;
		/* The part before the string counts, but is empty. */
		if (at < 0 && (s64)((u64)at + (u64)most) > 0) {
			most += at;
			at = 0;
		}
	}
	if (at < 0 || at >= length)
		return 0;
	if (most < 0)
		most += length - at;
	if (most <= 0)
		return 0;
	return d_string_part(f, dst, s, d_opaque(f, at), d_opaque(f, most));
}

/* substr(s, at) */
D_INSIDE d_substr_in(struct d_frame *f, u64 dst, u64 s, u64 at)
{
	return d_part(f, dst, s, at, d_string_size);
}
D_ONCE_3(d_substr, D_PLACE, D_PLACE, D_VALUE)

/* substr(s, at, most) */
D_INSIDE d_substr_n_in(struct d_frame *f, u64 dst, u64 s, u64 at, u64 most)
{
	return d_part(f, dst, s, at, most);
}
D_ONCE_4(d_substr_n, D_PLACE, D_PLACE, D_VALUE, D_VALUE)

/* --- To search ----------------------------------------------------------------------------------- */

/* True if the bytes at `at` of s are the string `sub` of length `length`. */
static __noinline u64 d_is_at(struct d_frame *f, u64 s, u64 sub, u64 at, u64 length)
{
	u64 there = d_work_string(0), words = d_string_room / 8, differs = 0;
	const volatile u64 *x = (const volatile u64 *)d_at(f, there), *y = (const volatile u64 *)d_at(f, sub);

	d_string_clear(f, there);
	d_string_part(f, there, s, at, length);
	for (u64 i = 0; i < words; i++) {
		d_keep(i);
		differs |= x[i] ^ y[i];
	}
	return !d_opaque(f, differs);
}

/* The parameters of a search, and its hashes. */
struct d_search {
	u64 length;	  /* of the pattern */
	u64 first, last;  /* possible positions */
	u64 base, top;	  /* `top` is base to the power of `length` */
	u64 wanted, here; /* hashes of the pattern, and of the current window */
	u64 at, found;	  /* during the search */
	u64 is_in;	  /* while hashes are computed */
	u64 wants_last;
};

static __always_inline struct d_search *d_search(struct d_frame *f)
{
	return (struct d_search *)d_work(f)->words;
}

#define D_STRIDES ((u32)(d_string_size / D_STRIDE) + 1) /* including the NUL */

/* The start of a stride. */
static __always_inline u64 d_stride(u32 i)
{
	return d_offset((u64)i * D_STRIDE, d_string_size);
}

static long d_hash_stride(u32 i, struct d_loop *loop)
{
	volatile struct d_search *search = d_search(loop->f);
	const volatile u8 *x = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->b)) + d_stride(i);
	const volatile u8 *y = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->a)) + d_stride(i);
	u64 base = search->base, top = search->top, wanted = search->wanted, here = search->here;
	u64 is_in = search->is_in, c, more;

	for (u64 n = 0; n < D_STRIDE; n++) {
		d_keep(n);
		c = x[n];
		is_in &= d_is_less(0, c);
		more = (base - 1) * is_in;
		wanted += wanted * more + (c & -is_in);
		here += here * more + (y[n] & -is_in);
		top += top * more;
	}
	search->top = top;
	search->wanted = wanted;
	search->here = here;
	search->is_in = is_in;
	return (is_in & 1) ^ 1;
}

/*
 * Search by a rolling hash, so each step is the same for every pattern. The base is random: an attacker cannot prepare
 * collisions. A match is compared byte by byte.
 */
D_INSIDE d_search_hash_in(struct d_frame *f, u64 s, u64 sub)
{
	struct d_search *search = d_search(f);
	struct d_loop loop = { f, s, sub };

	search->base = (u64)bpf_get_prandom_u32() << 2 | 1;
	search->top = search->is_in = 1;
	search->wanted = search->here = 0;
	d_repeat(D_STRIDES, d_hash_stride, &loop);
	return 0;
}
D_ONCE_2(d_search_hash, D_PLACE, D_PLACE)

/* loop->a is the string, loop->b the distance from a position to the end of its hash window. */
static long d_search_stride(u32 i, struct d_loop *loop)
{
	volatile struct d_search *search = d_search(loop->f);
	const volatile u8 *out = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->a)) + d_stride(i);
	const volatile u8 *in = out + d_offset(loop->b, d_string_size);
	u64 here = search->here, wanted = search->wanted, base = search->base, top = search->top;
	u64 first = search->first, last = search->last, at = search->at, found = search->found, is_here;

	for (u64 n = 0; n < D_STRIDE; n++) {
		d_keep(n);
		is_here = d_differs(here, wanted) | d_is_less(at, first) | d_is_less(last, at);
		is_here |= ~found >> 63 & ~search->wants_last;
		is_here = (is_here & 1) - 1;
		d_keep(is_here);
		found ^= (found ^ at) & is_here;
		here = here * base + in[n] - out[n] * top;
		at++;
	}
	search->here = here;
	search->at = at;
	search->found = found;
	return ((at - 1 - last) >> 63 & (search->wants_last | found >> 63)) ^ 1;
}

/* The first position from search->first to search->last, or the last one; -1 if there is none. */
D_INSIDE d_search_run_in(struct d_frame *f, u64 s, u64 wants_last)
{
	struct d_search *search = d_search(f);
	struct d_loop loop = { f, s, search->length };

	search->at = 0;
	search->found = -1ULL;
	search->wants_last = wants_last;
	d_repeat(D_STRIDES, d_search_stride, &loop);
	return search->found;
}
D_ONCE_2(d_search_run, D_PLACE, D_VALUE)

static __always_inline s64 d_find(struct d_frame *f, u64 s, u64 sub, s64 first, s64 last, bool wants_last)
{
	struct d_search *search = d_search(f);
	s64 found;

	if (first > last)
		return -1;
	search->first = first;
	search->last = last;
	d_search_hash(f, s, sub);
	found = d_search_run(f, s, wants_last);
	if (found < 0 || !d_is_at(f, s, sub, found, search->length))
		return -1;
	return found;
}

/* True if both strings exist and a match is possible: *length is the length of s, search->length that of sub. */
static __always_inline bool d_search_begin(struct d_frame *f, u64 s, u64 sub, s64 *length)
{
	if (!d_string_given(f, s) || !d_string_given(f, sub))
		return false;
	*length = d_opaque(f, d_length(f, s));
	d_search(f)->length = d_length(f, sub);
	return true;
}

/* Positions as in Perl and DTrace: index() finds "" at any position, and at the end for positions after it. */
static __always_inline s64 d_index_from(struct d_frame *f, u64 s, u64 sub, s64 from)
{
	s64 length, wanted;

	if (!d_search_begin(f, s, sub, &length))
		return 0;
	wanted = d_search(f)->length;
	if (from < 0)
		from = 0;
	if (!wanted)
		return from < length ? from : length;
	return d_find(f, s, sub, from, length - wanted, false);
}

static __always_inline s64 d_rindex_from(struct d_frame *f, u64 s, u64 sub, s64 from)
{
	s64 length, wanted;

	if (!d_search_begin(f, s, sub, &length))
		return 0;
	wanted = d_search(f)->length;
	if (!wanted)
		return from < 0 ? 0 : from < length ? from : length;
	if (from > length - wanted)
		from = length - wanted;
	return d_find(f, s, sub, 0, from, true);
}

D_INSIDE d_index_in(struct d_frame *f, u64 s, u64 sub)
{
	return d_opaque(f, d_index_from(f, s, sub, 0));
}
D_ONCE_2(d_index, D_PLACE, D_PLACE)

D_INSIDE d_index_n_in(struct d_frame *f, u64 s, u64 sub, u64 from)
{
	return d_opaque(f, d_index_from(f, s, sub, from));
}
D_ONCE_3(d_index_n, D_PLACE, D_PLACE, D_VALUE)

D_INSIDE d_rindex_in(struct d_frame *f, u64 s, u64 sub)
{
	return d_opaque(f, d_rindex_from(f, s, sub, d_string_size));
}
D_ONCE_2(d_rindex, D_PLACE, D_PLACE)

D_INSIDE d_rindex_n_in(struct d_frame *f, u64 s, u64 sub, u64 from)
{
	return d_opaque(f, d_rindex_from(f, s, sub, from));
}
D_ONCE_3(d_rindex_n, D_PLACE, D_PLACE, D_VALUE)

/* From the match to the end of the string. */
static __always_inline u64 d_rest(struct d_frame *f, u64 dst, u64 s, s64 found)
{
	if (found < 0)
		d_string_set_null(f, dst);
	else
		d_string_part(f, dst, s, found, d_string_size);
	return 0;
}

D_INSIDE d_strstr_in(struct d_frame *f, u64 dst, u64 s, u64 sub)
{
	d_string_clear(f, dst);
	return d_rest(f, dst, s, d_opaque(f, d_index_from(f, s, sub, 0)));
}
D_ONCE_3(d_strstr, D_PLACE, D_PLACE, D_PLACE)

/* The first position of a character, or the last; -1 if there is none; for 0, the end. */
static __always_inline s64 d_character(struct d_frame *f, u64 s, u64 c, bool wants_last)
{
	const volatile u64 *x = (const volatile u64 *)d_at(f, s);
	u64 words = d_string_room / 8, pattern = (c & 0xff) * D_ONES, w, signs = d_opaque(f, 0), place = d_opaque(f, 0);
	u64 at = d_opaque(f, 0), is_here;

	for (u64 i = 0; i < words; i++) {
		d_keep(i);
		w = x[i] ^ pattern;
		/* Sets the sign bit of each byte that is 0. */
		w = ~(((w & ~D_SIGNS) + ~D_SIGNS) | w) & D_SIGNS;
		is_here = d_differs(w, 0);
		if (!wants_last)
			is_here &= d_differs(signs, 0) ^ 1;
		signs ^= (signs ^ w) & -is_here;
		place ^= (place ^ at) & -is_here;
		at += 8;
	}
	d_meet();
	if (!signs)
		return -1;
	signs >>= 7;
	if (!wants_last)
		return place + ((((signs & -signs) - 1) & D_ONES) * D_ONES >> 56);
	signs |= signs >> 8;
	signs |= signs >> 16;
	signs |= signs >> 32;
	return place + (signs * D_ONES >> 56) - 1;
}

D_INSIDE d_strchr_in(struct d_frame *f, u64 dst, u64 s, u64 c)
{
	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	return d_rest(f, dst, s, d_opaque(f, d_character(f, s, c, false)));
}
D_ONCE_3(d_strchr, D_PLACE, D_PLACE, D_VALUE)

D_INSIDE d_strrchr_in(struct d_frame *f, u64 dst, u64 s, u64 c)
{
	d_string_clear(f, dst);
	if (!d_string_given(f, s))
		return 0;
	/* Zeros continue after the end. */
	if (!(c & 0xff))
		return 0;
	return d_rest(f, dst, s, d_opaque(f, d_character(f, s, c, true)));
}
D_ONCE_3(d_strrchr, D_PLACE, D_PLACE, D_VALUE)

/* Inverts the case of letters from `from` on: one bit differs. */
static __always_inline u64 d_change_case(struct d_frame *f, u64 dst, u64 s, const u64 from)
{
	const volatile u64 *x = (const volatile u64 *)d_at(f, s);
	volatile u64 *to = (volatile u64 *)d_at(f, dst);
	u64 words = d_string_room / 8, w;

	if (!d_string_given(f, s)) {
		d_string_clear(f, dst);
		return 0;
	}
	for (u64 i = 0; i < words; i++) {
		d_keep(i);
		w = x[i];
		to[i] = w ^ (d_between(w & ~D_SIGNS, from, from + 25) & ~w) >> 2;
	}
	return 0;
}

D_INSIDE d_toupper_in(struct d_frame *f, u64 dst, u64 s)
{
	return d_change_case(f, dst, s, 'a');
}
D_ONCE_2(d_toupper, D_PLACE, D_PLACE)

D_INSIDE d_tolower_in(struct d_frame *f, u64 dst, u64 s)
{
	return d_change_case(f, dst, s, 'A');
}
D_ONCE_2(d_tolower, D_PLACE, D_PLACE)

/* --- strtok() ------------------------------------------------------------------------------------ */

static long d_delimiters_stride(u32 i, struct d_loop *loop)
{
	const volatile u8 *x = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->a)) + d_stride(i);
	volatile char *table = d_work(loop->f)->table;
	volatile u64 *words = d_work(loop->f)->words;
	u64 c, is_in = words[0];

	for (u64 n = 0; n < D_STRIDE; n++) {
		d_keep(n);
		c = x[n];
		is_in &= d_is_less(0, c);
		table[c & -is_in & 0xff] = 1;
	}
	words[0] = is_in;
	return (is_in & 1) ^ 1;
}

/* The table d_work()->table: 1 for delimiters, 2 for the end of the string. */
static __always_inline void d_token_delimiters(struct d_frame *f, u64 delimiters)
{
	struct d_loop loop = { f, delimiters, 0 };

	d_clear(d_work(f)->table, sizeof(d_work(f)->table));
	d_work(f)->words[0] = 1;
	d_repeat(D_STRIDES, d_delimiters_stride, &loop);
	*(volatile char *)d_work(f)->table = 2;
}

/*
 * loop->a is the start of the string; loop->b: count delimiters instead of other characters. Work words: is_in and n.
 */
static long d_span_stride(u32 i, struct d_loop *loop)
{
	const volatile u8 *x = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->a)) + d_stride(i);
	const volatile u8 *table = (const volatile u8 *)d_work(loop->f)->table;
	volatile u64 *words = d_work(loop->f)->words;
	u64 is_in = words[0], count = words[1];

	for (u64 n = 0; n < D_STRIDE; n++) {
		d_keep(n);
		is_in &= d_differs(table[x[n]], loop->b) ^ 1;
		count += is_in;
	}
	words[0] = is_in;
	words[1] = count;
	return (is_in & 1) ^ 1;
}

/* The number of delimiters, or of other characters, from here on. */
static __always_inline u64 d_token_span(struct d_frame *f, u64 s, u64 from, bool are_delimiters)
{
	struct d_loop loop = { f, s + d_offset(from, d_string_size), are_delimiters };
	volatile u64 *words = d_work(f)->words;

	words[0] = 1;
	words[1] = 0;
	d_repeat(D_STRIDES, d_span_stride, &loop);
	return words[1];
}

/*
 * strtok(s, delimiters): s is 0 or NULL to continue. `state` is the offset of d_string_room + 8 bytes of the frame,
 * zeros at the start of the firing: the next position plus one, and the string. NULL if no token is left.
 */
D_INSIDE d_strtok_in(struct d_frame *f, u64 dst, u64 s, u64 delimiters, u64 state)
{
	u64 *place = (u64 *)d_at(f, state), at, size;

	d_string_clear(f, dst);
	if (!d_string_given(f, delimiters))
		return 0;
	if (s && !d_string_is_null(f, s)) {
		bpf_probe_read_kernel(d_at(f, state + 8), d_string_room, d_at(f, s));
		*place = 1;
	}
	at = *(volatile u64 *)place - 1;
	/* There is no previous string. */
	if (d_has_null && !*(volatile u64 *)d_at(f, state + 8) && at == ~0ULL)
		return d_fault(f, D_FAULT_BADADDR, 0);
	if (at < d_string_room) {
		d_token_delimiters(f, delimiters);
		at += d_token_span(f, state + 8, d_opaque(f, at), true);
		size = d_token_span(f, state + 8, d_opaque(f, at), false);
		if (size) {
			*place = at + size + 1;
			return d_string_part(f, dst, state + 8, d_opaque(f, at), size);
		}
	}
	*place = 0;
	d_string_set_null(f, dst);
	return 0;
}
D_ONCE_4(d_strtok, D_PLACE, D_PLACE, D_PLACE, D_PLACE)

#endif
