/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* term(): copies the memory of a term to the end of the record; user space turns it into text. */
#ifndef ERLBPF_BPF_D_SNAPSHOT_BPF_H
#define ERLBPF_BPF_D_SNAPSHOT_BPF_H

#include "d/string.bpf.h"
#include "term.bpf.h"

_Static_assert(D_TERM_ARG == ERL_ARG_TERM, "an argument has one number");

#define D_SMALL(n) ((n) << 4 | 0xf) /* the term of a small integer */
#define D_FORM_SPAWNED 0x100	    /* besides enum erl_form: a spawned function, in pieces */

/* Form of argument n. */
static __always_inline u32 d_form_of(u64 n)
{
	return n == D_SPAWNED_ARG && d_has_spawned() ? D_FORM_SPAWNED : erl_config.args[n].form;
}

static __always_inline void d_term_put_text(struct term_snapshot *s, u64 address)
{
	long size = bpf_probe_read_user_str(s->lines, ERL_TEXT, (const void *)address);

	s->flags = size > 0 ? D_TERM_TEXT : D_TERM_NONE;
	s->count = size > 0 ? (size + sizeof(struct term_line) - 1) / sizeof(struct term_line) : 0;
}

static __always_inline void d_term_put_mfa(struct term_snapshot *s, u64 address)
{
	s->flags = D_TERM_MFA;
	term_keep(s, address, 24);
}

/* As an MFA at address 0, which no process uses. */
static __always_inline void d_term_put_spawned(struct d_frame *f, struct term_snapshot *s)
{
	struct term_line *line = &s->lines[0];

	s->term = 0;
	s->flags = D_TERM_MFA;
	s->count = 1;
	line->address = 0;
	line->words[0] = *(volatile u64 *)&f->spawned[0];
	line->words[1] = *(volatile u64 *)&f->spawned[1];
	line->words[2] = d_list_length(f, *(volatile u64 *)&f->spawned[2]);
}

/* The argument in any form: if it is not a term, the value that the VM has instead. */
static __always_inline void d_term_of(struct d_frame *f, struct term_snapshot *s, u64 value, u32 form)
{
	term_begin(s, TERM_LINES);
	s->term = value;
	/* Not term_add(): calls can nest eight deep, and this is the eighth. */
	if (form == ERL_FORM_TERM || form == ERL_FORM_IODATA)
		term_walk(s, value);
	else if (form == ERL_FORM_MFA)
		d_term_put_mfa(s, value);
	else if (form == D_FORM_SPAWNED)
		d_term_put_spawned(f, s);
	else if (form == ERL_FORM_TEXT)
		d_term_put_text(s, value);
	else if (form == ERL_FORM_NONE || form == ERL_FORM_SKIPPED)
		s->flags = D_TERM_NONE;
	else
		s->term = D_SMALL(value);
}

/*
 * Appends to the record at `record`, which has room up to `most`. The field at offset `field` gets the offset and
 * length.
 */
static __always_inline u64 d_term_put(struct d_frame *f, u64 record, u64 field, u64 value, u32 form, u64 most)
{
	u64 at = d_offset((f->record_size + 7) & ~7ULL, most - sizeof(struct term_snapshot)), size;
	struct term_snapshot *s = (struct term_snapshot *)d_at(f, record + at);
	volatile u32 *place = (volatile u32 *)d_at(f, record + field);

	d_term_of(f, s, value, form);
	size = term_snapshot_size(s);
	place[0] = at;
	place[1] = size;
	f->record_size = at + size;
	return 0;
}

/* A term that the program got as an argument of a function, from a variable or from memory. */
D_FUNCTION d_term(struct d_frame *f, u64 record, u64 field, u64 value, u64 most)
{
	u32 form = ERL_FORM_TERM;

	/* An argument that was stored in a variable. */
	if (d_is_text(value)) {
#pragma unroll
		for (int n = 0; n < D_ARGS; n++) {
			if (value == D_TEXT_TAG + n) {
				form = d_form_of(n);
				value = f->raw[n];
				break;
			}
		}
	}
	return d_term_put(f, record, field, value, form, most);
}

/* From argument n, a constant, or from the term that the probe is about. */
D_FUNCTION d_term_arg(struct d_frame *f, u64 record, u64 field, u64 n, u64 most)
{
	if (n > D_TERM_ARG)
		return 0;
	return d_term_put(f, record, field, *(volatile u64 *)&f->raw[n], d_form_of(n), most);
}

/* --- As a key: the text that is made here ------------------------------------------------------------- */

D_INSIDE d_term_text_in(struct d_frame *f, u64 dst, u64 value)
{
	d_string_clear(f, dst);
	if (d_is_text(value))
		return d_text(f, dst, value & ~D_TEXT_TAG_MASK, d_string_size);
	d_text_begin(f);
	d_put_term(f, value);
	d_meet();
	return d_text_give(f, dst, d_string_size);
}
D_ONCE_2(d_term_text, D_PLACE, D_VALUE)

D_INSIDE d_term_arg_text_in(struct d_frame *f, u64 dst, u64 n)
{
	u64 value, form;

	if (n > D_TERM_ARG)
		return 0;
	value = *(volatile u64 *)&f->raw[n];
	form = d_form_of(n);
	d_string_clear(f, dst);
	if (form == ERL_FORM_TEXT)
		bpf_probe_read_user_str(d_at(f, dst), d_string_size + 1, (const void *)value);
	if (form == ERL_FORM_TEXT || form == ERL_FORM_NONE || form == ERL_FORM_SKIPPED)
		return 0;
	if (n < D_TERM_ARG && form != ERL_FORM_IODATA)
		return d_text(f, dst, n, d_string_size);
	d_text_begin(f);
	d_put_term(f, value);
	d_meet();
	return d_text_give(f, dst, d_string_size);
}
D_ONCE_2(d_term_arg_text, D_PLACE, D_VALUE)

#endif
