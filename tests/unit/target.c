// SPDX-License-Identifier: BSD-2-Clause
#include "target/target.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "target/reader/procfs.h"

#define MANY 1500 /* 32 KiB of names in a folder, and some */
#define MORE 100

Test(target, a_process_that_is_no_beam_is_refused_with_a_reason)
{
	struct target *target;
	const char *why = NULL;

	cr_expect(eq(int, target_open(getpid(), &target, &why), -ENOEXEC));
	expect_text(why, "it does not export the native interfaces of a BEAM");
	/* Files that were looked at are remembered. */
	why = NULL;
	cr_expect(eq(int, target_open(getpid(), &target, &why), -ENOEXEC));
	expect_text(why, "it does not export the native interfaces of a BEAM");
}

Test(target, a_process_that_is_gone_is_not_found)
{
	struct target *target;
	const char *why;

	cr_expect(eq(int, target_open(0x3ffffff, &target, &why), -ESRCH));
}

Test(target, flavors_have_names)
{
	expect_text(flavor_name(FLAVOR_JIT), "jit");
	expect_text(flavor_name(FLAVOR_EMU), "emu");
	expect_text(flavor_name(FLAVOR_UNKNOWN), "unknown");
}

Test(target, nothing_is_freed_when_there_is_nothing)
{
	struct target_list list = {};

	target_free(NULL);
	target_list_free(&list);
	cr_expect(eq(ptr, target_list_find(&list, getpid()), NULL));
}

static void start_one(void)
{
	if (fork())
		return;
	for (;;)
		pause();
}

/* As a server that starts a process for each request. */
static void start_another(void *data, pid_t pid)
{
	size_t *visited = data;

	(void)pid;
	if (++*visited <= MORE)
		start_one();
}

/*
 * In a pid namespace of its own, where numbers follow each other, with more processes than the kernel lists at once.
 * Its processes end with the first. 0: each was visited, and no other.
 */
static int visit_in_namespace(void)
{
	size_t visited = 0;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, NULL))
		return 1;
	for (size_t i = 1; i < MANY; i++)
		start_one();
	return procfs_each(start_another, &visited) || visited != MANY;
}

Test(target, processes_that_start_meanwhile_are_not_visited)
{
	int status = -1;
	pid_t child;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS))
		cr_skip_test("needs root");
	child = fork();
	if (!child)
		_exit(visit_in_namespace());
	waitpid(child, &status, 0);
	cr_expect(eq(int, status, 0));
}
