// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/pairs.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static char **value_of(struct pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->count; i++) {
		if (!strcmp(pairs->at[i].name, name))
			return &pairs->at[i].value;
	}
	return NULL;
}

int pairs_set(struct pairs *pairs, const char *name, const char *value)
{
	char **old = value_of(pairs, name);
	struct pair made;

	if (!old && pairs->count == PAIRS_MOST)
		return -E2BIG;
	made.value = strdup(value);
	made.name = old ? NULL : strdup(name);
	if (!made.value || (!old && !made.name)) {
		free(made.value);
		free(made.name);
		return -ENOMEM;
	}
	if (old) {
		free(*old);
		*old = made.value;
	} else {
		pairs->at[pairs->count++] = made;
	}
	return 0;
}

/* Trims blanks, in place. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
	return text;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

/* Decodes %XX in place. False: invalid, or NUL. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high, low;

		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		high = hex_digit(text[1]);
		low = high >= 0 ? hex_digit(text[2]) : -1;
		if (low < 0 || !(high | low))
			return false;
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
	return true;
}

/* In place. */
static int add(struct pairs *pairs, char *text)
{
	char *value = strchr(text, '=');

	if (!value || value == text)
		return -EINVAL;
	*value++ = '\0';
	return pairs_set(pairs, text, value);
}

int pairs_add(struct pairs *pairs, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);

	return copy ? add(pairs, copy) : -ENOMEM;
}

static int parse_one(struct pairs *pairs, char *text)
{
	char *value = strchr(text, '='), *name;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	name = trim(text);
	value = trim(value);
	return *name && unescape(name) && unescape(value) ? pairs_set(pairs, name, value) : -EINVAL;
}

int pairs_parse(struct pairs *pairs, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	char *rest = copy, *one;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (one = strsep(&rest, ","))) {
		/* Empty items are skipped. */
		if (one[strspn(one, " \t")])
			err = parse_one(pairs, one);
	}
	return err;
}

void pairs_free(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		free(pairs->at[i].name);
		free(pairs->at[i].value);
	}
	pairs->count = 0;
}
