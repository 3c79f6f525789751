// SPDX-License-Identifier: BSD-2-Clause
/* How many open files a process may have, as the kernel writes it. */
#include <unistd.h>

#include "check.h"
#include "why/host/open_files.h"

static const struct {
	const char *text;
	uint64_t limit;
} limits[] = {
	{ "Max cpu time   unlimited  unlimited  seconds\nMax open files   1024      524288      files\n", 1024 },
	{ "Max open files            unlimited            unlimited            files     \n", 0 },
	{ "Max cpu time   unlimited  unlimited  seconds\n", 0 },
	{ "Max open files", 0 },
	{ "", 0 },
};

Test(why_files, the_soft_limit_is_the_first_number)
{
	for (size_t i = 0; i < COUNT(limits); i++)
		cr_expect(eq(u64, open_files_limit(limits[i].text), limits[i].limit), "%s", limits[i].text);
}

Test(why_files, one_that_is_opened_counts)
{
	uint64_t before = open_files_count(getpid());
	int fd = dup(0);

	cr_assert(ge(int, fd, 0));
	cr_expect(eq(u64, open_files_count(getpid()), before + 1));
	close(fd);
}
