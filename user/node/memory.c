// SPDX-License-Identifier: BSD-2-Clause
#include "node/memory.h"

#include <unistd.h>

#include "target/proc_stat.h"

#define STAT_RESIDENT 24 /* rss of /proc/PID/stat in proc(5), in pages */

uint64_t node_resident(const struct target *target)
{
	static const int field = STAT_RESIDENT;
	uint64_t pages;

	return proc_stat_fields(target->pid, &field, 1, &pages) ? 0 : pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
