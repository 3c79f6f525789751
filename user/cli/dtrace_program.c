// SPDX-License-Identifier: BSD-2-Clause
/* What -P, -m, -f, -n and -i name, as D. */
#include "cli/dtrace_command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One description, without blanks around it: where its last part belongs is a matter of the colons. */
static void expand_one(FILE *to, enum dtrace_by by, const char *text, size_t size)
{
	static const int places[] = { [DTRACE_BY_PROVIDER] = 0, [DTRACE_BY_MODULE] = 1, [DTRACE_BY_FUNCTION] = 2 };
	int colons = 0;

	for (size_t i = 0; i < size; i++)
		colons += text[i] == ':';
	/* What is complete stays, and what has too many parts is for the parser to complain about. */
	if (colons > places[by]) {
		fprintf(to, "%.*s", (int)size, text);
		return;
	}
	for (int i = colons; i < places[by]; i++)
		putc(':', to);
	fprintf(to, "%.*s", (int)size, text);
	for (int i = places[by]; i < 3; i++)
		putc(':', to);
}

/* Descriptions end at the predicate, the action, or the end. */
size_t dtrace_descriptions_size(const char *text)
{
	return strcspn(text, "/{;");
}

char *dtrace_expand(enum dtrace_by by, const char *text)
{
	size_t size = dtrace_descriptions_size(text), done = 0, all;
	char *expanded = NULL;
	FILE *to;

	if (by == DTRACE_BY_NAME || by == DTRACE_BY_SCRIPT || by == DTRACE_BY_ID)
		return strdup(text);
	to = open_memstream(&expanded, &all);
	if (!to)
		return NULL;
	while (done < size) {
		size_t blanks = strspn(text + done, " \t\n,"), n;

		blanks = blanks > size - done ? size - done : blanks;
		fprintf(to, "%.*s", (int)blanks, text + done);
		done += blanks;
		n = strcspn(text + done, " \t\n,/{;");
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
