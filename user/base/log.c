// SPDX-License-Identifier: BSD-2-Clause
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *name = "erlbpf";
static enum log_level shown = LOG_NORMAL;
static void (*diverted)(const char *message);
static char *kept;
static size_t kept_room;
static unsigned long errors;

void log_set_name(const char *called)
{
	name = called;
}

void log_set_level(enum log_level level)
{
	shown = level;
}

void log_divert(void (*show)(const char *message))
{
	diverted = show;
}

void log_keep_errors(char *buf, size_t size)
{
	kept = buf;
	kept_room = size;
	if (buf)
		buf[0] = '\0';
}

static void keep(const char *message)
{
	size_t used = strlen(kept);

	if (used + 1 < kept_room)
		snprintf(kept + used, kept_room - used, "%s%s", used ? "\n" : "", message);
}

bool log_shows(enum log_level level)
{
	return shown >= level;
}

unsigned long log_errors(void)
{
	return errors;
}

void log_out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", name);
	exit(1);
}

/* A message may quote a traced process, so it is made safe for the terminal, like data. */
__attribute__((format(printf, 4, 0))) static void print(enum log_level level, bool is_named, const char *prefix,
							const char *format, va_list args)
{
	_cleanup_free_ char *message = NULL;
	_cleanup_free_ char *safe = NULL;
	int err = errno;

	errors += level == LOG_QUIET;
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	safe = message ? text_for_terminal(message) : NULL;
	if (kept && level == LOG_QUIET)
		keep(safe ? safe : "out of memory");
	else if (diverted && safe)
		diverted(safe);
	else
		fprintf(stderr, "%s%s%s\n", is_named ? name : "", prefix, safe ? safe : "out of memory");
	errno = err;
}

#define PRINTER(function, is_named, prefix, level)                                                                     \
	void function(const char *format, ...)                                                                         \
	{                                                                                                              \
		va_list args;                                                                                          \
		if (!log_shows(level))                                                                                 \
			return;                                                                                        \
		va_start(args, format);                                                                                \
		print(level, is_named, prefix, format, args);                                                          \
		va_end(args);                                                                                          \
	}

PRINTER(pr_err, true, ": ", LOG_QUIET)
PRINTER(pr_warn, true, ": warning: ", LOG_NORMAL)
PRINTER(pr_info, false, "", LOG_NORMAL)
PRINTER(pr_debug, true, ": ", LOG_VERBOSE)
