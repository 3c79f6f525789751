// SPDX-License-Identifier: BSD-2-Clause
#include "d/syntax/macro.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#define ARGUMENT_MOST 1000000 /* $n: larger n are undefined */

static long macro_sid(void)
{
	return getsid(0);
}

static long macro_pid(void)
{
	return getpid();
}

static long macro_ppid(void)
{
	return getppid();
}

static long macro_pgid(void)
{
	return getpgrp();
}

static long macro_uid(void)
{
	return getuid();
}

static long macro_euid(void)
{
	return geteuid();
}

static long macro_gid(void)
{
	return getgid();
}

static long macro_egid(void)
{
	return getegid();
}

/* Projects and tasks of Solaris: on Linux everything is in number 0. */
static long macro_zero(void)
{
	return 0;
}

static const struct {
	const char *name;
	long (*value)(void);
} ids[] = {
	{ "pid", macro_pid },	  { "ppid", macro_ppid },   { "pgid", macro_pgid }, { "sid", macro_sid },
	{ "uid", macro_uid },	  { "euid", macro_euid },   { "gid", macro_gid },   { "egid", macro_egid },
	{ "projid", macro_zero }, { "taskid", macro_zero },
};

static struct macro_value macro_id(struct arena *arena, long id)
{
	return (struct macro_value){ MACRO_INT, arena_printf(arena, "%ld", id), (uint64_t)id };
}

static struct macro_value macro_argument(struct arena *arena, struct macros *macros, const char *digits, size_t size)
{
	size_t index = 0;

	for (size_t i = 0; i < size && index < ARGUMENT_MOST; i++)
		index = index * 10 + (size_t)(digits[i] - '0');
	if (!macros || index >= (size_t)macros->argc) {
		if (macros && macros->default_args)
			return (struct macro_value){ MACRO_TEXT, "", 0 };
		return (struct macro_value){ MACRO_UNDEFINED };
	}
	if (macros->used)
		macros->used[index] = true;
	return (struct macro_value){ MACRO_TEXT, arena_strdup(arena, macros->argv[index]), 0 };
}

struct macro_value macro_value(struct arena *arena, struct macros *macros, const char *name, size_t size)
{
	if (isdigit((unsigned char)*name))
		return macro_argument(arena, macros, name, size);
	if (size == strlen("target") && memcmp(name, "target", size) == 0)
		return macro_id(arena, macros && macros->target > 0 ? macros->target : 0);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (strlen(ids[i].name) == size && memcmp(ids[i].name, name, size) == 0)
			return macro_id(arena, ids[i].value());
	return (struct macro_value){ MACRO_UNDEFINED };
}

size_t macro_name_size(const char *text)
{
	size_t size = 0;

	if (isdigit((unsigned char)*text)) {
		while (isdigit((unsigned char)text[size]))
			size++;
		return size;
	}
	while (isalpha((unsigned char)text[size]) || text[size] == '_' || (size && isdigit((unsigned char)text[size])))
		size++;
	return size;
}
