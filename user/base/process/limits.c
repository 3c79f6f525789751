// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "base/log.h"

static struct rlimit first_files; /* at the start of the process */
static bool files_are_raised;

void files_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	if (!files_are_raised)
		first_files = limit;
	limit.rlim_cur = limit.rlim_max;
	files_are_raised = !setrlimit(RLIMIT_NOFILE, &limit);
}

void files_limit_restore(void)
{
	if (files_are_raised)
		setrlimit(RLIMIT_NOFILE, &first_files);
}

#define NEEDED_KB 256 /* readers of nodes use less than 128 */

/* The C library took the default stack size of threads from the limit when the process started. */
static void raise_threads(void)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, NEEDED_KB << 10);
	pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* The hard limit is the administrator's and stays. */
int stack_limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= NEEDED_KB << 10)
		return 0;
	if (limit.rlim_max < NEEDED_KB << 10) {
		pr_err("the stack limit is %llu KiB, but erlbpf needs %d KiB; run `ulimit -s %d` first, as root "
		       "if it is a hard limit",
		       (unsigned long long)limit.rlim_max >> 10, NEEDED_KB, NEEDED_KB);
		return -EPERM;
	}
	limit.rlim_cur = NEEDED_KB << 10;
	setrlimit(RLIMIT_STACK, &limit); /* cannot fail: below the hard limit */
	raise_threads();
	return 0;
}
