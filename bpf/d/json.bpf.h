/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * json(text, "a.b[2].c"): an element of a JSON text, as written; strings without quotes. NULL if it is missing or the
 * text does not match the path. One pass over the text, byte by byte and without branches: each step computes the same
 * sum of conditions, so the verifier has a single path.
 */
#ifndef ERLBPF_BPF_D_JSON_BPF_H
#define ERLBPF_BPF_D_JSON_BPF_H

#include "d/string.bpf.h"

#define D_JSON_LEVELS 16  /* elements in a path */
#define D_JSON_PATH 256	  /* characters in a path */
#define D_JSON_STRIDES 96 /* 1,536 bytes of text: without bpf_loop(), the verifier accepts no more */

enum d_json_class {
	D_JSON_QUOTE = 1,
	D_JSON_ESCAPE = 2,
	D_JSON_OPEN = 4,
	D_JSON_CLOSE = 8,
	D_JSON_COMMA = 16,
	D_JSON_COLON = 32,
	D_JSON_SPACE = 64,
	D_JSON_SCALAR = 128, /* starts a number, true, false or null */
};

const volatile __u8 d_json_classes[256] = {
	['"'] = D_JSON_QUOTE,  ['\\'] = D_JSON_ESCAPE,	       ['{'] = D_JSON_OPEN,   ['['] = D_JSON_OPEN,
	['}'] = D_JSON_CLOSE,  [']'] = D_JSON_CLOSE,	       [','] = D_JSON_COMMA,  [':'] = D_JSON_COLON,
	[' '] = D_JSON_SPACE,  ['\t' ... '\r'] = D_JSON_SPACE, ['-'] = D_JSON_SCALAR, ['0' ... '9'] = D_JSON_SCALAR,
	['f'] = D_JSON_SCALAR, ['n'] = D_JSON_SCALAR,	       ['t'] = D_JSON_SCALAR,
};

/* The elements of a path: offsets of their names in string 0 of the work memory, and their values as numbers. */
struct d_json_path {
	u32 offsets[D_JSON_LEVELS];
	u32 numbers[D_JSON_LEVELS];
};

static __always_inline struct d_json_path *d_json_path(struct d_frame *f)
{
	return (struct d_json_path *)d_work(f)->table;
}

/* Number of elements. */
static __always_inline u64 d_json_split(struct d_frame *f, u64 path)
{
	const volatile u8 *x = (const volatile u8 *)d_at(f, path);
	volatile char *text = d_at(f, d_work_string(0));
	volatile struct d_json_path *to = d_json_path(f);
	u64 most = d_most(d_string_size, D_JSON_PATH), i = 0, n = d_opaque(f, 0), number = d_opaque(f, 0);
	u64 c, ends, begins, at = d_opaque(f, 0), is_in = d_opaque(f, 1);

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

/*
 * State of the scan, in the work memory because the BPF stack is small. The scan examines the container at depth
 * `level`: it compares its keys with the element before `element` of the path, or counts its items.
 */
struct d_json_reading {
	/* Conditions. */
	u64 in_string, is_escaped;
	u64 is_array, wants_key, in_key, is_same; /* of the key so far */
	u64 wants_value, is_hit;		  /* ... value that the element names */
	u64 in_value, is_text, is_nested;	  /* the wanted value, and its kind */
	u64 is_over;
	/* Numbers. */
	u64 depth, level, element, item, wanted;
	u64 name;	    /* offset in the text of the path */
	u64 at, start, end; /* of the value; `end` 0: not found */
};

_Static_assert(sizeof(struct d_json_reading) < D_TEXT_AT * 8, "no room for the reading");

/*
 * Conditions below are masks of all ones or zeros, used to select values. They are hidden from the compiler, which
 * would turn them into branches.
 */
static __always_inline u64 d_is(u64 a, u64 b)
{
	u64 bits = a ^ b, negative = -bits;

	d_keep(negative);
	bits = ~((s64)(bits | negative) >> 63);
	d_keep(bits);
	return bits;
}

/* Bit n of `bits`. */
static __always_inline u64 d_bit(u64 bits, const u64 n)
{
	bits = (s64)(bits << (63 - n)) >> 63;
	d_keep(bits);
	return bits;
}

#define d_pick(is_one, one, other) ((other) ^ (((one) ^ (other)) & (is_one)))

/* One character: its meaning in its context, and the state after it. */
struct d_json_char {
	u64 c, at, depth, element; /* `element`: the value before this character */
	u64 t;			   /* its classes: none within a string */
	u64 in_string, quote, opens, closes, comma, space;
	u64 closing, is_here; /* a quote that ends a string; the depth is `level` */
	u64 is_over, is_hit, wants_key, wants_value;
};

static __always_inline void d_json_look(volatile struct d_json_reading *j, struct d_json_char *x, u64 c)
{
	u64 t = d_json_classes[c], in_string = j->in_string, is_escaped = j->is_escaped;

	x->c = c;
	x->in_string = in_string;
	x->depth = j->depth;
	x->at = j->at;
	x->is_over = j->is_over | d_is(c, 0);
	x->quote = d_bit(t, 0) & ~is_escaped;
	j->is_escaped = in_string & d_bit(t, 1) & ~is_escaped;
	j->in_string = in_string ^ x->quote;
	x->closing = x->quote & in_string;
	/* Other characters have no meaning in a string. */
	x->t = t &= ~in_string;
	x->opens = d_bit(t, 2);
	x->closes = d_bit(t, 3);
	x->comma = d_bit(t, 4);
	x->space = d_bit(t, 6);
	x->is_here = d_is(x->depth, j->level);
}

/* A key continues, ends, starts. */
static __always_inline void d_json_key(volatile struct d_json_reading *j, struct d_json_char *x,
				       const volatile u8 *names, const volatile struct d_json_path *path)
{
	u64 in_key = j->in_key, begins = x->quote & ~x->in_string & x->is_here, ends;

	j->is_same &= d_is(names[j->name & d_string_mask()], x->c & ~x->closing);
	ends = in_key & x->closing;
	x->is_hit = d_pick(ends, j->is_same, j->is_hit);
	x->wants_key = j->wants_key & ~ends;
	in_key &= ~x->closing;
	begins &= x->wants_key;
	x->element = j->element;
	j->name = d_pick(begins, path->offsets[(x->element - 1) & (D_JSON_LEVELS - 1)], j->name - in_key);
	j->in_key = in_key | begins;
	j->is_same |= begins;
}

/* The value ends: a string, a container, or a number or word. */
static __always_inline void d_json_value_ends(volatile struct d_json_reading *j, struct d_json_char *x)
{
	u64 ends = d_pick(j->is_nested, x->closes & d_is(x->depth, j->level + 1),
			  (x->comma | x->closes | x->space) & x->is_here);

	ends = j->in_value & d_pick(j->is_text, x->closing, ends);
	j->end = d_pick(ends & ~x->is_over, x->at - j->is_nested, j->end);
	/* Or the container ends: the value is missing. */
	x->is_over |= ends | (x->closes & x->is_here & ~j->in_value);
}

/* A value starts. It is the result if the path ends here; otherwise it must be the next container. */
static __always_inline u64 d_json_value_begins(volatile struct d_json_reading *j, struct d_json_char *x, u64 elements)
{
	u64 begins = j->wants_value & x->is_here & ~x->space & ~x->in_string & ~x->is_over, start, enters;

	x->wants_value = j->wants_value & ~begins;
	begins &= x->is_hit;
	start = begins & d_is(x->element, elements);
	enters = begins & ~start;
	j->is_over = x->is_over | (begins & ~(x->quote | x->opens | d_bit(x->t, 7))) | (enters & ~x->opens);
	j->in_value |= start;
	j->is_text = d_pick(start, x->quote, j->is_text);
	j->is_nested = d_pick(start, x->opens, j->is_nested);
	j->start = d_pick(start, x->at - x->quote, j->start);
	return enters;
}

/* The next item or key; enter the container that the element names. */
static __always_inline void d_json_next(volatile struct d_json_reading *j, struct d_json_char *x, u64 enters,
					const volatile struct d_json_path *path)
{
	u64 comma = x->comma & x->is_here, is_array = j->is_array, is_hit, wants_value;

	j->item = (j->item - comma) & ~enters;
	is_hit = d_pick(comma, is_array & d_is(j->item, j->wanted), x->is_hit);
	wants_value = x->wants_value | (comma & is_array) | (d_bit(x->t, 5) & x->is_here & ~is_array);
	x->wants_key |= comma & ~is_array;

	j->wanted = d_pick(enters, path->numbers[x->element & (D_JSON_LEVELS - 1)], j->wanted);
	is_array = d_pick(enters, d_is(x->c, '['), is_array);
	j->is_array = is_array;
	j->is_hit = d_pick(enters, is_array & d_is(j->wanted, 0), is_hit);
	j->wants_value = d_pick(enters, is_array, wants_value);
	j->wants_key = d_pick(enters, ~is_array, x->wants_key);
	j->element = x->element - enters;
	j->level -= enters;
	j->depth = x->depth + x->closes - x->opens;
	j->at = x->at + 1;
}

static __always_inline void d_json_step(struct d_frame *f, volatile struct d_json_reading *j, u64 c, u64 elements)
{
	const volatile u8 *names = (const volatile u8 *)d_at(f, d_work_string(0));
	const volatile struct d_json_path *path = d_json_path(f);
	struct d_json_char x;

	d_json_look(j, &x, c);
	d_json_key(j, &x, names, path);
	d_json_value_ends(j, &x);
	d_json_next(j, &x, d_json_value_begins(j, &x, elements), path);
}

/* loop->a is the text, loop->b the number of path elements. */
static long d_json_stride(u32 i, struct d_loop *loop)
{
	const volatile u8 *x = (const volatile u8 *)d_at(loop->f, D_PLACE(loop->a)) + d_stride(i);
	volatile struct d_json_reading *j = (volatile struct d_json_reading *)d_text_words(loop->f);

	for (u64 n = 0; n < D_STRIDE; n++) {
		d_keep(n);
		d_json_step(loop->f, j, x[n], loop->b);
	}
	return d_differs(j->is_over, 0);
}

static __always_inline void d_json_read(struct d_frame *f, volatile struct d_json_reading *j, u64 s, u64 elements)
{
	struct d_loop loop = { f, s, elements };

	d_clear((void *)j, sizeof(*j));
	j->wants_value = -1ULL;
	j->is_hit = -1ULL;
	d_repeat(d_has_loop || D_STRIDES < D_JSON_STRIDES ? D_STRIDES : D_JSON_STRIDES, d_json_stride, &loop);
}

D_INSIDE d_json_in(struct d_frame *f, u64 dst, u64 s, u64 path)
{
	volatile struct d_json_reading *j = (volatile struct d_json_reading *)d_text_words(f);
	u64 start, end;

	d_string_clear(f, dst);
	if (!d_string_given(f, s) || !d_string_given(f, path))
		return 0;
	d_json_read(f, j, s, d_json_split(f, path));
	start = j->start;
	end = j->end;
	if (!end)
		d_string_set_null(f, dst);
	else if (end > start)
		d_string_part(f, dst, s, start, end - start);
	return 0;
}
D_ONCE_3(d_json, D_PLACE, D_PLACE, D_PLACE)

#endif
