// SPDX-License-Identifier: BSD-2-Clause
/*
 * printf() and printa() with a parsed format. C's printf does the padding; D defines the conversions: integers are as
 * wide as their argument, %p is hexadecimal without 0x, precision 0 means none.
 */
#include "dtrace/print/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"

#define FLAGS_SIZE 64
#define DATE_SIZE 64
#define NS_PER_S 1000000000

/* The formats below are built here, from validated flags. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

struct reader {
	const struct print *print;
	const struct format_source *source;
	const struct field *next;
};

/* False if values are missing, which the checker prevents. */
static bool take(struct reader *reader, struct field_value *value)
{
	if (!reader->next)
		return false;
	value_read(value, reader->print, &reader->source->bytes, reader->next);
	reader->next = reader->next->next;
	return true;
}

static int take_star(struct reader *reader)
{
	struct field_value value;
	int64_t number;

	if (!take(reader, &value))
		return 0;
	number = (int32_t)value.number;
	return (int)(number > FORMAT_STAR_MOST	  ? FORMAT_STAR_MOST
		     : number < -FORMAT_STAR_MOST ? -FORMAT_STAR_MOST
						  : number);
}

struct conversion {
	int width, precision; /* 0: none */
	bool is_left;
	char flags[FLAGS_SIZE]; /* including width and precision */
};

static void layout_read(struct conversion *layout, struct reader *reader, const struct format_part *part)
{
	int width = part->star_width ? take_star(reader) : part->width > 0 ? part->width : 0;
	int precision = part->star_precision ? take_star(reader) : part->precision > 0 ? part->precision : 0;
	int length;

	layout->is_left = part->minus || width < 0;
	layout->width = abs(width);
	layout->precision = precision > 0 ? precision : 0;
	length = snprintf(layout->flags, sizeof(layout->flags), "%s%s%s%s%s%s", part->sharp ? "#" : "",
			  part->zero ? "0" : "", layout->is_left ? "-" : "", part->plus ? "+" : "",
			  part->group ? "'" : "", part->space ? " " : "");
	if (layout->width)
		length += snprintf(layout->flags + length, sizeof(layout->flags) - (size_t)length, "%d", layout->width);
	if (layout->precision)
		snprintf(layout->flags + length, sizeof(layout->flags) - (size_t)length, ".%d", layout->precision);
}

static void print_int(const struct print *print, const struct format_part *part, const char *flags, uint64_t number,
		      bool is_signed)
{
	char conversion = part->conversion, format[FLAGS_SIZE + 8];

	if (part->class == FORMAT_POINTER)
		conversion = 'x';
	else if (part->class == FORMAT_SIGNED && !is_signed)
		conversion = 'u';
	else if (part->class != FORMAT_SIGNED && part->class != FORMAT_UNSIGNED)
		conversion = is_signed ? 'd' : 'u';
	snprintf(format, sizeof(format), "%%%sll%c", flags, conversion);
	fprintf(print->to, format, (unsigned long long)number);
}

static void print_string(const struct print *print, const char *flags, const char *text)
{
	char format[FLAGS_SIZE + 8];

	snprintf(format, sizeof(format), "%%%ss", flags);
	fprintf(print->to, format, text ? text : "");
}

/* %hd, %ld: the modifier asserts a type, which is signed. */
static bool reads_signed(const struct format_part *part, const struct field_value *value)
{
	return part->class == FORMAT_SIGNED && (part->modifier[0] || value_is_signed(value));
}

static void print_integer(const struct print *print, const struct format_part *part, const char *flags,
			  const struct field_value *value)
{
	bool is_signed = reads_signed(part, value);

	print_int(print, part, flags, is_signed ? value->number : value_unsigned(value), is_signed);
}

/* C escapes, so the output can be pasted into a program. */
static void put_escaped(FILE *to, unsigned char c)
{
	static const char plain[] = "\a\b\f\n\r\t\v\"\\", letters[] = "abfnrtv\"\\";
	const char *at = c ? strchr(plain, c) : NULL;

	if (!c)
		fputs("\\0", to);
	else if (at)
		fprintf(to, "\\%c", letters[at - plain]);
	else if (c < ' ' || c > '~')
		fprintf(to, "\\%03o", c);
	else
		fputc(c, to);
}

static void print_escaped(const struct print *print, const char *flags, const char *data, size_t size)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);

	for (size_t i = 0; to && i < size; i++)
		put_escaped(to, (unsigned char)data[i]);
	if (to && !fclose(to))
		print_string(print, flags, text);
	else
		print_lacks_memory();
}

static void print_char(const struct print *print, const struct format_part *part, const char *flags,
		       const struct field_value *value)
{
	unsigned char c = (unsigned char)value->number;
	char format[FLAGS_SIZE + 8];

	if (part->conversion == 'C') {
		print_escaped(print, flags, (const char *)&c, 1);
		return;
	}
	if (print->is_terminal && (c < ' ' || c > '~') && c != '\t' && c != '\n')
		c = '.';
	snprintf(format, sizeof(format), "%%%sc", flags);
	fprintf(print->to, format, c);
}

/* %ws: 32-bit characters. */
static char *wide_text(const struct print *print, const struct field_value *value)
{
	_cleanup_free_ char *text = calloc(1, value->size + 1);
	size_t length = 0;

	if (!text) {
		print_lacks_memory();
		return NULL;
	}
	for (size_t i = 0; i + sizeof(uint32_t) <= value->size; i += sizeof(uint32_t)) {
		uint32_t c;

		memcpy(&c, value->data + i, sizeof(c));
		if (!c)
			break;
		if (c < 0x80) {
			text[length++] = (char)c;
		} else if (c < 0x800) {
			text[length++] = (char)(0xc0 | c >> 6);
			text[length++] = (char)(0x80 | (c & 0x3f));
		} else if (c < 0x10000) {
			text[length++] = (char)(0xe0 | c >> 12);
			text[length++] = (char)(0x80 | (c >> 6 & 0x3f));
			text[length++] = (char)(0x80 | (c & 0x3f));
		} else {
			text[length++] = (char)(0xf0 | (c >> 18 & 7));
			text[length++] = (char)(0x80 | (c >> 12 & 0x3f));
			text[length++] = (char)(0x80 | (c >> 6 & 0x3f));
			text[length++] = (char)(0x80 | (c & 0x3f));
		}
	}
	return print_clean(print, text, length);
}

static void print_text(const struct print *print, const struct format_part *part, const char *flags,
		       const struct field_value *value)
{
	bool is_wide = part->modifier[0] == 'w' || part->modifier[0] == 'l';
	_cleanup_free_ char *text = NULL;

	if (part->conversion == 'S' && (value->field->kind == FIELD_STRING || value->field->kind == FIELD_BYTES)) {
		print_escaped(print, flags, value->data, strnlen(value->data, value->size));
		return;
	}
	text = is_wide && value->field->kind == FIELD_BYTES ? wide_text(print, value) : value_text(print, value);
	print_string(print, flags, text);
}

static void print_float(const struct print *print, const struct format_part *part, const char *flags,
			const struct field_value *value)
{
	struct type *type = value_type(value);
	char format[FLAGS_SIZE + 8];
	long double number = 0;
	double twice;
	float once;

	if (value->field->kind == FIELD_BYTES && value->size >= sizeof(number)) {
		memcpy(&number, value->data, sizeof(number));
	} else if (type && type->size == sizeof(once)) {
		memcpy(&once, &value->number, sizeof(once));
		number = once;
	} else {
		memcpy(&twice, &value->number, sizeof(twice));
		number = twice;
	}
	snprintf(format, sizeof(format), "%%%sL%c", flags, part->conversion);
	fprintf(print->to, format, number);
}

static void print_address(const struct print *print, const struct format_part *part, const char *flags,
			  const struct field_value *value)
{
	struct field field = { .kind = FIELD_SYMBOL, .symbol = part->conversion == 'A' ? SYMBOL_UADDR : SYMBOL_KADDR };
	struct field_value address = { .field = &field, .number = value->number, .os_id = value->os_id };
	_cleanup_free_ char *text = value_text(print, value->field->kind == FIELD_SYMBOL ? value : &address);

	print_string(print, flags, text);
}

/* "2026 Nov 21 08:00:00": ctime() with the year first. */
static void print_date(const struct print *print, const char *flags, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char text[DATE_SIZE] = "";
	struct tm when;

	if (localtime_r(&seconds, &when))
		strftime(text, sizeof(text), "%Y %b %e %T", &when);
	print_string(print, flags, text);
}

/* As in RFC 822. */
static void print_time(const struct print *print, const char *flags, uint64_t ns)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char text[DATE_SIZE] = "";
	struct tm when;

	if (localtime_r(&seconds, &when))
		strftime(text, sizeof(text), "%a, %d %b %G %T %Z", &when);
	print_string(print, flags, text);
}

/* A term is printed in Erlang syntax instead of as a time. */
static void print_time_or_term(const struct print *print, const char *flags, const struct field_value *value)
{
	_cleanup_free_ char *term = value->field->kind == FIELD_TERM ? value_text(print, value) : NULL;

	if (value->field->kind == FIELD_TERM)
		print_string(print, flags, term);
	else
		print_time(print, flags, value->number);
}

void print_number(const struct print *print, const struct format_part *part, const char *flags, uint64_t number,
		  bool is_signed)
{
	if (part->class == FORMAT_DATE)
		print_date(print, flags, number);
	else if (part->class == FORMAT_TIME)
		print_time(print, flags, number);
	else
		print_int(print, part, flags, number, is_signed);
}

/* The width is the indent of a left-aligned stack, or the width of the frames of any other. */
static void print_frames(const struct print *print, const struct conversion *layout, const struct field_value *value)
{
	print_stack(print, value, layout->is_left ? layout->width : 0, layout->is_left ? 0 : layout->width, false);
}

static void print_value(const struct print *print, const struct format_part *part, const struct conversion *layout,
			const struct field_value *value)
{
	switch (part->class) {
	case FORMAT_SIGNED:
	case FORMAT_UNSIGNED:
	case FORMAT_POINTER: print_integer(print, part, layout->flags, value); break;
	case FORMAT_CHAR: print_char(print, part, layout->flags, value); break;
	case FORMAT_STRING: print_text(print, part, layout->flags, value); break;
	case FORMAT_FLOAT: print_float(print, part, layout->flags, value); break;
	case FORMAT_ADDRESS: print_address(print, part, layout->flags, value); break;
	case FORMAT_STACK: print_frames(print, layout, value); break;
	case FORMAT_DATE: print_date(print, layout->flags, value->number); break;
	case FORMAT_TIME: print_time_or_term(print, layout->flags, value); break;
	case FORMAT_TEXT: break;
	}
}

/* Plain %d and %s, the most frequent conversions. */
static bool is_plain(const struct format_part *part)
{
	return !part->is_agg && part->width <= 0 && part->precision <= 0 && !part->star_width &&
	       !part->star_precision && !part->sharp && !part->zero && !part->minus && !part->plus && !part->group &&
	       !part->space &&
	       (part->conversion == 'd' || part->conversion == 'i' || part->conversion == 'u' ||
		part->conversion == 's');
}

static void print_decimal(const struct print *print, uint64_t number, bool is_signed)
{
	bool is_negative = is_signed && (int64_t)number < 0;
	char digits[24], *at = digits + sizeof(digits);

	if (is_negative)
		number = -number;
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	if (is_negative)
		*--at = '-';
	fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), print->to);
}

/*
 * C's printf with a generated format takes several times as long, and printing must keep up with busy probes. False:
 * use print_value().
 */
static bool print_plain(const struct print *print, const struct format_part *part, const struct field_value *value)
{
	if (part->class == FORMAT_SIGNED || part->class == FORMAT_UNSIGNED) {
		bool is_signed = reads_signed(part, value);

		print_decimal(print, is_signed ? value->number : value_unsigned(value), is_signed);
		return true;
	}
	if (part->class != FORMAT_STRING || value->field->kind != FIELD_STRING || print->is_terminal)
		return false;
	fwrite(value->data, 1, value->size, print->to);
	return true;
}

static void print_part(struct reader *reader, const struct format_part *part)
{
	const struct print *print = reader->print;
	struct conversion layout = {};
	struct field_value value;

	if (part->text_size)
		fwrite(part->text, 1, part->text_size, print->to);
	if (part->class == FORMAT_TEXT)
		return;
	if (is_plain(part)) {
		if (take(reader, &value) && !print_plain(print, part, &value))
			print_value(print, part, &layout, &value);
		return;
	}
	layout_read(&layout, reader, part);
	if (part->is_agg && reader->source->aggregation)
		reader->source->aggregation(reader->source->data, print, part, layout.flags);
	else if (take(reader, &value))
		print_value(print, part, &layout, &value);
}

void print_format(const struct print *print, const struct format *format, const struct format_source *source)
{
	struct reader reader = { print, source, source->fields };

	for (const struct format_part *part = format->parts; part; part = part->next)
		print_part(&reader, part);
}
