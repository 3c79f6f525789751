// SPDX-License-Identifier: BSD-2-Clause
/* Formats, taken apart. */
#include "d/lang/format.h"

#include <string.h>

#include "check.h"
#include "base/arena.h"
#include "d/types/type.h"

static struct format *parse(struct arena *arena, const char *text)
{
	const char *wrong = NULL;

	return format_parse(arena, text, strlen(text), &wrong);
}

Test(d_format, text_flags_width_and_precision_are_kept)
{
	struct arena *arena = arena_new();
	struct format *format = parse(arena, "a%%b%-5.3lld%#'x%@d%*.*s end");
	struct format_part *part = format->parts;

	expect_text(part->text, "a%b");
	cr_expect(part->minus);
	cr_expect(eq(int, part->width, 5));
	cr_expect(eq(int, part->precision, 3));
	expect_text(part->modifier, "ll");
	cr_expect(eq(chr, part->conversion, 'd'));
	part = part->next;
	cr_expect(part->sharp && part->group);
	cr_expect(eq(int, part->class, FORMAT_UNSIGNED));
	part = part->next;
	cr_expect(part->is_agg);
	part = part->next;
	cr_expect(part->star_width && part->star_precision);
	cr_expect(eq(int, part->class, FORMAT_STRING));
	part = part->next;
	cr_expect(eq(int, part->class, FORMAT_TEXT));
	expect_text(part->text, " end");
	cr_expect(eq(ptr, part->next, NULL));
	arena_free(arena);
}

Test(d_format, an_empty_format_is_one_empty_text)
{
	struct arena *arena = arena_new();
	struct format *format = parse(arena, "");

	cr_expect(eq(int, format->parts->class, FORMAT_TEXT));
	cr_expect(eq(sz, format->parts->text_size, 0));
	arena_free(arena);
}

Test(d_format, what_is_no_format_is_told)
{
	static const char *const texts[] = {
		"%",
		"%5",
		"%l",
		"%q",
		"%1$d",
		"%5%",
		"%**d",
		"%.*.*d",
		"%..d",
		"%lls",
		"%hhhd",
		"%@",
		"%-",
		"%\xff",
		"%1000001d",
		"%.1000001d",
		"%99999999999999999999d",
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *wrong = NULL;

		cr_expect(eq(ptr, format_parse(arena, texts[i], strlen(texts[i]), &wrong), NULL), "%s", texts[i]);
		cr_expect(ne(ptr, (void *)wrong, NULL), "%s", texts[i]);
	}
	arena_free(arena);
}

static const struct {
	const char *format, *type;
	bool fits;
} rows[] = {
	{ "%d", "int", true },	   { "%d", "char", true },    { "%d", "uint64_t", true },  { "%d", "string", false },
	{ "%d", "void *", false }, { "%p", "void *", true },  { "%p", "int", true },	   { "%p", "string", false },
	{ "%s", "string", true },  { "%s", "char *", false }, { "%s", "int", false },	   { "%S", "string", true },
	{ "%c", "char", true },	   { "%c", "long", false },   { "%hd", "short", true },	   { "%hd", "int", false },
	{ "%ld", "long", true },   { "%ld", "int", false },   { "%lld", "int64_t", true }, { "%llx", "uint64_t", true },
	{ "%Y", "int64_t", true }, { "%Y", "int", false },    { "%T", "uint64_t", true },  { "%a", "uint64_t", true },
	{ "%f", "double", true },  { "%f", "int", false },    { "%k", "int", false },
};

Test(d_format, a_conversion_takes_some_types)
{
	struct arena *arena = arena_new();
	struct type_table *table = type_table_new(arena, 256);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct format *format = parse(arena, rows[i].format);
		struct type *type = type_parse(table, rows[i].type);

		cr_assert(ne(ptr, type, NULL), "%s", rows[i].type);
		cr_expect(eq(int, !format_mismatch(format->parts, type), rows[i].fits), "%s of %s", rows[i].format,
			  rows[i].type);
	}
	arena_free(arena);
}

Test(d_format, any_bytes_are_a_format_or_an_error)
{
	static const char letters[] = "%%%%dsxlhLw*.-+ #'@09?$kYT\xff"
				      "a";
	uint64_t state = 42;

	for (size_t i = 0; i < 20000; i++) {
		struct arena *arena = arena_new();
		size_t size = check_random(&state) % 16, room = 0;
		const char *wrong = NULL;
		struct format *format;
		char text[16];

		for (size_t j = 0; j < size; j++)
			text[j] = letters[check_random(&state) % (sizeof(letters) - 1)];
		format = format_parse(arena, text, size, &wrong);
		cr_assert(ne(int, !format, !wrong));
		for (struct format_part *part = format ? format->parts : NULL; part; part = part->next)
			room += part->text_size;
		cr_assert(le(sz, room, size));
		arena_free(arena);
	}
}
