/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text: what trace(), printf(), print() and the keys of aggregations look like, to the column as
 * libdtrace prints them. Nothing here knows of records, only of fields and the bytes behind them, which are
 * not trusted: a length that reaches beyond its record is cut, text of a traced process loses what would
 * control a terminal.
 */
#ifndef ERLBPF_DTRACE_PRINT_PRINT_H
#define ERLBPF_DTRACE_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* Where text goes to, and what is asked for what the bytes do not say. */
struct print {
	FILE *to;
	bool is_terminal;
	uint32_t os_id; /* of the record */
	const struct consumer_options *options;
	const struct consumer_ops *ops;
	void *data;
};

/* Bytes that fields lie in: a record, or the key of an aggregation. */
struct bytes {
	const void *data;
	size_t size;
	bool is_key; /* strings lie in place, padded */
};

/* A field, taken out of its bytes. */
struct field_value {
	const struct field *field;
	uint64_t number;  /* FIELD_INT; the address of a FIELD_SYMBOL */
	const char *data; /* what is behind: a string (not terminated), bytes, addresses of a stack, a snapshot */
	size_t size;
	uint32_t os_id; /* of a symbol, a stack, a term */
};

void value_read(struct field_value *value, const struct print *print, const struct bytes *bytes,
		const struct field *field);

/* The sign that the program sees; the number in the record is always 64 bits. */
bool value_is_signed(const struct field_value *value);
uint64_t value_unsigned(const struct field_value *value); /* without what the extension added */
struct type *value_type(const struct field_value *value); /* without typedefs; NULL: unknown */
bool value_is_chars(const struct field_value *value);	  /* char[] */

/*
 * New, terminated text of a value that is text, a symbol or a term, as it may be printed there; NULL when
 * memory is short. Strings end at their first NUL.
 */
char *value_text(const struct print *print, const struct field_value *value);

/* The same for any text that is not ours. */
char *print_clean(const struct print *print, const char *text, size_t size);

/* For who cannot print something for want of memory: it is said once. Whoever ends a program asks how often it was. */
void print_lacks_memory(void);
unsigned long print_shortages(void);

/* trace(x). */
void print_trace(const struct print *print, const struct field_value *value);

/* One of the keys in front of the value of an aggregation; packed, text stands to the right of a narrow column. */
void print_key(const struct print *print, const struct field_value *value, bool is_packed);

/* Columns of a packed key, as its heading counts them. */
int print_key_width(const struct field *field);

/* tracemem(): a dump, sixteen bytes a line. */
void print_dump(const struct print *print, const void *data, size_t size);

/* What is to be said of a frame of a stack, the innermost of which is 0. */
enum field_symbol print_frame_symbol(const struct print *print, const struct field_value *stack, size_t frame);

/* ustack(), stack(): a line per frame, padded to a width. */
void print_stack(const struct print *print, const struct field_value *value, int indent, int width, bool is_left);

/* print(x): `number` of them are the fields of the action. */
void print_typed(const struct print *print, const struct field_value *values, size_t number);

/* Where the values of a format come from: the fields of an action or a key, and aggregations for %@. */
struct format_source {
	struct bytes bytes;
	const struct field *fields;
	/* Prints the next aggregation's value; NULL in a printf(). */
	void (*aggregation)(void *data, const struct print *print, const struct format_part *part, const char *flags);
	void *data;
};

void print_format(const struct print *print, const struct format *format, const struct format_source *source);

/* A number by a conversion, as an integer or as a time: `flags` is what stands between % and the letter. */
void print_number(const struct print *print, const struct format_part *part, const char *flags, uint64_t number,
		  bool is_signed);

#endif
