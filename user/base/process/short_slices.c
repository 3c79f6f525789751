// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/thread.h"

/* Not <sched.h>, which conflicts. */
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/duration.h"

#define SLICE_NS (100 * NS_PER_US) /* the shortest that the kernel allows */

void short_slices_request(void)
{
	struct sched_attr wanted = {
		.size = sizeof(wanted),
		.sched_policy = SCHED_NORMAL,
		.sched_nice = getpriority(PRIO_PROCESS, 0),
		.sched_runtime = SLICE_NS,
	};

	/* A policy that the user set, as with chrt(1), stays. */
	if (syscall(SYS_sched_getscheduler, 0) == SCHED_NORMAL)
		syscall(SYS_sched_setattr, 0, &wanted, 0);
}
