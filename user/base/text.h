/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from traced processes is hostile: it may contain escape sequences, forged lines and invalid UTF-8. All such text
 * passes one of these functions before output.
 */
#ifndef ERLBPF_BASE_TEXT_H
#define ERLBPF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Both return a new string that the caller frees, or NULL if memory is exhausted.
 *
 * For a terminal: control characters (C0, C1, DEL), invalid UTF-8 and characters that change the direction of text
 * become \xNN or \u{NNNN}, so one line stays one line.
 */
char *text_for_terminal(const char *text);

/* For JSON: valid UTF-8, with U+FFFD for each invalid byte. */
char *text_for_json(const char *text);

/*
 * Prints JSON in one line, with DEL, C1 and direction-changing characters as \uNNNN: equal JSON, safe on a terminal.
 * `json` is valid UTF-8.
 */
void text_print_json(FILE *to, const char *json);

/* The length of the UTF-8 sequence at `s` in `left` bytes, and its code in *code. 0: invalid. */
size_t text_utf8(const char *s, size_t left, unsigned int *code);

/* Is it a control, direction-changing or zero-width character? */
bool text_is_unsafe(unsigned int code);

/* Finds the name with the fewest edits from `word`, at most `most`. Names are tried one by one. */
struct text_near {
	const char *word;
	size_t least;
};

void text_near_begin(struct text_near *near, const char *word, size_t most);
bool text_near_try(struct text_near *near, const char *name); /* true: nearer than all before */

/* The nearest of `count` names, or NULL if none is within half of the word's length. */
const char *text_nearest(const char *word, const char *const *names, size_t count);

#endif
