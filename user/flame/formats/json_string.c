// SPDX-License-Identifier: BSD-2-Clause
#include "flame/formats/json_string.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/text.h"

int json_string_put(FILE *to, const char *text)
{
	_cleanup_free_ char *safe = text_for_terminal(text);

	if (!safe)
		return -ENOMEM;
	fputc('"', to);
	for (const char *c = safe; *c; c++) {
		if (*c == '<')
			fputs("\\u003c", to);
		else if (*c == '"' || *c == '\\')
			fprintf(to, "\\%c", *c);
		else
			fputc(*c, to);
	}
	fputc('"', to);
	return 0;
}
