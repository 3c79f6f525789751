/* SPDX-License-Identifier: BSD-2-Clause */
/* How the value of an option of D is written. False: it is not such a value. */
#ifndef ERLBPF_DTRACE_SESSION_OPTION_VALUES_H
#define ERLBPF_DTRACE_SESSION_OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

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
