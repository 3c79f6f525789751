// SPDX-License-Identifier: BSD-2-Clause
/* printf() by every conversion, and print(). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "d_consume.h"
#include "dtrace/print/print.h"

static struct consume_check check;

TestSuite(d_consume_format);

/* One conversion between brackets, of a number. */
static const struct {
	const char *what;
	struct format_part part;
	size_t size;
	bool is_unsigned;
	int64_t number;
	const char *text;
} rows[] = {
	{ "%d", { .class = FORMAT_SIGNED, .conversion = 'd' }, 4, false, -5, "-5" },
	{ "%d of unsigned", { .class = FORMAT_SIGNED, .conversion = 'd' }, 4, true, -1, "4294967295" },
	{ "%i of 8 bytes", { .class = FORMAT_SIGNED, .conversion = 'i' }, 8, false, INT64_MIN, "-9223372036854775808" },
	{ "%u of signed", { .class = FORMAT_UNSIGNED, .conversion = 'u' }, 2, false, -1, "65535" },
	{ "%x", { .class = FORMAT_UNSIGNED, .conversion = 'x' }, 4, false, -1, "ffffffff" },
	{ "%#x", { .class = FORMAT_UNSIGNED, .conversion = 'x', .sharp = true }, 4, false, 255, "0xff" },
	{ "%X", { .class = FORMAT_UNSIGNED, .conversion = 'X' }, 8, false, 0xbeef, "BEEF" },
	{ "%o", { .class = FORMAT_UNSIGNED, .conversion = 'o' }, 4, false, 8, "10" },
	{ "%p", { .class = FORMAT_POINTER, .conversion = 'p' }, 8, true, 0x1234, "1234" },
	{ "%08d", { .class = FORMAT_SIGNED, .conversion = 'd', .zero = true, .width = 8 }, 4, false, 123, "00000123" },
	{ "%-8d", { .class = FORMAT_SIGNED, .conversion = 'd', .minus = true, .width = 8 }, 4, false, 123, "123     " },
	{ "%+8d", { .class = FORMAT_SIGNED, .conversion = 'd', .plus = true, .width = 8 }, 4, false, 123, "    +123" },
	{ "%.5d", { .class = FORMAT_SIGNED, .conversion = 'd', .precision = 5 }, 4, false, 123, "00123" },
	{ "%.0d", { .class = FORMAT_SIGNED, .conversion = 'd', .precision = 0 }, 4, false, 0, "0" },
	{ "%hd", { .class = FORMAT_SIGNED, .conversion = 'd', .modifier = "h" }, 2, false, -3, "-3" },
	{ "%c", { .class = FORMAT_CHAR, .conversion = 'c' }, 4, false, 'x', "x" },
	{ "%3c", { .class = FORMAT_CHAR, .conversion = 'c', .width = 3 }, 1, false, 'x', "  x" },
	{ "%C", { .class = FORMAT_CHAR, .conversion = 'C' }, 1, false, '\n', "\\n" },
	{ "%C of a byte", { .class = FORMAT_CHAR, .conversion = 'C' }, 1, false, 0x1b, "\\033" },
	{ "%Y",
	  { .class = FORMAT_DATE, .conversion = 'Y' },
	  8,
	  true,
	  1795248000LL * 1000000000,
	  "2026 Nov 21 08:00:00" },
	{ "%T",
	  { .class = FORMAT_TIME, .conversion = 'T' },
	  8,
	  true,
	  1795248000LL * 1000000000,
	  "Sat, 21 Nov 2026 08:00:00 UTC" },
	{ "%a", { .class = FORMAT_ADDRESS, .conversion = 'a' }, 8, true, 0x1000, "libc.so.6`malloc+0x12" },
	{ "%A", { .class = FORMAT_ADDRESS, .conversion = 'A' }, 8, true, 0x2000, "0x2000" },
};

Test(d_consume_format, numbers)
{
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct format_part end = { .text = "]", .text_size = 1 }, part = rows[i].part;
		struct format format = { .parts = &part };
		struct action action = { ACTION_PRINTF, .condition = -1, .format = &format };
		struct type type = { .kind = TYPE_INT, .size = rows[i].size, .is_signed = !rows[i].is_unsigned };
		char text[128];

		part.text = "[";
		part.text_size = 1;
		part.next = &end;
		part.width = part.width ? part.width : -1;
		consume_setup(&check);
		action.fields = consume_number(&check, &type, rows[i].number);
		consume_record(&check, &action);
		snprintf(text, sizeof(text), "[%s]", rows[i].text);
		consume_expect_all(&check, text);
	}
}

Test(d_consume_format, strings)
{
	struct format_part escaped = { .class = FORMAT_STRING, .conversion = 'S', .width = 8, .precision = -1 },
			   cut = { .class = FORMAT_STRING,
				   .conversion = 's',
				   .width = -1,
				   .precision = 2,
				   .text = "|",
				   .text_size = 1,
				   .next = &escaped },
			   left = { .class = FORMAT_STRING,
				    .conversion = 's',
				    .minus = true,
				    .width = 5,
				    .precision = -1,
				    .next = &cut };
	struct format format = { .parts = &left };
	struct action action = { ACTION_PRINTF, .condition = -1, .format = &format };

	consume_setup(&check);
	action.fields = consume_text(&check, "ab");
	consume_text(&check, "xyz");
	consume_text(&check, "a\"\n\x01");
	consume_record(&check, &action);
	consume_expect_all(&check, "ab   |xya\\\"\\n\\001");
}

Test(d_consume_format, stars_are_taken_from_the_arguments)
{
	struct format_part part = { .class = FORMAT_SIGNED,
				    .conversion = 'd',
				    .star_width = true,
				    .star_precision = true,
				    .width = -1,
				    .precision = -1 };
	struct format_part end = { .text = "|", .text_size = 1 };
	struct format format = { .parts = &part };
	struct action action = { ACTION_PRINTF, .condition = -1, .format = &format };

	part.next = &end;
	consume_setup(&check);
	action.fields = consume_number(&check, &consume_int, -6);
	consume_number(&check, &consume_int, 3);
	consume_number(&check, &consume_int, 7);
	consume_record(&check, &action);
	consume_expect_all(&check, "007   |");
}

Test(d_consume_format, stacks_and_terms)
{
	const uint64_t stack[] = { 77ULL << 32 | 2, 0x1000, 0x2345 };
	struct format_part term = { .class = FORMAT_TIME, .conversion = 'T', .width = -1, .precision = -1 }, part = {
		.class = FORMAT_STACK, .conversion = 'k', .minus = true, .width = 4, .precision = -1, .next = &term
	};
	struct format format = { .parts = &part };
	struct action action = { ACTION_PRINTF, .condition = -1, .format = &format };

	consume_setup(&check);
	action.fields = consume_bytes(&check, NULL, FIELD_STACK, stack, sizeof(stack));
	consume_bytes(&check, NULL, FIELD_TERM, stack, sizeof(stack));
	consume_record(&check, &action);
	consume_expect_all(&check, "\n    libc.so.6`malloc+0x12\n    0x2345\n{ok,1}");
}

Test(d_consume_format, a_format_that_wants_more_than_there_is_ends)
{
	struct format_part second = { .class = FORMAT_SIGNED, .conversion = 'd', .width = -1, .precision = -1 },
			   first = second;
	struct format format = { .parts = &first };
	struct action action = { ACTION_PRINTF, .condition = -1, .format = &format };

	first.next = &second;
	consume_setup(&check);
	action.fields = consume_number(&check, &consume_int, 1);
	consume_record(&check, &action);
	consume_expect_all(&check, "1");
}

static struct type name_type = { .kind = TYPE_ARRAY, .base = &consume_char, .count = 4, .size = 4 };
static struct type void_pointer = { .kind = TYPE_POINTER, .size = 8 };
static struct type inner = { .kind = TYPE_STRUCT,
			     .size = 8,
			     .members = &(struct type_member){ "p", &void_pointer, 0, 0, NULL } };
static struct type_member inner_member = { "in", &inner, 64, 0, NULL };
static struct type_member name_member = { "name", &name_type, 32, 0, &inner_member };
static struct type_member x_member = { "x", &consume_int, 0, 0, &name_member };
static struct type point = { .kind = TYPE_STRUCT, .name = "point", .size = 16, .members = &x_member };
static const struct {
	int x;
	char name[4];
	uint64_t p;
} bytes = { 42, "abc", 0x99 };

Test(d_consume_format, print_of_values)
{
	struct action action = { ACTION_PRINT, .condition = -1 };

	consume_setup(&check);
	action.fields = consume_number(&check, &consume_int, 42);
	consume_record(&check, &action);
	action.fields = consume_number(&check, &consume_char, 'a');
	consume_record(&check, &action);
	action.fields = consume_text(&check, "foo");
	consume_record(&check, &action);
	action.fields = consume_bytes(&check, &name_type, FIELD_BYTES, "\1\2\0\3", 4);
	consume_record(&check, &action);
	action.fields = consume_bytes(&check, &point, FIELD_BYTES, &bytes, sizeof(bytes));
	consume_record(&check, &action);
	consume_expect(&check, "int 0x2a\n"
			       "char 'a'\n"
			       "string \"foo\"\n"
			       "char [4] [ '\\001', '\\002', '\\0', '\\003' ]\n"
			       "struct point {\n"
			       "    int x = 0x2a\n"
			       "    char [4] name = [ \"abc\" ]\n"
			       "    struct in = {\n"
			       "        void *p = 0x99\n"
			       "    }\n"
			       "}\n");
}

Test(d_consume_format, print_of_what_a_pointer_points_to)
{
	struct action action = { ACTION_PRINT, .condition = -1 };

	consume_setup(&check);
	action.fields = consume_number(&check, &void_pointer, 0x1234);
	consume_bytes(&check, &point, FIELD_BYTES, &bytes, sizeof(bytes));
	consume_record(&check, &action);
	consume_expect_all(&check, "0x1234 = *\n"
				   "                                            (struct point) {\n"
				   "                                             .x = (int)42,\n"
				   "                                             .name = (char [4]) [\n"
				   "                                              (char)'a',\n"
				   "                                              (char)'b',\n"
				   "                                              (char)'c',\n"
				   "                                             ],\n"
				   "                                             .in = (struct) {\n"
				   "                                              .p = (void *)0x99,\n"
				   "                                             },\n"
				   "                                            }\n");
}

Test(d_consume_format, a_terminal_is_not_controlled_by_what_was_traced)
{
	struct print print = { .is_terminal = true };
	char *text = print_clean(&print, "a\x1b[2J\tb\n\x07", 9);

	expect_text(text, "a\\x1b[2J\tb\n\\x07");
	free(text);
	print.is_terminal = false;
	text = print_clean(&print, "a\x1b[2J", 5);
	expect_text(text, "a\x1b[2J");
	free(text);
}
