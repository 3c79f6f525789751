// SPDX-License-Identifier: BSD-2-Clause
/*
 * printf formats: one part per conversion with the literal text before it. A last part of class FORMAT_TEXT holds the
 * rest. The checker uses it for constants, and the consumer for printing.
 */
#include "d/lang/format.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "d/types/type.h"

/* The types that a conversion accepts. */
enum accepts {
	ACCEPTS_NOTHING,
	ACCEPTS_INT,
	ACCEPTS_SMALL_INT,
	ACCEPTS_SHORT,
	ACCEPTS_SIGNED_SHORT,
	ACCEPTS_UNSIGNED_SHORT,
	ACCEPTS_LONG,
	ACCEPTS_SIGNED_LONG,
	ACCEPTS_UNSIGNED_LONG,
	ACCEPTS_LONG_LONG,
	ACCEPTS_SIGNED_LONG_LONG,
	ACCEPTS_UNSIGNED_LONG_LONG,
	ACCEPTS_INT_ONLY,
	ACCEPTS_STRING,
	ACCEPTS_WIDE_STRING,
	ACCEPTS_ADDRESS,
	ACCEPTS_SYMBOL,
	ACCEPTS_FLOAT,
	ACCEPTS_LONG_DOUBLE,
	ACCEPTS_STACK,
	ACCEPTS_TIME,
	ACCEPTS_TIME_OR_TERM,
};

static const struct conversion {
	const char *name; /* modifiers and letter */
	enum format_class class;
	enum accepts accepts;
} conversions[] = {
	{ "a", FORMAT_ADDRESS, ACCEPTS_SYMBOL },
	{ "A", FORMAT_ADDRESS, ACCEPTS_SYMBOL },
	{ "c", FORMAT_CHAR, ACCEPTS_SMALL_INT },
	{ "C", FORMAT_CHAR, ACCEPTS_SMALL_INT },
	{ "d", FORMAT_SIGNED, ACCEPTS_INT },
	{ "i", FORMAT_SIGNED, ACCEPTS_INT },
	{ "e", FORMAT_FLOAT, ACCEPTS_FLOAT },
	{ "E", FORMAT_FLOAT, ACCEPTS_FLOAT },
	{ "f", FORMAT_FLOAT, ACCEPTS_FLOAT },
	{ "g", FORMAT_FLOAT, ACCEPTS_FLOAT },
	{ "G", FORMAT_FLOAT, ACCEPTS_FLOAT },
	{ "hd", FORMAT_SIGNED, ACCEPTS_SIGNED_SHORT },
	{ "hi", FORMAT_SIGNED, ACCEPTS_SIGNED_SHORT },
	{ "ho", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_SHORT },
	{ "hu", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_SHORT },
	{ "hx", FORMAT_UNSIGNED, ACCEPTS_SHORT },
	{ "hX", FORMAT_UNSIGNED, ACCEPTS_SHORT },
	{ "k", FORMAT_STACK, ACCEPTS_STACK },
	{ "lc", FORMAT_CHAR, ACCEPTS_INT_ONLY },
	{ "wc", FORMAT_CHAR, ACCEPTS_INT_ONLY },
	{ "ld", FORMAT_SIGNED, ACCEPTS_SIGNED_LONG },
	{ "li", FORMAT_SIGNED, ACCEPTS_SIGNED_LONG },
	{ "lo", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_LONG },
	{ "lu", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_LONG },
	{ "lx", FORMAT_UNSIGNED, ACCEPTS_LONG },
	{ "lX", FORMAT_UNSIGNED, ACCEPTS_LONG },
	{ "lld", FORMAT_SIGNED, ACCEPTS_SIGNED_LONG_LONG },
	{ "lli", FORMAT_SIGNED, ACCEPTS_SIGNED_LONG_LONG },
	{ "llo", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_LONG_LONG },
	{ "llu", FORMAT_UNSIGNED, ACCEPTS_UNSIGNED_LONG_LONG },
	{ "llx", FORMAT_UNSIGNED, ACCEPTS_LONG_LONG },
	{ "llX", FORMAT_UNSIGNED, ACCEPTS_LONG_LONG },
	{ "Le", FORMAT_FLOAT, ACCEPTS_LONG_DOUBLE },
	{ "LE", FORMAT_FLOAT, ACCEPTS_LONG_DOUBLE },
	{ "Lf", FORMAT_FLOAT, ACCEPTS_LONG_DOUBLE },
	{ "Lg", FORMAT_FLOAT, ACCEPTS_LONG_DOUBLE },
	{ "LG", FORMAT_FLOAT, ACCEPTS_LONG_DOUBLE },
	{ "o", FORMAT_UNSIGNED, ACCEPTS_INT },
	{ "u", FORMAT_UNSIGNED, ACCEPTS_INT },
	{ "x", FORMAT_UNSIGNED, ACCEPTS_INT },
	{ "X", FORMAT_UNSIGNED, ACCEPTS_INT },
	{ "p", FORMAT_POINTER, ACCEPTS_ADDRESS },
	{ "s", FORMAT_STRING, ACCEPTS_STRING },
	{ "S", FORMAT_STRING, ACCEPTS_STRING },
	{ "ls", FORMAT_STRING, ACCEPTS_WIDE_STRING },
	{ "ws", FORMAT_STRING, ACCEPTS_WIDE_STRING },
	{ "T", FORMAT_TIME, ACCEPTS_TIME_OR_TERM },
	{ "Y", FORMAT_DATE, ACCEPTS_TIME },
};

static const struct conversion *conversion_find(const char *modifier, char letter)
{
	for (size_t i = 0; i < sizeof(conversions) / sizeof(*conversions); i++) {
		size_t length = strlen(conversions[i].name) - 1;

		if (conversions[i].name[length] == letter && strlen(modifier) == length &&
		    memcmp(conversions[i].name, modifier, length) == 0)
			return &conversions[i];
	}
	return NULL;
}

struct reader {
	struct arena *arena;
	const char *at, *end;
	char *text; /* literal text of the current part */
	size_t text_size;
	char *room;    /* position for the next text */
	size_t number; /* of the conversion, from 1, as in messages */
	const char **wrong;
};

static bool fail(struct reader *reader, const char *what)
{
	*reader->wrong = arena_printf(reader->arena, "format conversion #%zu %s", reader->number, what);
	return false;
}

static char peek(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static bool read_number(struct reader *reader, int *value)
{
	*value = 0;
	for (; isdigit((unsigned char)peek(reader)); reader->at++) {
		*value = *value * 10 + *reader->at - '0';
		if (*value > FORMAT_WIDE_MOST)
			return fail(reader, "is too wide: at most 1000000 characters are possible");
	}
	return true;
}

/* One flag; false: none. As in DTrace, flags can also follow a width. */
static bool read_flag(struct reader *reader, struct format_part *part)
{
	switch (peek(reader)) {
	case '#': part->sharp = true; break;
	case '+': part->plus = true; break;
	case ' ': part->space = true; break;
	case '\'': part->group = true; break;
	case '@': part->is_agg = true; break;
	case '?': part->width = 16; break; /* as wide as an address */
	case '-': part->minus = true, part->zero = false; break;
	case '0': part->zero = true, part->minus = false; break;
	default: return false;
	}
	reader->at++;
	return true;
}

static bool read_star(struct reader *reader, bool *star, const char *what)
{
	reader->at++;
	if (*star)
		return fail(reader, what);
	*star = true;
	return true;
}

static bool read_width(struct reader *reader, struct format_part *part)
{
	for (;;) {
		if (read_flag(reader, part))
			continue;
		if (isdigit((unsigned char)peek(reader))) {
			if (!read_number(reader, &part->width))
				return false;
		} else if (peek(reader) == '*') {
			if (!read_star(reader, &part->star_width, "has more than one '*' for its width"))
				return false;
		} else {
			return true;
		}
	}
}

static bool read_precision(struct reader *reader, struct format_part *part)
{
	if (peek(reader) != '.')
		return true;
	reader->at++;
	part->precision = 0;
	for (;;) {
		if (isdigit((unsigned char)peek(reader))) {
			if (!read_number(reader, &part->precision))
				return false;
		} else if (peek(reader) == '*') {
			if (!read_star(reader, &part->star_precision, "has more than one '*' for its precision"))
				return false;
		} else if (peek(reader) == '.') {
			return fail(reader, "has more than one '.'");
		} else if (!read_flag(reader, part)) {
			return true;
		}
	}
}

static bool read_letter(struct reader *reader, struct format_part *part)
{
	const struct conversion *conversion;
	size_t modifiers = 0;
	char name[4] = "";

	for (; strchr("hlLw", peek(reader)) && peek(reader); reader->at++)
		if (modifiers < sizeof(name) - 1)
			name[modifiers++] = *reader->at;
	if (reader->at == reader->end)
		return fail(reader, "has no conversion letter");
	part->conversion = *reader->at++;
	if (part->conversion == '$')
		return fail(reader, "selects its argument by position (%n$), which is not supported");
	if (part->conversion == '%')
		return fail(reader, "has characters between the two %");

	conversion = modifiers < sizeof(part->modifier) ? conversion_find(name, part->conversion) : NULL;
	if (!conversion) {
		*reader->wrong = arena_printf(reader->arena, "format conversion #%zu is unknown: %%%s%c",
					      reader->number, name,
					      isprint((unsigned char)part->conversion) ? part->conversion : '?');
		return false;
	}
	part->class = conversion->class;
	memcpy(part->modifier, name, sizeof(part->modifier));
	return true;
}

/*
 * The text before the next conversion, including "%%". True if a conversion follows: `at` is after its '%'. All texts
 * share one buffer and end with a NUL each, which fits because a conversion has at least two characters.
 */
static bool read_text(struct reader *reader)
{
	bool has_conversion = false;

	reader->text = reader->room;
	while (reader->at < reader->end) {
		char c = *reader->at++;

		if (c == '%') {
			if (peek(reader) != '%') {
				has_conversion = true;
				break;
			}
			reader->at++;
			reader->number++;
		}
		*reader->room++ = c;
	}
	reader->text_size = (size_t)(reader->room - reader->text);
	reader->room++;
	return has_conversion;
}

static struct format_part *part_new(struct reader *reader, struct format_part ***end)
{
	struct format_part *part = arena_alloc(reader->arena, sizeof(*part));

	part->text = reader->text;
	part->text_size = reader->text_size;
	part->width = part->precision = -1;
	**end = part;
	*end = &part->next;
	return part;
}

struct format *format_parse(struct arena *arena, const char *text, size_t size, const char **wrong)
{
	struct format *format = arena_alloc(arena, sizeof(*format));
	struct reader reader = { .arena = arena, .at = text, .end = text + size, .wrong = wrong };
	struct format_part **end = &format->parts, *part;

	format->text = arena_strndup(arena, text, size);
	reader.room = arena_alloc(arena, size + 2);
	while (read_text(&reader)) {
		reader.number++;
		part = part_new(&reader, &end);
		if (!read_width(&reader, part) || !read_precision(&reader, part) || !read_letter(&reader, part))
			return NULL;
	}
	if (reader.text_size > 0 || !format->parts)
		part_new(&reader, &end)->class = FORMAT_TEXT;
	return format;
}

static const char *const expected[] = {
	[ACCEPTS_INT] = "char, short, int, long, or long long",
	[ACCEPTS_SMALL_INT] = "char, short, or int",
	[ACCEPTS_SHORT] = "short",
	[ACCEPTS_SIGNED_SHORT] = "short",
	[ACCEPTS_UNSIGNED_SHORT] = "unsigned short",
	[ACCEPTS_LONG] = "long",
	[ACCEPTS_SIGNED_LONG] = "long",
	[ACCEPTS_UNSIGNED_LONG] = "unsigned long",
	[ACCEPTS_LONG_LONG] = "long long",
	[ACCEPTS_SIGNED_LONG_LONG] = "long long",
	[ACCEPTS_UNSIGNED_LONG_LONG] = "unsigned long long",
	[ACCEPTS_INT_ONLY] = "int",
	[ACCEPTS_STRING] = "char [] or string (or use stringof)",
	[ACCEPTS_WIDE_STRING] = "wchar_t []",
	[ACCEPTS_ADDRESS] = "pointer or integer",
	[ACCEPTS_SYMBOL] = "pointer or integer",
	[ACCEPTS_FLOAT] = "float, double, or long double",
	[ACCEPTS_LONG_DOUBLE] = "long double",
	[ACCEPTS_STACK] = "stack",
	[ACCEPTS_TIME] = "int64_t",
	[ACCEPTS_TIME_OR_TERM] = "int64_t",
};

static bool is_int_of(struct type *type, size_t size)
{
	return type_is_int(type) && type_real(type)->size == size;
}

static bool is_signed_of(struct type *type, size_t size, bool is_signed)
{
	return is_int_of(type, size) && type_real(type)->is_signed == is_signed;
}

/* "long long", signed or not; "long" is a different type of the same size. */
static bool is_named_long_long(struct type *type)
{
	const char *name = type_real(type)->name;

	return name && strstr(name, "long long");
}

static bool is_address(struct type *type)
{
	return type_is_int(type) || type_is_pointer(type) || type_real(type)->kind == TYPE_ARRAY;
}

/* A term can be printed as text. */
static bool is_text(struct type *type)
{
	return type_is_string(type) || type_is_char_array(type) || type_real(type)->kind == TYPE_TERM;
}

static bool is_wide_text(struct type *type)
{
	struct type *real = type_real(type);

	return real->kind == TYPE_ARRAY && is_int_of(real->base, 4);
}

static bool accepts(enum accepts what, struct type *type)
{
	enum type_kind kind = type_real(type)->kind;

	switch (what) {
	case ACCEPTS_INT: return type_is_int(type);
	case ACCEPTS_SMALL_INT: return type_is_int(type) && type_real(type)->size <= 4;
	case ACCEPTS_SHORT: return is_int_of(type, 2);
	case ACCEPTS_SIGNED_SHORT: return is_signed_of(type, 2, true);
	case ACCEPTS_UNSIGNED_SHORT: return is_signed_of(type, 2, false);
	case ACCEPTS_LONG: return is_int_of(type, 8) && !is_named_long_long(type);
	/* int64_t and uint64_t are "long", but "long long" is accepted, too. */
	case ACCEPTS_LONG_LONG: return is_int_of(type, 8) && (is_named_long_long(type) || type->is_stdint_64);
	case ACCEPTS_SIGNED_LONG:
	case ACCEPTS_SIGNED_LONG_LONG: return is_signed_of(type, 8, true);
	case ACCEPTS_UNSIGNED_LONG:
	case ACCEPTS_UNSIGNED_LONG_LONG: return is_signed_of(type, 8, false);
	case ACCEPTS_INT_ONLY: return is_int_of(type, 4);
	case ACCEPTS_STRING: return is_text(type);
	case ACCEPTS_WIDE_STRING: return is_wide_text(type);
	case ACCEPTS_ADDRESS: return is_address(type);
	case ACCEPTS_SYMBOL: return is_address(type) || kind == TYPE_SYMBOL;
	case ACCEPTS_FLOAT: return kind == TYPE_FLOAT;
	case ACCEPTS_LONG_DOUBLE: return kind == TYPE_FLOAT && type_real(type)->size == 16;
	case ACCEPTS_STACK: return kind == TYPE_STACK;
	case ACCEPTS_TIME: return is_int_of(type, 8);
	case ACCEPTS_TIME_OR_TERM: return is_int_of(type, 8) || kind == TYPE_TERM;
	case ACCEPTS_NOTHING: break;
	}
	return false;
}

const char *format_mismatch(const struct format_part *part, struct type *type)
{
	const struct conversion *conversion = conversion_find(part->modifier, part->conversion);

	if (part->class == FORMAT_TEXT || !conversion || accepts(conversion->accepts, type))
		return NULL;
	return expected[conversion->accepts];
}
