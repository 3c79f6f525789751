// SPDX-License-Identifier: BSD-2-Clause
/* The arguments of -P, -m, -f, -n and -i as D programs. */
#include "cli/dtrace/dtrace_command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const int places[] = { [DTRACE_BY_PROVIDER] = 0, [DTRACE_BY_MODULE] = 1, [DTRACE_BY_FUNCTION] = 2 };

static bool names_parts(enum dtrace_by by)
{
	return by == DTRACE_BY_PROVIDER || by == DTRACE_BY_MODULE || by == DTRACE_BY_FUNCTION;
}

bool dtrace_is_overspecified(enum dtrace_by by, const char *text)
{
	size_t size = dtrace_descriptions_size(text);
	int colons = 0;

	for (size_t i = 0; names_parts(by) && i < size; i++) {
		colons = text[i] == ':' ? colons + 1 : strchr(" \t\n,", text[i]) ? 0 : colons;
		if (colons > places[by])
			return true;
	}
	return false;
}

/* One description, without blanks around it: where its last part belongs is a matter of the colons. */
static void expand_one(FILE *to, enum dtrace_by by, const char *text, size_t size)
{
	int colons = 0;

	for (size_t i = 0; i < size; i++)
		colons += text[i] == ':';
	for (int i = colons; i < places[by]; i++)
		putc(':', to);
	fprintf(to, "%.*s", (int)size, text);
	for (int i = places[by]; i < 3; i++)
		putc(':', to);
}

/* The arity of an Erlang function, "/2:". */
static size_t arity_size(const char *text)
{
	size_t digits = *text == '/' ? strspn(text + 1, "0123456789") : 0;

	return digits && text[1 + digits] == ':' ? 1 + digits : 0;
}

/* Descriptions end at the predicate, the action, or the end. */
size_t dtrace_descriptions_size(const char *text)
{
	size_t size = strcspn(text, "/{;"), arity;

	while ((arity = arity_size(text + size)))
		size += arity + strcspn(text + size + arity, "/{;");
	return size;
}

char *dtrace_expand(enum dtrace_by by, const char *text)
{
	size_t size = dtrace_descriptions_size(text), done = 0, all;
	char *expanded = NULL;
	FILE *to;

	if (!names_parts(by))
		return strdup(text);
	to = open_memstream(&expanded, &all);
	if (!to)
		return NULL;
	while (done < size) {
		size_t blanks = strspn(text + done, " \t\n,"), n;

		blanks = blanks > size - done ? size - done : blanks;
		fprintf(to, "%.*s", (int)blanks, text + done);
		done += blanks;
		n = strcspn(text + done, " \t\n,");
		n = n > size - done ? size - done : n;
		if (n)
			expand_one(to, by, text + done, n);
		done += n;
	}
	fputs(text + size, to);
	return fclose(to) ? free(expanded), NULL : expanded;
}

unsigned int dtrace_id(const char *text, const char **rest)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
	if (!id || errno || id > UINT_MAX || (*end && !strchr(" \t\n/{;,", *end)))
		return 0;
	*rest = end;
	return (unsigned int)id;
}
