// SPDX-License-Identifier: BSD-2-Clause
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned int smallest_code[] = { 0, 0, 0x80, 0x800, 0x10000 };

size_t text_utf8(const char *s, size_t left, unsigned int *code)
{
	unsigned char first = (unsigned char)s[0];
	size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;

	if (!length || length > left)
		return 0;
	*code = length == 1 ? first : first & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)s[i] & 0x3f);
	}
	if (*code < smallest_code[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* Zero-width, bidirectional and line-breaking characters can mislead the reader. */
static bool is_deceptive(unsigned int code)
{
	return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0x61c || code == 0xfeff ||
	       (code >= 0xe0000 && code <= 0xe007f);
}

static bool is_control(unsigned int code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool text_is_unsafe(unsigned int code)
{
	return is_control(code) || is_deceptive(code);
}

/* Writes a character of `length` bytes, or one byte of invalid UTF-8 (length 0). */
typedef void put_character(FILE *to, const char *s, size_t length, unsigned int code);

static char *rewrite(const char *text, put_character *put)
{
	size_t size = 0, left = strlen(text);
	char *out = NULL;
	FILE *to = open_memstream(&out, &size);
	int failed;

	if (!to)
		return NULL;
	while (left) {
		unsigned int code = 0;
		size_t length = text_utf8(text, left, &code);

		put(to, text, length, code);
		text += length ? length : 1;
		left -= length ? length : 1;
	}
	failed = ferror(to);
	if (!fclose(to) && !failed)
		return out;
	free(out);
	return NULL;
}

static void put_for_terminal(FILE *to, const char *s, size_t length, unsigned int code)
{
	if (!length || (is_control(code) && code < 0x80))
		fprintf(to, "\\x%02x", (unsigned char)*s);
	else if (is_control(code) || is_deceptive(code))
		fprintf(to, "\\u{%04x}", code);
	else
		fwrite(s, 1, length, to);
}

char *text_for_terminal(const char *text)
{
	return rewrite(text, put_for_terminal);
}

static void put_for_json(FILE *to, const char *s, size_t length, unsigned int code)
{
	(void)code;
	if (length)
		fwrite(s, 1, length, to);
	else
		fputs("\xef\xbf\xbd", to);
}

char *text_for_json(const char *text)
{
	return rewrite(text, put_for_json);
}

static void print_escaped(FILE *to, unsigned int code)
{
	if (code < 0x10000)
		fprintf(to, "\\u%04x", code);
	else
		fprintf(to, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
}

void text_print_json(FILE *to, const char *json)
{
	size_t left = strlen(json);

	while (left) {
		unsigned int code = 0;
		size_t plain = strcspn(json, "\x7f\xc2\xd8\xe2\xef\xf3"), length;

		/* The bytes before it do not start an unsafe character. */
		fwrite(json, 1, plain, to);
		json += plain;
		left -= plain;
		if (!left)
			return;
		length = text_utf8(json, left, &code);
		if (length && text_is_unsafe(code))
			print_escaped(to, code);
		else
			fwrite(json, 1, length ? length : 1, to);
		json += length ? length : 1;
		left -= length ? length : 1;
	}
}

#define NEAR_MAX 64

/* The edit distance; SIZE_MAX if a word is too long to compare. */
static size_t distance(const char *a, const char *b)
{
	size_t row[NEAR_MAX + 1], n = strlen(b);

	if (strlen(a) > NEAR_MAX || n > NEAR_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void text_near_begin(struct text_near *near, const char *word, size_t most)
{
	*near = (struct text_near){ .word = word, .least = most + 1 };
}

bool text_near_try(struct text_near *near, const char *name)
{
	size_t length = strlen(near->word), n = strlen(name), d;

	/* The difference in length is a lower bound. */
	if ((n > length ? n - length : length - n) >= near->least)
		return false;
	d = distance(near->word, name);
	if (d >= near->least)
		return false;
	near->least = d;
	return true;
}

const char *text_nearest(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	struct text_near near;

	text_near_begin(&near, word, strlen(word) / 2);
	for (size_t i = 0; i < count; i++) {
		if (text_near_try(&near, names[i]))
			best = names[i];
	}
	return best;
}
