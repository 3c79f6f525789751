// SPDX-License-Identifier: BSD-2-Clause
/* The C library's own decoder (iconv) says what UTF-8 is; the code under test is compared to it. */
#include "base/text.h"

#include <iconv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "check.h"

#define MAX_TEXT 512

/* The characters of a text. Their number, or -1 if it is no UTF-8. */
static int decode(const char *text, uint32_t *codes)
{
	iconv_t to_utf32 = iconv_open("UTF-32LE", "UTF-8");
	char *in = check_text(text), *out = (char *)codes;
	size_t in_left = strlen(text), out_left = MAX_TEXT * 16 * sizeof(*codes);
	size_t failed = iconv(to_utf32, &in, &in_left, &out, &out_left);

	iconv_close(to_utf32);
	return failed || in_left ? -1 : (int)((uint32_t *)(void *)out - codes);
}

static bool is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xe0000 && code <= 0xe007f);
}

static bool is_safe_text(const char *text)
{
	static uint32_t codes[MAX_TEXT * 16];
	int count = decode(text, codes);

	for (int i = 0; i < count; i++) {
		if (is_unsafe(codes[i]))
			return false;
	}
	return count >= 0;
}

static void expect_terminal(const char *text, const char *expected)
{
	_cleanup_free_ char *shown = text_for_terminal(text);

	expect_text(shown, expected, "for %zu bytes from 0x%02x", strlen(text), (unsigned char)*text);
}

static void encode(uint32_t code, char utf8[5])
{
	memset(utf8, 0, 5);
	if (code < 0x80) {
		utf8[0] = (char)code;
	} else if (code < 0x800) {
		utf8[0] = (char)(0xc0 | code >> 6);
		utf8[1] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		utf8[0] = (char)(0xe0 | code >> 12);
		utf8[1] = (char)(0x80 | (code >> 6 & 0x3f));
		utf8[2] = (char)(0x80 | (code & 0x3f));
	} else {
		utf8[0] = (char)(0xf0 | code >> 18);
		utf8[1] = (char)(0x80 | (code >> 12 & 0x3f));
		utf8[2] = (char)(0x80 | (code >> 6 & 0x3f));
		utf8[3] = (char)(0x80 | (code & 0x3f));
	}
}

Test(text, ordinary_text_stays_as_it_is)
{
	static const char *const texts[] = {
		"",
		" ",
		"<0.91.0>",
		"erlang:apply/2",
		"~!@#$%^&*()`'\"\\{}[]|",
		"Gr\xc3\xbc\xc3\x9f",
		"\xc2\xa0",
		"\xe6\x97\xa5\xe6\x9c\xac",
		"\xf0\x9f\x98\x80",
		"\xef\xbf\xbd",
		"\xf4\x8f\xbf\xbf",
		"\\x1b",
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		expect_terminal(texts[i], texts[i]);
}

Test(text, every_control_byte_is_escaped_for_a_terminal)
{
	for (unsigned int c = 1; c <= 0x7f; c = c == 0x1f ? 0x7f : c + 1) {
		char text[4] = { 'a', (char)c, 'b' }, expected[8];

		snprintf(expected, sizeof(expected), "a\\x%02xb", c);
		expect_terminal(text, expected);
	}
}

Test(text, every_byte_from_0x80_on_its_own_is_escaped_for_a_terminal)
{
	for (unsigned int c = 0x80; c <= 0xff; c++) {
		char text[4] = { 'a', (char)c, 'b' }, expected[8];

		snprintf(expected, sizeof(expected), "a\\x%02xb", c);
		expect_terminal(text, expected);
	}
}

Test(text, controls_written_in_two_bytes_are_escaped_for_a_terminal)
{
	for (unsigned int c = 0x80; c < 0xa0; c++) {
		char text[4] = { '\xc2', (char)c }, expected[16];

		snprintf(expected, sizeof(expected), "\\u{%04x}", c);
		expect_terminal(text, expected);
	}
}

Test(text, characters_that_forge_what_is_read_are_escaped_for_a_terminal)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x61c, 0x61c },   { 0x200b, 0x200f }, { 0x2028, 0x2029 },   { 0x202a, 0x202e },
		{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < COUNT(ranges); i++) {
		for (uint32_t code = ranges[i].first; code <= ranges[i].last; code++) {
			char text[5], expected[16];

			encode(code, text);
			snprintf(expected, sizeof(expected), "\\u{%04x}", code);
			expect_terminal(text, expected);
		}
	}
}

static const struct {
	const char *what;
	const char *text;
	const char *terminal;
	const char *json;
} broken[] = {
	{ "overlong NUL", "\xc0\x80", "\\xc0\\x80", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "overlong slash", "\xc0\xaf", "\\xc0\\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "overlong ESC", "\xc0\x9b", "\\xc0\\x9b", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "overlong ESC of 3", "\xe0\x80\x9b", "\\xe0\\x80\\x9b", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "overlong in 4", "\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "largest overlong", "\xc1\xbf", "\\xc1\\xbf", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "first surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "last surrogate", "\xed\xbf\xbf", "\\xed\\xbf\\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "above the last", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "5 bytes", "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "cut after 1 of 2", "a\xc3", "a\\xc3", "a\xef\xbf\xbd" },
	{ "cut after 1 of 3", "a\xe2", "a\\xe2", "a\xef\xbf\xbd" },
	{ "cut after 2 of 3", "a\xe2\x82", "a\\xe2\\x82", "a\xef\xbf\xbd\xef\xbf\xbd" },
	{ "cut after 3 of 4", "a\xf0\x9f\x98", "a\\xf0\\x9f\\x98", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "interrupted", "\xe2\x82z", "\\xe2\\x82z", "\xef\xbf\xbd\xef\xbf\xbdz" },
	{ "ESC inside", "\xe2\x1b[2J", "\\xe2\\x1b[2J", "\xef\xbf\xbd\x1b[2J" },
	{ "Latin-1",
	  "Gr\xfc\xdf"
	  "e",
	  "Gr\\xfc\\xdf"
	  "e",
	  "Gr\xef\xbf\xbd\xef\xbf\xbd"
	  "e" },
};

Test(text, broken_utf8_is_shown_byte_by_byte_on_a_terminal)
{
	for (size_t i = 0; i < COUNT(broken); i++) {
		_cleanup_free_ char *shown = text_for_terminal(broken[i].text);

		expect_text(shown, broken[i].terminal, "%s", broken[i].what);
	}
}

Test(text, broken_utf8_becomes_replacement_characters_in_json)
{
	for (size_t i = 0; i < COUNT(broken); i++) {
		_cleanup_free_ char *shown = text_for_json(broken[i].text);

		expect_text(shown, broken[i].json, "%s", broken[i].what);
	}
}

Test(text, one_line_stays_one_line)
{
	expect_terminal("a\nb\rc\x0b"
			"d\x0c"
			"e\xc2\x85"
			"f\xe2\x80\xa8g",
			"a\\x0ab\\x0dc\\x0bd\\x0ce\\u{0085}f\\u{2028}g");
}

/* Bytes and pieces of which attacks are made, in any order. */
static void make_hostile(uint64_t *state, char *text)
{
	static const char *const pieces[] = {
		"\x1b[31m",	"\x1b]0;x\x07", "\xc2\x9b",
		"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b",
		"\xc3",		"\xe2\x80",	"\xf0\x9f\x98\x80",
		"\xed\xa0\x80", "\xc0\x9b",	"abc",
		"\xff",		"\n",		"\"",
		"\\",
	};
	size_t size = check_random(state) % (MAX_TEXT - 16), n = 0;

	while (n < size) {
		uint64_t chance = check_random(state);

		if (chance & 1) {
			const char *piece = pieces[(chance >> 1) % COUNT(pieces)];

			strcpy(text + n, piece);
			n += strlen(piece);
		} else {
			text[n++] = (char)(1 + (chance >> 8) % 255);
		}
	}
	text[n] = '\0';
}

Test(text, no_random_text_gets_a_control_character_to_a_terminal)
{
	uint64_t state = 0x5eed;

	for (int i = 0; i < 10000; i++) {
		char text[MAX_TEXT];
		_cleanup_free_ char *shown = NULL, *again = NULL;

		make_hostile(&state, text);
		shown = text_for_terminal(text);
		if (!is_safe_text(shown))
			cr_fail("text %d: \"%s\"", i, text);
		again = text_for_terminal(shown);
		if (strcmp(shown, again))
			cr_fail("text %d is escaped twice: \"%s\"", i, shown);
	}
}

Test(text, every_random_text_is_valid_utf8_in_json_and_unchanged_if_it_was)
{
	static uint32_t codes[MAX_TEXT * 16];
	uint64_t state = 0xbeef;

	for (int i = 0; i < 10000; i++) {
		char text[MAX_TEXT];
		_cleanup_free_ char *shown = NULL;

		make_hostile(&state, text);
		shown = text_for_json(text);
		if (decode(shown, codes) < 0)
			cr_fail("text %d: \"%s\"", i, text);
		if (decode(text, codes) >= 0 && strcmp(shown, text))
			cr_fail("text %d was valid: \"%s\"", i, text);
	}
}

static const struct {
	const char *json, *shown;
} lines[] = {
	{ "", "" },
	{ "{\"a\":[1,null]}", "{\"a\":[1,null]}" },
	{ "\"Gr\xc3\xbc\xc3\x9f\"", "\"Gr\xc3\xbc\xc3\x9f\"" },
	{ "\xc2\xa0\xd8\xa7\xe2\x82\xac\xef\xbf\xbd", "\xc2\xa0\xd8\xa7\xe2\x82\xac\xef\xbf\xbd" },
	{ "\xf0\x9f\x98\x80\xf3\xb0\x80\x80", "\xf0\x9f\x98\x80\xf3\xb0\x80\x80" },
	{ "a\x7f"
	  "b",
	  "a\\u007fb" },
	{ "\xc2\x80\xc2\x9f", "\\u0080\\u009f" },
	{ "\xc2\x9b"
	  "31m",
	  "\\u009b31m" },
	{ "\xe2\x80\xae", "\\u202e" },
	{ "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069" },
	{ "\xe2\x80\x8b\xe2\x80\xa8", "\\u200b\\u2028" },
	{ "\xd8\x9c\xef\xbb\xbf", "\\u061c\\ufeff" },
	{ "\xf3\xa0\x80\x81\xf3\xa0\x81\xbf", "\\udb40\\udc01\\udb40\\udc7f" },
};

Test(text, a_line_of_json_is_harmless_on_a_terminal)
{
	for (size_t i = 0; i < COUNT(lines); i++) {
		_cleanup_free_ char *shown = NULL;
		size_t size;
		FILE *to = open_memstream(&shown, &size);

		text_print_json(to, lines[i].json);
		fclose(to);
		expect_text(shown, lines[i].shown, "line %zu", i);
	}
}

Test(text, every_character_is_decoded_as_it_was_encoded)
{
	for (uint32_t code = 1; code <= 0x10ffff; code++) {
		unsigned int read = 0;
		char utf8[5];
		size_t length;

		encode(code, utf8);
		length = text_utf8(utf8, 4, &read);
		if (code >= 0xd800 && code < 0xe000)
			cr_assert(eq(sz, length, 0), "surrogate U+%04x", code);
		else if (length != strlen(utf8) || read != code)
			cr_fatal("U+%04x was read as U+%04x of %zu bytes", code, read, length);
	}
}

Test(text, nothing_is_read_behind_the_bytes_that_are_left)
{
	for (size_t left = 1; left < 4; left++) {
		_cleanup_free_ char *bytes = malloc(left);
		unsigned int code;

		memcpy(bytes, "\xf0\x9f\x98\x80", left);
		cr_expect(eq(sz, text_utf8(bytes, left, &code), 0), "%zu bytes", left);
	}
}
