// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>

int words_split(char *text, char **words)
{
	char *from = text, *to = text, quote = '\0';
	bool in_word = false;
	int count = 0;

	for (; *from; from++) {
		if (!quote && isspace((unsigned char)*from)) {
			if (in_word)
				*to++ = '\0';
			in_word = false;
			continue;
		}
		/* The write position never passes the read position. */
		if (!in_word)
			words[count++] = to;
		in_word = true;
		if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? '\0' : *from;
		else
			*to++ = *from;
	}
	*to = '\0';
	return quote ? -EINVAL : count;
}
