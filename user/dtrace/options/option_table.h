/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of D's options: how the value of each is written, when it may be set, where it goes. */
#ifndef ERLBPF_DTRACE_OPTIONS_OPTION_TABLE_H
#define ERLBPF_DTRACE_OPTIONS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtrace/options/options.h"

/* How a value is written, and what the member is that it goes to. */
enum d_option_kind {
	FLAG,	  /* bool: set by its name alone */
	FLAG_OFF, /* bool: cleared by its name alone */
	SWITCH,	  /* bool: by its name, or yes, no, on, off... */
	NUMBER,	  /* uint64_t */
	SMALL,	  /* unsigned int */
	SIZE,	  /* uint64_t: with k, m, g, t */
	RATE,	  /* uint64_t: nanoseconds from a time or a frequency */
	WORD,	  /* enum: one of `words`, blanks between them */
	STRING,	  /* char * */
	WORDS,	  /* struct d_words: the value split at blanks, each with `words` before it */
	ARGUMENT, /* struct d_words: `words` and the value, one word */
	OWN,	  /* see `set` */
};

enum d_option_moment {
	COMPILING,
	OUTSIDE, /* also compiling, but not from within a program */
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

/* The help of an option that is taken for the sake of scripts, and does nothing. */
extern const char option_nothing[];

/* option_values.c: parsers of option values. They return false, or -1, if the value is invalid. */

/* *end: what stands behind it. */
bool option_number(const char *text, const char **end, uint64_t *number);

/* "4k": each of the letters k, m, g, t means 1024 times the one before it. */
bool option_size(const char *text, uint64_t *size);

/* "100", "100ms", "10hz". A number alone is nanoseconds. */
bool option_rate(const char *text, uint64_t *ns);

/* 1 for yes, 0 for no, -1 for neither. An empty value takes a setting back. */
int option_yes(const char *text);

/* Its place among words with blanks between them, -1: it is none. */
int option_word(const char *text, const char *words);

#endif
