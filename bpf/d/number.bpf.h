/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Numbers to text, and back. */
#ifndef ERLBPF_BPF_D_NUMBER_BPF_H
#define ERLBPF_BPF_D_NUMBER_BPF_H

#include "d/string.bpf.h"

#define D_DIGITS 64 /* maximum number of digits, in base 2 */
#define D_SPACES 8  /* maximum number of other characters before the digits: sign and 0x */

static __always_inline u64 d_digit(u64 value)
{
	return value + '0' + ('a' - '0' - 10) * d_is_less(9, value);
}

/* Digits from last to first, then the prefix of the base. */
static __always_inline u64 d_number_text(struct d_frame *f, u64 dst, s64 number, u64 base)
{
	volatile char *text = d_work(f)->text;
	u64 is_negative = (u64)number >> 63 & (d_differs(base, 10) ^ 1), value, at = d_opaque(f, 0), is_digit;
	u64 last = D_DIGITS + 8;

	value = d_select(is_negative, -(u64)number, number);
	text[last] = 0;
	for (u64 i = 0; i < D_DIGITS; i++) {
		d_keep(i);
		text[last - 1 - i] = d_digit(value % base);
		at += d_differs(value, 0);
		value /= base;
	}
	/* 0 has one digit, except in base 8, where the prefix is the digit. */
	is_digit = (d_differs(at, 0) ^ 1) & d_differs(base, 8);
	at = (at + is_digit) & 127;
	text[(last - at - 1) & 127] = d_select(d_differs(base, 16), d_select(is_negative, '-', '0'), 'x');
	at += is_negative | (d_differs(base, 16) ^ 1) | (d_differs(base, 8) ^ 1);
	text[(last - at - 1) & 127] = '0';
	at += d_differs(base, 16) ^ 1;
	bpf_probe_read_kernel_str(d_at(f, dst), d_string_size + 1, (const char *)text + ((last - at) & 127));
	return 0;
}

static __always_inline bool d_base_is_known(struct d_frame *f, u64 base)
{
	if (base >= 2 && base <= 36)
		return true;
	d_fault(f, D_FAULT_ILLOP, base);
	return false;
}

/* lltostr(number) */
D_INSIDE d_lltostr_in(struct d_frame *f, u64 dst, u64 number)
{
	d_string_clear(f, dst);
	return d_number_text(f, dst, number, 10);
}
D_ONCE_2(d_lltostr, D_PLACE, D_VALUE)

/* lltostr(number, base): prefix 0 in base 8, 0x in base 16; only base 10 has negative numbers */
D_INSIDE d_lltostr_n_in(struct d_frame *f, u64 dst, u64 number, u64 base)
{
	d_string_clear(f, dst);
	return d_base_is_known(f, base) ? d_number_text(f, dst, number, base) : 0;
}
D_ONCE_3(d_lltostr_n, D_PLACE, D_VALUE, D_VALUE)

/* The value of a character as a digit; 99: not a digit. */
static __always_inline u64 d_worth(u64 c)
{
	u64 letter = c | ' ';
	u64 is_digit = (d_is_less(c, '0') | d_is_less('9', c)) ^ 1;
	u64 is_letter = (d_is_less(letter, 'a') | d_is_less('z', letter)) ^ 1;

	return d_select(is_digit, c - '0', d_select(is_letter, letter - 'a' + 10, 99));
}

/* The number of leading spaces in the text at `at`. */
static __always_inline u64 d_spaces(struct d_frame *f, const volatile u8 *x)
{
	u64 n = d_opaque(f, 0), is_in = d_opaque(f, 1), c;

	for (u64 i = 0; i < D_SPACES; i++) {
		d_keep(i);
		c = x[i];
		is_in &= (d_differs(c, ' ') & (d_is_less(c, '\t') | d_is_less('\r', c))) ^ 1;
		n += is_in;
	}
	return n;
}

static __always_inline u64 d_number_of(struct d_frame *f, u64 s, u64 base)
{
	const volatile u8 *x;
	u64 at, is_negative, has_prefix, value = d_opaque(f, 0), is_in = d_opaque(f, 1), worth;
	char *text = d_work(f)->text;

	if (!d_string_given(f, s))
		return 0;
	/* With zeros after it, whatever follows the string in the frame. */
	d_clear(text, 96);
	bpf_probe_read_kernel_str(text, d_most(d_string_size + 1, 96), d_at(f, s));
	x = (const volatile u8 *)text;
	at = d_spaces(f, x) & 15;
	is_negative = d_differs(x[at], '-') ^ 1;
	at += is_negative | (d_differs(x[at], '+') ^ 1);
	has_prefix = (d_differs(base, 16) | d_differs(x[at], '0') | d_differs(x[at + 1] | ' ', 'x')) ^ 1;
	at = (at + 2 * has_prefix) & 31;
	x += at;
	for (u64 i = 0; i < D_DIGITS; i++) {
		d_keep(i);
		worth = d_worth(x[i]);
		is_in &= d_is_less(worth, base);
		value = d_select(is_in, value * base + worth, value);
	}
	return d_opaque(f, d_select(is_negative, -value, value));
}

/* strtoll(text) */
D_INSIDE d_strtoll_in(struct d_frame *f, u64 s)
{
	return d_number_of(f, s, 10);
}
D_ONCE_1(d_strtoll, D_PLACE)

/* strtoll(text, base) */
D_INSIDE d_strtoll_n_in(struct d_frame *f, u64 s, u64 base)
{
	return d_base_is_known(f, base) ? d_number_of(f, s, base) : 0;
}
D_ONCE_2(d_strtoll_n, D_PLACE, D_VALUE)

#endif
