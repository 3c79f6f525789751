// SPDX-License-Identifier: BSD-2-Clause
#include "base/prompt.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/duration.h"

#define SLICE_NS (100 * NS_PER_US) /* the shortest that the kernel grants */

/* struct sched_attr of <linux/sched/types.h>, which cannot be included beside <sched.h> of older C libraries. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t slice_ns, deadline_ns, period_ns;
};

void prompt_become(void)
{
	struct attributes wanted = {
		.size = sizeof(wanted),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.slice_ns = SLICE_NS,
	};

	/* What the user wants of the scheduler, as with chrt(1), holds. */
	if (sched_getscheduler(0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &wanted, 0);
}
