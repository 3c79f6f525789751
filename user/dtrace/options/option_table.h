/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of D's options: syntax of the value, when it can be set, where it is stored. */
#ifndef ERLBPF_DTRACE_OPTIONS_OPTION_TABLE_H
#define ERLBPF_DTRACE_OPTIONS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtrace/options/options.h"

/* The syntax of a value, and the type of its member. */
enum d_option_kind {
	FLAG,	  /* bool: set by its name alone */
	FLAG_OFF, /* bool: cleared by its name alone */
	SWITCH,	  /* bool: by its name, or yes, no, on, off... */
	NUMBER,	  /* uint64_t */
	SMALL,	  /* unsigned int */
	SIZE,	  /* uint64_t: with k, m, g, t */
	RATE,	  /* uint64_t: nanoseconds from a time or a frequency */
	WORD,	  /* enum: one of `words`, separated by blanks */
	STRING,	  /* char * */
	WORDS,	  /* struct d_words: the value split at blanks, each prefixed with `words` */
	ARGUMENT, /* struct d_words: `words` and the value as one word */
	OWN,	  /* see `set` */
};

enum d_option_moment {
	COMPILING,
	OUTSIDE, /* also compiling, but not in a program */
	STARTING,
	ANYTIME,
};

struct d_option_row {
	const char *name;
	enum d_option_kind kind;
	enum d_option_moment moment;
	size_t member;
	const char *words;
	enum d_option_error (*set)(struct d_options *options, const char *value);
	const char *help;
};

extern const struct d_option_row option_rows[];
extern const size_t option_row_count;

/* Help text of an option without effect, accepted for existing scripts. */
extern const char option_nothing[];

/* option_values.c: parsers of option values. They return false, or -1, if the value is invalid. */

/* *end: the first character after it. */
bool option_number(const char *text, const char **end, uint64_t *number);

/* "4k": the letters k, m, g, t are powers of 1024. */
bool option_size(const char *text, uint64_t *size);

/* "100", "100ms", "10hz". A plain number is in nanoseconds. */
bool option_rate(const char *text, uint64_t *ns);

/* 1 for yes, 0 for no, -1 for neither. An empty value means no. */
int option_yes(const char *text);

/* Index among blank-separated words, -1: none. */
int option_word(const char *text, const char *words);

#endif
