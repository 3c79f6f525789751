// SPDX-License-Identifier: BSD-2-Clause
#include "budget/run_time.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "load/kernel/slow.h"

int run_time_measure(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}

bool run_time_is_measured(int fd)
{
	_cleanup_close_ int setting = -1;
	char text[2] = {};

	if (fd >= 0)
		return true;
	setting = open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC);
	return setting >= 0 && read(setting, text, 1) == 1 && text[0] == '1';
}

static void add_run_time(void *sum, int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	/* What makes traps slow for tests is in what hits are measured to cost. */
	if (!bpf_obj_get_info_by_fd(program, &info, &size))
		*(uint64_t *)sum += info.run_time_ns - info.run_cnt * slow_ns();
}

uint64_t run_time_of(const struct loader *loader)
{
	uint64_t sum = 0;

	loader_each_program(loader, add_run_time, &sum);
	return sum;
}
