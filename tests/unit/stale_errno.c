// SPDX-License-Identifier: BSD-2-Clause
/* Who promises errno keeps it. tests/stale_errno.py looks for the places; here are those that can be provoked. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "check.h"
#include "trace/child.h"
#include "target/reader/reader.h"

Test(stale_errno, an_array_that_cannot_grow_says_why)
{
	int *numbers = NULL;
	size_t room = 0;

	errno = 0;
	cr_expect(eq(int, array_has_room_for(numbers, room, SIZE_MAX / 2), 0));
	cr_expect(eq(int, errno, ENOMEM));
}

Test(stale_errno, a_message_that_nobody_reads_changes_nothing)
{
	cr_assert(ne(ptr, freopen("/dev/full", "w", stderr), NULL));
	setvbuf(stderr, NULL, _IONBF, 0);
	errno = ENOENT;
	pr_err("cannot read %s", "it");
	cr_expect(eq(int, errno, ENOENT));
}

static int close_wrong(void)
{
	_cleanup_close_ int fd = 0x3ffffff;

	errno = ENOENT;
	return fd;
}

Test(stale_errno, cleaning_up_changes_nothing)
{
	close_wrong();
	cr_expect(eq(int, errno, ENOENT));
}

static size_t open_files(void)
{
	_cleanup_dir_ DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;

	while (dir && readdir(dir))
		count++;
	return count;
}

Test(stale_errno, a_command_without_descriptors_says_so_and_leaves_none)
{
	char *command[] = { (char[]){ "true" }, NULL };
	size_t before = open_files();
	struct rlimit usual, few;
	int next = dup(0);

	close(next);
	cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &usual), 0));
	/* For one of its two pipes. */
	few = (struct rlimit){ (rlim_t)next + 2, usual.rlim_max };
	cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &few), 0));
	cr_expect(eq(ptr, child_start(command), NULL));
	cr_expect(eq(int, errno, EMFILE));
	cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &usual), 0));
	cr_expect(eq(sz, open_files(), before));
}

/* At 0 nothing is mapped. */
Test(stale_errno, a_file_that_cannot_be_read_is_not_an_empty_one)
{
	char text[16];

	cr_expect(eq(long, (long)reader_file(getpid(), "mem", 0, text, sizeof(text)), -EIO));
}
