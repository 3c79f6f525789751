// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/print/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "term.h"

#define SYMBOL_SIZE 1024
#define TERM_TEXT_SIZE 8192
#define TRACE_WIDTH 33
#define KEY_WIDTH 50
#define PACKED_KEY_WIDTH 16
#define DUMP_ROW 16
#define STACK_MOST 1024 /* frames, more than any kernel map can hold */

static uint64_t read_u64(const char *from)
{
	uint64_t number;

	memcpy(&number, from, sizeof(number));
	return number;
}

/* The bytes from an offset on, at most `size`. */
static const char *bytes_at(const struct bytes *bytes, size_t offset, size_t *size)
{
	if (offset > bytes->size)
		offset = bytes->size;
	if (*size > bytes->size - offset)
		*size = bytes->size - offset;
	return (const char *)bytes->data + offset;
}

/* In a key the bytes are in place; in a record the field holds their offset. */
static void read_string(struct field_value *value, const struct bytes *bytes)
{
	uint32_t place[2];
	size_t size = bytes->is_key ? value->field->size : sizeof(place);
	const char *at = bytes_at(bytes, value->field->offset, &size);

	if (!bytes->is_key) {
		if (size < sizeof(place))
			return;
		memcpy(place, at, sizeof(place));
		size = place[1];
		at = bytes_at(bytes, place[0], &size);
	}
	value->data = at;
	value->size = value->field->kind == FIELD_TERM ? size : strnlen(at, size);
}

static void read_stack(struct field_value *value)
{
	size_t frames = (uint32_t)value->number;

	value->os_id = (uint32_t)(value->number >> 32);
	if (value->size / sizeof(uint64_t) > frames)
		value->size = frames * sizeof(uint64_t);
}

/* A word, and the data after it. */
static void read_word(struct field_value *value, const struct bytes *bytes)
{
	size_t size = value->field->size > sizeof(uint64_t) ? value->field->size : sizeof(uint64_t);
	const char *at = bytes_at(bytes, value->field->offset, &size);

	if (size < sizeof(uint64_t))
		return;
	value->number = read_u64(at);
	value->data = at + sizeof(uint64_t);
	value->size = size - sizeof(uint64_t);
}

void value_read(struct field_value *value, const struct print *print, const struct bytes *bytes,
		const struct field *field)
{
	*value = (struct field_value){ .field = field, .data = "", .os_id = print->os_id };
	switch (field->kind) {
	case FIELD_STRING:
	case FIELD_TERM: read_string(value, bytes); break;
	case FIELD_BYTES:
		value->size = field->size;
		value->data = bytes_at(bytes, field->offset, &value->size);
		break;
	case FIELD_SYMBOL:
		read_word(value, bytes);
		if (value->size >= sizeof(uint64_t))
			value->os_id = (uint32_t)read_u64(value->data);
		break;
	case FIELD_STACK:
		read_word(value, bytes);
		read_stack(value);
		break;
	case FIELD_INT: read_word(value, bytes); break;
	}
}

struct type *value_type(const struct field_value *value)
{
	return type_real(value->field->type);
}

/* The size that the program sees. */
static size_t int_size(const struct field_value *value)
{
	struct type *type = value_type(value);
	size_t size = type ? type->size : 0;

	return size == 1 || size == 2 || size == 4 ? size : sizeof(uint64_t);
}

bool value_is_signed(const struct field_value *value)
{
	struct type *type = value_type(value);

	return !type || ((type->kind == TYPE_INT || type->kind == TYPE_ENUM) && type->is_signed);
}

uint64_t value_unsigned(const struct field_value *value)
{
	size_t size = int_size(value);

	return size == sizeof(uint64_t) ? value->number : value->number & ((1ULL << 8 * size) - 1);
}

bool value_is_chars(const struct field_value *value)
{
	struct type *type = value_type(value), *of;

	if (value->field->kind != FIELD_BYTES || !type || type->kind != TYPE_ARRAY)
		return false;
	of = type_real(type->base);
	return of && of->kind == TYPE_INT && of->size == 1;
}

/* All control characters except tabs and line ends are escaped by base/text.h. */
static void put_clean(FILE *to, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\t\n");
		_cleanup_free_ char *piece = strndup(text, length), *clean = piece ? text_for_terminal(piece) : NULL;

		if (clean)
			fputs(clean, to);
		text += length;
		if (*text)
			fputc(*text++, to);
	}
}

static unsigned long shortages;

void print_lacks_memory(void)
{
	if (!shortages++)
		pr_err("out of memory: part of the output is missing");
}

unsigned long print_shortages(void)
{
	return shortages;
}

static char *clean_copy(const char *raw)
{
	char *clean = NULL;
	size_t size;
	FILE *to = open_memstream(&clean, &size);

	if (!to)
		return NULL;
	put_clean(to, raw);
	if (!fclose(to))
		return clean;
	free(clean);
	return NULL;
}

char *print_clean(const struct print *print, const char *text, size_t size)
{
	char *raw = strndup(text, size), *clean;

	if (raw && !print->is_terminal)
		return raw;
	clean = raw ? clean_copy(raw) : NULL;
	free(raw);
	if (!clean)
		print_lacks_memory();
	return clean;
}

static char *symbol_text(const struct print *print, const struct field_value *value)
{
	char text[SYMBOL_SIZE];

	snprintf(text, sizeof(text), "0x%" PRIx64, value->number);
	print->ops->symbol(print->data, value->os_id, value->number, value->field->symbol, text, sizeof(text));
	return print_clean(print, text, sizeof(text));
}

static char *term_text(const struct print *print, const struct field_value *value)
{
	_cleanup_free_ char *text = calloc(1, TERM_TEXT_SIZE);
	struct term_snapshot snapshot = { .flags = D_TERM_NONE };

	if (!text) {
		print_lacks_memory();
		return NULL;
	}
	/* A whole, aligned snapshot: the record can hold less. */
	memcpy(&snapshot, value->data, value->size < sizeof(snapshot) ? value->size : sizeof(snapshot));
	print->ops->term(print->data, value->os_id, &snapshot, text, TERM_TEXT_SIZE);
	return print_clean(print, text, TERM_TEXT_SIZE);
}

char *value_text(const struct print *print, const struct field_value *value)
{
	char *text = NULL;

	switch (value->field->kind) {
	case FIELD_STRING:
	case FIELD_BYTES: return print_clean(print, value->data, value->size);
	case FIELD_SYMBOL: return symbol_text(print, value);
	case FIELD_TERM: return term_text(print, value);
	case FIELD_INT:
	case FIELD_STACK: break;
	}
	if (asprintf(&text, "%" PRId64, (int64_t)value->number) >= 0)
		return text;
	print_lacks_memory();
	return NULL;
}

static void print_padded(const struct print *print, const struct field_value *value, int width)
{
	_cleanup_free_ char *text = value_text(print, value);

	if (text)
		fprintf(print->to, "  %-*s", width, text);
}

static void print_dump_row(FILE *to, const unsigned char *row, size_t offset, size_t length)
{
	fprintf(to, "%10zx:", offset);
	for (size_t i = 0; i < DUMP_ROW; i++) {
		if (i < length)
			fprintf(to, " %02x", row[i]);
		else
			fputs("   ", to);
	}
	fputs("  ", to);
	for (size_t i = 0; i < length; i++)
		fputc(row[i] < ' ' || row[i] > '~' ? '.' : row[i], to);
	fputc('\n', to);
}

void print_dump(const struct print *print, const void *data, size_t size)
{
	if (!size)
		return;
	fputs("\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n", print->to);
	for (size_t i = 0; i < size; i += DUMP_ROW) {
		size_t left = size - i;

		print_dump_row(print->to, (const unsigned char *)data + i, i, left < DUMP_ROW ? left : DUMP_ROW);
	}
}

static void print_trace_int(const struct print *print, const struct field_value *value)
{
	static const int signed_width[] = { [1] = 3, [2] = 5, [4] = 10, [8] = 19 };
	static const int unsigned_width[] = { [1] = 3, [2] = 5, [4] = 10, [8] = 20 };
	size_t size = int_size(value);
	bool quiet = print->options->quiet;

	if (!quiet)
		fputc(' ', print->to);
	if (value_is_signed(value))
		fprintf(print->to, "%*" PRId64, quiet ? 0 : signed_width[size], (int64_t)value->number);
	else
		fprintf(print->to, "%*" PRIu64, quiet ? 0 : unsigned_width[size], value_unsigned(value));
}

static void print_trace_text(const struct print *print, const struct field_value *value)
{
	if (print->options->quiet) {
		_cleanup_free_ char *text = value_text(print, value);

		if (text)
			fputs(text, print->to);
		return;
	}
	print_padded(print, value, TRACE_WIDTH);
}

/* As large as a string can be, with its NUL, as in records of DTrace. */
static void print_dump_string(const struct print *print, const struct field_value *value)
{
	size_t size = type_real(value->field->type)->size + 1;
	_cleanup_free_ char *string = calloc(1, size);

	if (string) {
		memcpy(string, value->data, value->size < size ? value->size : size);
		print_dump(print, string, size);
	}
}

/* Printable up to the end, or up to trailing NULs: DTrace takes such bytes for a string. */
static bool looks_like_text(const char *data, size_t size)
{
	size_t length = 0;

	while (length < size && (isprint((unsigned char)data[length]) || isspace((unsigned char)data[length]) ||
				 data[length] == '\b' || data[length] == '\a'))
		length++;
	if (!length)
		return false;
	for (size_t i = length; i < size; i++)
		if (data[i])
			return false;
	return true;
}

/* char[] whose bytes are text. */
static bool is_text(const struct field_value *value)
{
	return value_is_chars(value) && looks_like_text(value->data, value->size);
}

void print_trace(const struct print *print, const struct field_value *value)
{
	switch (value->field->kind) {
	case FIELD_INT:
		if (print->options->raw_bytes)
			print_dump(print, &value->number, int_size(value));
		else
			print_trace_int(print, value);
		break;
	case FIELD_STRING:
	case FIELD_BYTES:
		if (print->options->raw_bytes && value->field->kind == FIELD_STRING)
			print_dump_string(print, value);
		else if (print->options->raw_bytes || (value->field->kind == FIELD_BYTES && !is_text(value)))
			print_dump(print, value->data, value->size);
		else
			print_trace_text(print, value);
		break;
	case FIELD_TERM: print_trace_text(print, value); break;
	case FIELD_STACK: print_stack(print, value, print->options->stack_indent, 0, false); break;
	case FIELD_SYMBOL: print_padded(print, value, KEY_WIDTH); break;
	}
}

/* Narrow integers are printed unsigned, as in DTrace, and scripts depend on it. */
static void print_key_int(const struct print *print, const struct field_value *value)
{
	switch (int_size(value)) {
	case 1: fprintf(print->to, " %3u", (unsigned int)value_unsigned(value)); break;
	case 2: fprintf(print->to, " %5u", (unsigned int)value_unsigned(value)); break;
	case 4: fprintf(print->to, " %8d", (int)value->number); break;
	default: fprintf(print->to, " %16" PRId64, (int64_t)value->number);
	}
}

static void print_key_text(const struct print *print, const struct field_value *value, bool is_packed)
{
	_cleanup_free_ char *text = is_packed ? value_text(print, value) : NULL;

	if (!is_packed)
		print_padded(print, value, KEY_WIDTH);
	else if (text)
		fprintf(print->to, " %*s", PACKED_KEY_WIDTH, text);
}

void print_key(const struct print *print, const struct field_value *value, bool is_packed)
{
	switch (value->field->kind) {
	case FIELD_INT: print_key_int(print, value); break;
	case FIELD_STACK: print_stack(print, value, print->options->stack_indent, 0, false); break;
	case FIELD_BYTES:
		if (print->options->raw_bytes || !looks_like_text(value->data, value->size)) {
			print_dump(print, value->data, value->size);
			break;
		}
		/* fallthrough */
	case FIELD_STRING:
	case FIELD_TERM: print_key_text(print, value, is_packed); break;
	case FIELD_SYMBOL: print_padded(print, value, KEY_WIDTH); break;
	}
}

int print_key_width(const struct field *field)
{
	static const int int_width[] = { [1] = 3, [2] = 5, [4] = 8, [8] = 16 };
	struct field_value value = { .field = field };

	return 1 + (field->kind == FIELD_INT ? int_width[int_size(&value)] : PACKED_KEY_WIDTH);
}

enum field_symbol print_frame_symbol(const struct print *print, const struct field_value *stack, size_t frame)
{
	if (!stack->os_id)
		return SYMBOL_KADDR;
	if (!print->options->stack_lines)
		return SYMBOL_UADDR;
	return frame ? SYMBOL_UCALLER : SYMBOL_UPLACE;
}

void print_stack(const struct print *print, const struct field_value *value, int indent, int width, bool is_left)
{
	size_t frames = value->size / sizeof(uint64_t);
	struct field field = { .kind = FIELD_SYMBOL };

	fputc('\n', print->to);
	for (size_t i = 0; i < frames && i < STACK_MOST; i++) {
		struct field_value frame = { .field = &field, .os_id = value->os_id };
		_cleanup_free_ char *text = NULL;

		frame.number = read_u64(value->data + i * sizeof(uint64_t));
		if (!frame.number)
			break;
		field.symbol = print_frame_symbol(print, value, i);
		text = symbol_text(print, &frame);
		fprintf(print->to, "%*s%*s\n", indent, "", is_left ? -width : width, text ? text : "");
	}
}
