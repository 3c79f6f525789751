// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/options/options.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

bool d_words_add(struct d_words *words, const char *prefix, const char *word)
{
	if (!array_has_room_for(words->words, words->room, words->count + 2))
		return false;
	if (asprintf(&words->words[words->count], "%s%s", prefix, word) < 0) {
		words->words[words->count] = NULL;
		return false;
	}
	words->words[++words->count] = NULL;
	return true;
}

void d_words_free(struct d_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->words[i]);
	free(words->words);
}
