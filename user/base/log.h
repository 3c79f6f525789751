/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages for the person at the terminal: on stderr, one line each, never mixed with data. */
#ifndef ERLBPF_BASE_LOG_H
#define ERLBPF_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_QUIET = -1, LOG_NORMAL, LOG_VERBOSE, LOG_DEBUG };

/* What stands before messages: "erlbpf" at first. The text is kept as it is. */
void log_set_name(const char *called);

void log_set_level(enum log_level level);
bool log_shows(enum log_level level);

/* Errors are always shown; hints and warnings unless -q; details with -v; libbpf's with -vv. */
void pr_err(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pr_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How many errors there were: who fails, and has none told since, has to say so himself. */
unsigned long log_errors(void);

/* Where nothing can be done about it: the last word, and the end of the program with exit code 1. */
_Noreturn void log_out_of_memory(void);

/* Errors go there, a line each as far as there is room, and nowhere else; NULL: as usual again. */
void log_keep_errors(char *buf, size_t size);

/* While something else is on the terminal: messages go there, without their line ends. NULL: to stderr. */
void log_divert(void (*show)(const char *message));

#endif
