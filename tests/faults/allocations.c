// SPDX-License-Identifier: BSD-2-Clause
/*
 * LD_PRELOAD: memory that runs out. FAIL_ALLOCATION=N fails the N-th allocation of each process, counted from 1; the
 * process writes how many it asked for to the descriptor FAIL_REPORT when it ends.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_ulong asked, failing;
static pid_t first; /* the process that was started, whose count is reported */

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("FAIL_ALLOCATION");

	first = getpid();
	failing = number ? strtoul(number, NULL, 10) : 0;
	asked = 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *report = getenv("FAIL_REPORT");

	if (report && getpid() == first)
		dprintf(atoi(report), "%lu\n", (unsigned long)asked);
}

static int fails(void)
{
	/* Not in side processes: there most is libseccomp's, which does not end when it fails. */
	if (!first || getpid() != first || ++asked != failing)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
