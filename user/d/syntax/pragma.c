// SPDX-License-Identifier: BSD-2-Clause

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "d/syntax/lex.h"
#include "d/lang/stability.h"

#define WORDS_MOST 16

/* A control line split at blanks; quotes group words and are removed. */
struct words {
	char *word[WORDS_MOST];
	bool is_quoted[WORDS_MOST];
	size_t count;
};

static char *word_end(char *at, bool *is_quoted)
{
	*is_quoted = *at == '"';
	if (*is_quoted)
		return strchr(at + 1, '"');
	while (*at && !isspace((unsigned char)*at))
		at++;
	return at;
}

static void split(struct words *words, char *at)
{
	for (;;) {
		bool is_quoted;
		char *end;

		while (isspace((unsigned char)*at))
			at++;
		if (!*at || words->count == WORDS_MOST)
			return;
		end = word_end(at, &is_quoted);
		if (!end)
			end = at + strlen(at);
		words->word[words->count] = at + is_quoted;
		words->is_quoted[words->count++] = is_quoted;
		at = *end ? end + 1 : end;
		*end = '\0';
	}
}

static bool wrong(struct lexer *lexer, const char *tag, const char *what, const char *word)
{
	diag_error(lexer->diag, lexer->file, lexer->line, tag, "%s: \"%.100s\"", what, word);
	return false;
}

static void keep(struct lexer *lexer, const char *name, const char *key, const char *value)
{
	struct pragma *pragma = arena_alloc(lexer->arena, sizeof(*pragma));

	*pragma = (struct pragma){ .name = name, .key = key, .value = value, .file = lexer->file, .line = lexer->line };
	*lexer->pragmas = pragma;
	lexer->pragmas = &pragma->next;
}

/* Later types use this string size. The option itself is checked with all options. */
static void note_strsize(struct lexer *lexer, const char *value)
{
	static const char units[] = "kmg";
	char *end;
	unsigned long long size = strtoull(value, &end, 0);
	const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;

	if (unit)
		size <<= 10 * (unit - units + 1);
	if (size && size <= INT_MAX)
		type_set_strsize(lexer->types, size);
}

/* "quiet", "strsize=1k", "x=\"a b\"" */
static bool option(struct lexer *lexer, struct words *words)
{
	char *equals;

	if (words->count < 3)
		return wrong(lexer, "D_PRAGMA_MALFORM", "the name of an option is missing in this pragma", "D option");
	if (words->count > 3)
		return wrong(lexer, "D_PRAGMA_MALFORM", "one pragma sets one option; superfluous is", words->word[3]);
	equals = strchr(words->word[2], '=');
	if (equals)
		*equals++ = '\0';
	if (equals && *equals == '"') {
		char *end = strchr(++equals, '"');

		if (end)
			*end = '\0';
	}
	if (equals && strcmp(words->word[2], "strsize") == 0)
		note_strsize(lexer, equals);
	keep(lexer, "option", words->word[2], equals);
	return true;
}

/* The number of the next line. */
static bool line(struct lexer *lexer, struct words *words, size_t first)
{
	char *end;
	long number;

	if (words->count <= first)
		return wrong(lexer, "D_PRAGMA_MALFORM", "a line number is missing", "#line");
	number = strtol(words->word[first], &end, 10);
	if (*end || number < 0 || number > INT_MAX / 2)
		return wrong(lexer, "D_PRAGMA_MALFORM", "invalid line number", words->word[first]);
	if (words->count > first + 1) {
		const char *file = words->word[first + 1];

		if (!words->is_quoted[first + 1])
			return wrong(lexer, "D_PRAGMA_MALFORM", "the file name must be in quotes", file);
		/* The preprocessor reads the program from a pipe. */
		lexer->file = strcmp(file, "<stdin>") == 0 || !*file ? NULL : file;
	}
	lexer->line = number > 0 ? (int)number - 1 : 0;
	return true;
}

static bool error(struct lexer *lexer, const char *text)
{
	const char *word = strstr(text, "error");

	text = word ? word + strlen("error") : text;
	text += strspn(text, " \t");
	diag_error(lexer->diag, lexer->file, lexer->line, "D_PRAGERR", "#error: %.300s", text);
	return false;
}

/* Up to three numbers. */
static bool is_version(const char *text)
{
	for (int numbers = 1; numbers <= 3; numbers++) {
		size_t digits = strspn(text, "0123456789");

		if (!digits || (text[digits] && text[digits] != '.'))
			return false;
		if (!text[digits])
			return true;
		text += digits + 1;
	}
	return false;
}

static bool is_provider(const char *name)
{
	static const char *const providers[] = {
		"cpc",	   "dtrace", "erlang", "fbt", "io",	 "ip",	"lockstat", "pid",  "proc",
		"profile", "rawtp",  "sched",  "sdt", "syscall", "tcp", "udp",	    "usdt",
	};

	for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); i++)
		if (strcmp(providers[i], name) == 0)
			return true;
	return false;
}

/* Of the kernel or a module. */
static bool is_module(const char *name)
{
	char path[256];

	if (strcmp(name, "vmlinux") == 0)
		return true;
	return !strchr(name, '/') && *name != '.' &&
	       snprintf(path, sizeof(path), "/sys/module/%s", name) < (int)sizeof(path) && access(path, F_OK) == 0;
}

static bool depends_on(struct lexer *lexer, const struct words *words)
{
	const char *kind = words->word[2], *name = words->word[3];

	if (strcmp(kind, "library") == 0)
		return wrong(lexer, "D_PRAGMA_DEPEND", "only a library can depend on a library", name);
	if (strcmp(kind, "provider") != 0 && strcmp(kind, "module") != 0)
		return wrong(lexer, "D_PRAGMA_INVAL", "a program depends on a provider, module or library, not a",
			     kind);
	if (strcmp(kind, "provider") == 0 ? is_provider(name) : is_module(name))
		return true;
	return wrong(lexer, "D_PRAGMA_DEPEND", "unmet dependency of the program", name);
}

static bool is_part(const char *name)
{
	static const char *const parts[] = { "provider", "module", "function", "name", "args" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(parts[i], name) == 0)
			return true;
	return false;
}

/* "attributes S provider NAME PART": an unknown provider is an identifier, as in DTrace. */
static bool provider_attributes(struct lexer *lexer, const struct words *words)
{
	const char *provider = words->word[4];

	if (words->count < 6)
		return wrong(lexer, "D_PRAGMA_MALFORM", "too few words in the pragma", "attributes");
	if (!is_provider(provider))
		keep(lexer, "attributes", words->word[2], provider);
	else if (!is_part(words->word[5]))
		return wrong(lexer, "D_PRAGMA_INVAL", "unknown part of a provider's attributes", words->word[5]);
	return true;
}

/* attributes, binding, depends_on: syntax check here; check/stability.c evaluates them. */
static bool other(struct lexer *lexer, struct words *words, const char *name)
{
	bool is_attributes = strcmp(name, "attributes") == 0, is_binding = strcmp(name, "binding") == 0;
	struct stability stability;

	if (words->count < 4)
		return wrong(lexer, "D_PRAGMA_MALFORM", "too few words in the pragma", name);
	if (words->count > (is_attributes ? 6 : 4))
		return wrong(lexer, "D_PRAGMA_MALFORM", "too many words in the pragma", name);
	if (words->is_quoted[3] || words->is_quoted[2] != is_binding)
		return wrong(lexer, "D_PRAGMA_MALFORM",
			     is_binding ? "the version must be in quotes, and its subject must not"
					: "quotes are out of place in the pragma",
			     name);
	if (is_attributes && !stability_parse(words->word[2], &stability))
		return wrong(lexer, "D_PRAGMA_INVAL", "unknown stability", words->word[2]);
	if (is_binding && !is_version(words->word[2]))
		return wrong(lexer, "D_PRAGMA_INVAL", "invalid version", words->word[2]);
	if (is_attributes && strcmp(words->word[3], "provider") == 0)
		return provider_attributes(lexer, words);
	if (!is_attributes && !is_binding && !depends_on(lexer, words))
		return false;
	keep(lexer, name, words->word[2], words->word[3]);
	return true;
}

static bool pragma_d(struct lexer *lexer, struct words *words, const char *rest)
{
	const char *name = words->count > 1 ? words->word[1] : "ident";

	if (strcmp(name, "option") == 0)
		return option(lexer, words);
	if (strcmp(name, "line") == 0)
		return line(lexer, words, 2);
	if (strcmp(name, "error") == 0)
		return error(lexer, rest);
	if (strcmp(name, "attributes") == 0 || strcmp(name, "binding") == 0 || strcmp(name, "depends_on") == 0)
		return other(lexer, words, name);
	if (strcmp(name, "ident") == 0)
		return true;
	return wrong(lexer, "D_PRAGMA_INVAL", "unknown pragma", name);
}

/* Ignores pragmas of other compilers, but not directives without "#pragma". */
static bool pragma(struct lexer *lexer, struct words *words, const char *rest)
{
	struct words without = { .count = words->count - 1 };
	const char *name = words->count > 1 ? words->word[1] : "";

	if (strcmp(name, "line") == 0)
		return line(lexer, words, 2);
	if (strcmp(name, "error") == 0)
		return error(lexer, rest);
	if (strcmp(name, "D") != 0)
		return true;
	memcpy(without.word, words->word + 1, without.count * sizeof(*without.word));
	memcpy(without.is_quoted, words->is_quoted + 1, without.count * sizeof(*without.is_quoted));
	return pragma_d(lexer, &without, rest);
}

bool pragma_line(struct lexer *lexer, const char *text, size_t size)
{
	struct words words = { 0 };
	const char *name;

	if (size && *text == '!') {
		if (lexer->line == 1)
			return true;
		return wrong(lexer, "D_SYNTAX", "only the first line names an interpreter", "#!");
	}
	split(&words, arena_strndup(lexer->arena, text, size));
	if (!words.count)
		return true;
	name = words.word[0];
	if (isdigit((unsigned char)*name))
		return line(lexer, &words, 0);
	if (strcmp(name, "line") == 0)
		return line(lexer, &words, 1);
	if (strcmp(name, "pragma") == 0)
		return pragma(lexer, &words, arena_strndup(lexer->arena, text, size));
	if (strcmp(name, "ident") == 0)
		return true;
	if (strcmp(name, "error") == 0)
		return error(lexer, arena_strndup(lexer->arena, text, size));
	return wrong(lexer, "D_PRAGCTL_INVAL", "unknown control line; for #include and #define, use -C", name);
}
