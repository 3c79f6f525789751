// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a text of the VM. The C library's decoder (iconv) says what is UTF-8: what goes to a
 * terminal is UTF-8 without control characters, what goes into JSON is UTF-8, and what was fine
 * stays as it is.
 */
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fuzz.h"

/* Controls, and what has no width, changes direction or ends a line. */
static bool is_unsafe(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xe0000 && code <= 0xe007f);
}

/* 0: no UTF-8; 1: UTF-8; 2: and harmless on a terminal. */
static int judge(const char *text)
{
	static iconv_t to_utf32;
	char *in = (char *)(uintptr_t)text;
	size_t left = strlen(text);
	int verdict = 2;

	if (!to_utf32)
		to_utf32 = iconv_open("UTF-32LE", "UTF-8");
	iconv(to_utf32, NULL, NULL, NULL, NULL);
	while (left) {
		uint32_t code;
		char *out = (char *)&code;
		size_t room = sizeof(code), before = left;

		iconv(to_utf32, &in, &left, &out, &room);
		if (left == before)
			return 0;
		if (is_unsafe(code))
			verdict = 1;
	}
	return verdict;
}

static void check_terminal(const char *text)
{
	char *shown = text_for_terminal(text), *again = text_for_terminal(shown);

	must(judge(shown) == 2, "what goes to a terminal is harmless");
	must(!strcmp(shown, again), "nothing is escaped twice");
	free(again);
	free(shown);
}

static void check_json(const char *text)
{
	char *shown = text_for_json(text);

	must(judge(shown) > 0, "what goes into JSON is UTF-8");
	must(judge(text) == 0 || !strcmp(shown, text), "UTF-8 stays as it is");
	free(shown);
}

/* A string of JSON but for its quotes; what is below 0x20 would be escaped in it already. */
static void check_line(const char *text)
{
	char *json = text_for_json(text), *shown = NULL;
	size_t size;
	FILE *to = open_memstream(&shown, &size);

	for (char *c = json; *c; c++)
		*c = (unsigned char)*c < 0x20 ? ' ' : *c;
	text_print_json(to, json);
	fclose(to);
	must(judge(shown) == 2, "a line of JSON is harmless on a terminal");
	must(judge(json) != 2 || !strcmp(shown, json), "harmless JSON stays as it is");
	free(shown);
	free(json);
}

static void check_nearest(const char *text)
{
	static const char *const names[] = { "help", "list", "sched-latency", "trace", "count" };
	const char *nearest = text_nearest(text, names, sizeof(names) / sizeof(*names));

	must(!nearest || strlen(text) < 32, "a long word is near to nothing");
}

static void fuzz(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	check_terminal(text);
	check_json(text);
	check_line(text);
	check_nearest(text);
	free(text);
}
