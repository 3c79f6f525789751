/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from traced processes is hostile: it may carry escape sequences, forged lines and broken
 * UTF-8. It passes one of these on its way out, always.
 */
#ifndef ERLBPF_BASE_TEXT_H
#define ERLBPF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Both return a new string that the caller frees, or NULL when memory is short.
 *
 * For a terminal: control characters (C0, C1, DEL), bytes that are no UTF-8 and characters that
 * change the direction of text become \xNN or \u{NNNN}; so what was one line stays one line.
 */
char *text_for_terminal(const char *text);

/* For JSON: valid UTF-8, with U+FFFD for every byte that is none. */
char *text_for_json(const char *text);

/*
 * Print a line of JSON with DEL, C1 and direction-changing characters as \uNNNN, which is the same
 * JSON and harmless on a terminal too. `json` is valid UTF-8.
 */
void text_print_json(FILE *to, const char *json);

/* Length of the UTF-8 sequence at `s` of at most `left` bytes, its code in *code; 0 if it is none. */
size_t text_utf8(const char *s, size_t left, unsigned int *code);

/* Does the character control a terminal, change the direction of text, or take no room? */
bool text_is_unsafe(unsigned int code);

/* Which of many names is nearest to a word that is none of them: at most so many edits away. They are tried one by one.
 */
struct text_near {
	const char *word;
	size_t least;
};

void text_near_begin(struct text_near *near, const char *word, size_t most);
bool text_near_try(struct text_near *near, const char *name); /* nearer than all before it */

/* The nearest of `count` names to a word that is none of them, NULL if none is near: half of it may differ. */
const char *text_nearest(const char *word, const char *const *names, size_t count);

#endif
