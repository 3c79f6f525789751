/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that options of D are given, as many as there are. */
#ifndef ERLBPF_DTRACE_SESSION_OPTION_WORDS_H
#define ERLBPF_DTRACE_SESSION_OPTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of words that grows, NULL-terminated; it owns them. */
struct d_words {
	char **words;
	size_t count, room;
};

/* Behind a prefix. False: memory is short. */
bool d_words_add(struct d_words *words, const char *prefix, const char *word);
void d_words_free(struct d_words *words);

#endif
