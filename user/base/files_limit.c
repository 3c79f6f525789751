// SPDX-License-Identifier: BSD-2-Clause
#include "base/files_limit.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit first; /* of the process, as its limits are */
static bool is_raised;

void files_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	if (!is_raised)
		first = limit;
	limit.rlim_cur = limit.rlim_max;
	is_raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

void files_limit_restore(void)
{
	if (is_raised)
		setrlimit(RLIMIT_NOFILE, &first);
}
