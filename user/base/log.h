/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages for the user: on stderr, one line each, never mixed with data. */
#ifndef ERLBPF_BASE_LOG_H
#define ERLBPF_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_QUIET = -1, LOG_NORMAL, LOG_VERBOSE, LOG_DEBUG };

/* The prefix of messages, at first "erlbpf". The caller keeps the text. */
void log_set_name(const char *called);

void log_set_level(enum log_level level);
bool log_shows(enum log_level level);

/* Errors are always shown; hints and warnings unless -q; details with -v; messages of libbpf with -vv. */
void pr_err(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The number of errors reported. If a function fails and the number is unchanged, the caller must report the failure.
 */
unsigned long log_errors(void);

/* Reports that memory is exhausted, and exits with code 1. */
_Noreturn void log_out_of_memory(void);

/* Collects errors in `buf`, a line each while there is room, instead of printing them. NULL: print again. */
void log_keep_errors(char *buf, size_t size);

/* Passes messages to `show`, without line ends, while a screen is on the terminal. NULL: to stderr. */
void log_divert(void (*show)(const char *message));

#endif
