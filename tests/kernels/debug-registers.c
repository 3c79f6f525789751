// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints how many more hardware breakpoints can be had for a process: debug-registers PID. Those that somebody holds
 * are missing.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static long watched;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (unsigned long)&watched,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.pinned = 1,
	};
	int count = 0;

	while (argc == 2 && count < 64 && syscall(SYS_perf_event_open, &attr, atoi(argv[1]), -1, -1, 0) >= 0)
		count++;
	printf("%d\n", count);
	return 0;
}
