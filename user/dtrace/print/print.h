/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text: trace(), printf(), print() and keys of aggregations, in the exact layout of libdtrace. This file
 * knows fields and bytes, but no records. The bytes are not trusted: lengths beyond the record are cut, and control
 * characters from traced processes are removed.
 */
#ifndef ERLBPF_DTRACE_PRINT_PRINT_H
#define ERLBPF_DTRACE_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/unit.h"
#include "dtrace/print/consumer_ops.h"

/* The output, and callbacks for what the bytes do not contain. */
struct print {
	FILE *to;
	bool is_terminal;
	uint32_t os_id; /* of the record */
	const struct consumer_options *options;
	const struct consumer_ops *ops;
	void *data;
};

/* Bytes with fields: a record, or the key of an aggregation. */
struct bytes {
	const void *data;
	size_t size;
	bool is_key; /* strings are in place, padded */
};

/* A decoded field. */
struct field_value {
	const struct field *field;
	uint64_t number;  /* FIELD_INT; the address of a FIELD_SYMBOL */
	const char *data; /* data: a string (not terminated), bytes, addresses of a stack, a snapshot */
	size_t size;
	uint32_t os_id; /* of a symbol, a stack, a term */
};

void value_read(struct field_value *value, const struct print *print, const struct bytes *bytes,
		const struct field *field);

/* Signedness in the program; the number in the record is always 64 bits. */
bool value_is_signed(const struct field_value *value);
uint64_t value_unsigned(const struct field_value *value); /* without the extension */
struct type *value_type(const struct field_value *value); /* without typedefs; NULL: unknown */
bool value_is_chars(const struct field_value *value);	  /* char[] */

/*
 * New, terminated text of a string, a symbol or a term, safe to print; NULL: out of memory. Strings end at their first
 * NUL.
 */
char *value_text(const struct print *print, const struct field_value *value);

/* The same for other untrusted text. */
char *print_clean(const struct print *print, const char *text, size_t size);

/* Reports once that output is missing for lack of memory. print_shortages() counts, for the exit code. */
void print_lacks_memory(void);
unsigned long print_shortages(void);

/* trace(x). */
void print_trace(const struct print *print, const struct field_value *value);

/* A key before the value of an aggregation; packed: text is right-aligned in a narrow column. */
void print_key(const struct print *print, const struct field_value *value, bool is_packed);

/* Width of a packed key, for its heading. */
int print_key_width(const struct field *field);

/* tracemem(): a dump with sixteen bytes per line. */
void print_dump(const struct print *print, const void *data, size_t size);

/* The kind of symbol for a stack frame; the innermost is 0. */
enum field_symbol print_frame_symbol(const struct print *print, const struct field_value *stack, size_t frame);

/* ustack(), stack(): one line per frame, padded to a width. */
void print_stack(const struct print *print, const struct field_value *value, int indent, int width, bool is_left);

/* print(x), with `number` fields. */
void print_typed(const struct print *print, const struct field_value *values, size_t number);

/* Source of the values for a format: fields of an action or key, and aggregations for %@. */
struct format_source {
	struct bytes bytes;
	const struct field *fields;
	/* Prints the value of the next aggregation; NULL in printf(). */
	void (*aggregation)(void *data, const struct print *print, const struct format_part *part, const char *flags);
	void *data;
};

void print_format(const struct print *print, const struct format *format, const struct format_source *source);

/* A number by a conversion, as an integer or a time: `flags` is the text between % and the letter. */
void print_number(const struct print *print, const struct format_part *part, const char *flags, uint64_t number,
		  bool is_signed);

#endif
