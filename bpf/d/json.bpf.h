/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * json(text, "a.b[2].c"): an element of a JSON text, as it is written there; a string without its quotes. NULL if there
 * is none, or if the text is not what the path says.
 *
 * The text is gone through once, by bytes and without branches: each step of it is the same sum of conditions, of which
 * the verifier need not follow any.
 */
#ifndef ERLBPF_BPF_D_JSON_BPF_H
#define ERLBPF_BPF_D_JSON_BPF_H

#include "d/string.bpf.h"

#define D_JSON_LEVELS 16	/* elements of a path */

enum d_json_class {
	D_JSON_QUOTE = 1,
	D_JSON_ESCAPE = 2,
	D_JSON_OPEN = 4,
	D_JSON_CLOSE = 8,
	D_JSON_COMMA = 16,
	D_JSON_COLON = 32,
	D_JSON_SPACE = 64,
	D_JSON_SCALAR = 128,	/* begins a number, true, false or null */
};

const volatile __u8 d_json_classes[256] = {
	['"'] = D_JSON_QUOTE, ['\\'] = D_JSON_ESCAPE, ['{'] = D_JSON_OPEN, ['['] = D_JSON_OPEN,
	['}'] = D_JSON_CLOSE, [']'] = D_JSON_CLOSE, [','] = D_JSON_COMMA, [':'] = D_JSON_COLON,
	[' '] = D_JSON_SPACE, ['\t' ... '\r'] = D_JSON_SPACE,
	['-'] = D_JSON_SCALAR, ['0' ... '9'] = D_JSON_SCALAR,
	['f'] = D_JSON_SCALAR, ['n'] = D_JSON_SCALAR, ['t'] = D_JSON_SCALAR,
};

/* The elements of a path: where their texts are in the work memory's string 0, and their values as numbers. */
struct d_json_path {
	u32 offsets[D_JSON_LEVELS];
	u32 numbers[D_JSON_LEVELS];
};

static __always_inline struct d_json_path *d_json_path(struct d_frame *f)
{
	return (struct d_json_path *)d_work(f)->table;
}

/* How many there are. */
static __always_inline u64 d_json_split(struct d_frame *f, u64 path)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, path);
	volatile char *text = d_at(f, d_work_string(0));
	volatile struct d_json_path *to = d_json_path(f);
	u64 most = d_string_size, i = 0, n = d_opaque(f, 0), number = d_opaque(f, 0), is_in = d_opaque(f, 1);
	u64 c, ends, begins, at = d_opaque(f, 0);

	d_string_clear(f, d_work_string(0));
	to->offsets[0] = d_differs(x[0], '[') ^ 1;
	d_meet();
	do {
		for (u64 end = i + D_STRIDE; i < end; i++) {
			d_keep(i);
			c = x[i];
			is_in &= d_is_less(0, c);
			begins = (d_differs(c, '.') & d_differs(c, '[')) ^ 1;
			ends = begins | (d_differs(c, ']') ^ 1);
			text[i] = c & -(is_in & (ends ^ 1));
			n += begins & is_in & d_is_less(0, at);
			at++;
			number = (number * 10 + c - '0') & (begins - 1);
			to->offsets[n & (D_JSON_LEVELS - 1)] = d_select(begins & is_in, at,
									to->offsets[n & (D_JSON_LEVELS - 1)]);
			to->numbers[n & (D_JSON_LEVELS - 1)] = d_select(is_in & ((ends ^ 1) | begins), number,
									to->numbers[n & (D_JSON_LEVELS - 1)]);
		}
	} while (i < most && is_in);
	d_meet();
	return d_opaque(f, n + 1);
}

struct d_json_found {
	u64 start, end;		/* of the element, in the text; `end` 0: it is not there */
};

/*
 * What is looked at is the container at depth `level`: its keys are held against the element `element` of the path, or
 * its items counted. `is_hit`: the value that comes is what the element names.
 */
static __always_inline void d_json_run(struct d_frame *f, u64 s, u64 elements, struct d_json_found *found)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, s), *names = (const volatile u8 *)d_at(f, d_work_string(0));
	volatile struct d_json_path *path = d_json_path(f);
	u64 zero = d_opaque(f, 0), most = d_string_size + 1, mask = d_string_mask(), i = 0;
	u64 in_string = zero, is_escaped = zero, depth = zero, level = zero, element = zero, at = zero;
	u64 is_array = zero, item = zero, wanted = zero, name = zero, in_key = zero, wants_key = zero, is_same = zero;
	u64 wants_value = d_opaque(f, 1), is_hit = wants_value, in_value = zero, is_text = zero, is_nested = zero;
	u64 start = zero, end_at = zero, is_over = zero;
	u64 c, t, quote, opens, closes, comma, space, is_here, begins, enters, takes, ends, closing;

	d_meet();
	do {
		for (u64 end = i + D_STRIDE; i < end; i++) {
			d_keep(i);
			c = x[i];
			t = d_json_classes[c];
			is_over |= d_differs(c, 0) ^ 1;
			quote = t & (is_escaped ^ 1);
			opens = t >> 2 & (in_string ^ 1);
			closes = t >> 3 & (in_string ^ 1);
			comma = t >> 4 & (in_string ^ 1);
			space = t >> 6 & (in_string ^ 1);
			is_here = d_differs(depth, level) ^ 1;
			closing = quote & in_string;

			/* A key goes on, or ends. */
			is_same &= (d_differs(names[name & mask], c) ^ 1) | (closing & (d_differs(names[name & mask], 0) ^ 1));
			is_hit = d_select(in_key & closing, is_same, is_hit);
			wants_key &= (in_key & closing) ^ 1;
			in_key &= closing ^ 1;
			name += in_key;
			/* A key begins. */
			begins = quote & (in_string ^ 1) & wants_key & is_here;
			in_key |= begins;
			is_same |= begins;
			name = d_select(begins, path->offsets[(element - 1) & (D_JSON_LEVELS - 1)], name);

			/* A text ends, a number or word, or what is nested. */
			ends = d_select(is_nested, closes & (d_differs(depth, level + 1) ^ 1),
					(comma | closes | space) & is_here);
			ends = in_value & d_select(is_text, closing, ends);
			end_at = d_select(ends & (is_over ^ 1), at + is_nested, end_at);
			is_over |= ends;
			/* The container ends, and it was not there. */
			is_over |= closes & is_here & (in_value ^ 1);

			/* A value begins: of the path's last element it is what is wanted. */
			begins = wants_value & is_here & (space ^ 1) & (in_string ^ 1) & (is_over ^ 1);
			wants_value &= begins ^ 1;
			begins &= is_hit;
			is_over |= begins & (((t & 1) | opens | t >> 7) ^ 1);
			takes = begins & (d_differs(element, elements) ^ 1);
			enters = begins & (takes ^ 1);
			is_over |= enters & (opens ^ 1);
			in_value |= takes;
			is_text = d_select(takes, t & 1, is_text);
			is_nested = d_select(takes, opens, is_nested);
			start = d_select(takes, at + (t & 1), start);

			/* The next item, the next key. */
			comma &= is_here;
			item += comma;
			is_hit = d_select(comma, is_array & (d_differs(item, wanted) ^ 1), is_hit);
			wants_value |= (comma & is_array) | (t >> 5 & (in_string ^ 1) & is_here & (is_array ^ 1));
			wants_key |= comma & (is_array ^ 1);

			/* Into the container that the element before named. */
			wanted = d_select(enters, path->numbers[element & (D_JSON_LEVELS - 1)], wanted);
			is_array = d_select(enters, d_differs(c, '[') ^ 1, is_array);
			item = d_select(enters, 0, item);
			is_hit = d_select(enters, is_array & (d_differs(wanted, 0) ^ 1), is_hit);
			wants_value = d_select(enters, is_array, wants_value);
			wants_key = d_select(enters, is_array ^ 1, wants_key);
			element += enters;
			level += enters;

			depth += opens - closes;
			is_escaped = in_string & t >> 1 & (is_escaped ^ 1);
			in_string ^= quote;
			at++;
		}
	} while (i < most && !is_over);
	d_meet();
	found->start = d_opaque(f, start);
	found->end = d_opaque(f, end_at);
}

D_FUNCTION d_json(struct d_frame *f, u64 dst, u64 s, u64 path)
{
	struct d_json_found found;

	d_string_clear(f, dst);
	if (!d_string_given(f, s) || !d_string_given(f, path))
		return 0;
	d_json_run(f, s, d_json_split(f, path), &found);
	if (!found.end)
		d_string_set_null(f, dst);
	else if (found.end > found.start)
		d_string_part(f, dst, s, found.start, found.end - found.start);
	return 0;
}

#endif
