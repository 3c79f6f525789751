// SPDX-License-Identifier: BSD-2-Clause
/* Source: inspect/1 of atoms, Macro.inspect_atom/2 and Exception.format_mfa/3 in Elixir 1.14 to 1.18. */
#include "node/atoms/spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "'Elixir."

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The length of an alias up to the closing quote: "Shop.Cart"; 0: not an alias. */
static size_t alias_length(const char *text)
{
	size_t at = 0;

	for (;;) {
		if (!isupper((unsigned char)text[at]))
			return 0;
		while (is_word_char(text[at]))
			at++;
		if (text[at] != '.')
			return text[at] == '\'' ? at : 0;
		at++;
	}
}

/*
 * Is the function name valid after a dot without quotes? Names may end with ! or ?, and operators are valid. Names of
 * funs contain - and /.
 */
static bool is_bare(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!is_word_char(text[i]) && !strchr("!?@+-*/<>=&|^~.", text[i]))
			return false;
	}
	return length > 0;
}

/* The length of a quoted atom without its quotes; an escaped quote does not end it. */
static size_t quoted_length(const char *text)
{
	size_t at = 0;

	while (text[at] && text[at] != '\'')
		at += text[at] == '\\' && text[at + 1] ? 2 : 1;
	return at;
}

/* Changes "'a function'/1" to "\"a function\"/1". */
static void spell_function(char *text)
{
	size_t length = *text == '\'' ? quoted_length(text + 1) : 0;

	if (*text != '\'' || text[length + 1] != '\'')
		return;
	if (!is_bare(text + 1, length)) {
		if (!memchr(text + 1, '"', length))
			text[0] = text[length + 1] = '"';
		return;
	}
	memmove(text, text + 1, length);
	memmove(text + length, text + length + 2, strlen(text + length + 2) + 1);
}

void spelling_elixir(char *name)
{
	const size_t prefix = strlen(PREFIX);
	size_t length = strncmp(name, PREFIX, prefix) ? 0 : alias_length(name + prefix);
	char *rest = name + prefix + length + 1;

	if (!length || (*rest && *rest != ':'))
		return;
	memmove(name, name + prefix, length);
	if (*rest == ':') {
		spell_function(rest + 1);
		*rest = '.';
	}
	memmove(name + length, rest, strlen(rest) + 1);
}

/* The length up to the dot after the last part of the module, or the whole length. */
static size_t module_length(const char *text)
{
	size_t at = 0;

	for (;;) {
		size_t part = strcspn(text + at, ".");

		if (!isupper((unsigned char)text[at]) || !text[at + part])
			return isupper((unsigned char)text[at]) ? at + part : at - 1;
		at += part + 1;
	}
}

bool spelling_pattern(const char *text, char *pattern, size_t size)
{
	size_t module, used;

	if (!isupper((unsigned char)*text) || strchr(text, ':') || !strncmp(text, "Elixir", strlen("Elixir")))
		return false;
	module = module_length(text);
	/* "Shop.*" may mean functions of Shop and of Shop.Cart. */
	if (!text[module] || !strcmp(text + module, ".*"))
		used = (size_t)snprintf(pattern, size, "Elixir.%.*s%s", (int)module, text, text[module] ? "**" : "");
	else
		used = (size_t)snprintf(pattern, size, "Elixir.%.*s:%s", (int)module, text, text + module + 1);
	return used < size;
}

const char *spelling_of_pattern(const char *pattern, char *text, size_t size)
{
	const char *name = pattern + (*pattern == '\''), *rest;
	size_t module;

	snprintf(text, size, "%s", pattern);
	if (strncmp(name, "Elixir.", strlen("Elixir.")))
		return text;
	name += strlen("Elixir.");
	module = strcspn(name, ":*'");
	rest = name + module + (name[module] == '\'');
	snprintf(text, size, "%.*s%s%s", (int)module, name, *rest == ':' || !strcmp(rest, "**") ? "." : "",
		 rest + (*rest == ':' || !strcmp(rest, "**")));
	return text;
}
