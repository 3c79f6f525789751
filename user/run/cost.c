// SPDX-License-Identifier: BSD-2-Clause
#include "run/cost.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/catalogue.h"

#define TRAP_NS 500		/* of an empty program, on a machine of 2.3 GHz */
#define NOP5_NS 240
#define RETURN_NS 800		/* a trap at the entry, too */
#define PROGRAM_NS 300		/* of a program that measures, where the kernel does not say */

int cost_measure(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	return fd < 0 ? -errno : fd;
}

bool cost_is_measured(int fd)
{
	_cleanup_close_ int setting = -1;
	char text[2] = {};

	if (fd >= 0)
		return true;
	setting = open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY | O_CLOEXEC);
	return setting >= 0 && read(setting, text, 1) == 1 && text[0] == '1';
}

struct reading {
	const struct run *run;
	struct cost *cost;
};

static bool is_return(const struct attachment *a, int program)
{
	for (size_t i = 0; i < a->plan_count; i++) {
		if (a->plans[i].program == program)
			return a->plans[i].at_return;
	}
	return false;
}

/* Nodes that share a program have it at the same kind of site. */
static uint64_t hit_ns(const struct run *run, int program)
{
	bool has_notes = false;

	for (size_t i = 0; i < follow_count(run->follow); i++) {
		const struct attachment *a = follow_get(run->follow, i);

		if (is_return(a, program))
			return RETURN_NS;
		has_notes |= a->uses[SOURCE_USDT];
	}
	/* Not every note has a nop5 behind it, and an estimate that is too high harms less than one too low. */
	return has_notes && run->kernel.likes_nop5 ? (TRAP_NS + NOP5_NS) / 2 : TRAP_NS;
}

static void add_program(void *data, int program)
{
	const struct reading *reading = data;
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &size))
		return;
	reading->cost->run_ns += info.run_time_ns;
	reading->cost->hits += info.run_cnt;
	reading->cost->hit_ns += info.run_cnt * hit_ns(reading->run, program);
}

static int estimate(struct run *run, struct cost *cost)
{
	int err = run_counts(run);

	for (uint32_t probe = 0; !err && probe < probe_count(); probe++)
		cost->hits += run->now[probe].events + run->now[probe].lost;
	cost->run_ns = cost->hits * PROGRAM_NS;
	cost->hit_ns = cost->hits * TRAP_NS;
	return err;
}

int cost_read(struct run *run, bool is_measured, struct cost *cost)
{
	struct reading reading = { .run = run, .cost = cost };

	*cost = (struct cost){};
	if (!is_measured)
		return estimate(run, cost);
	loader_each_program(run->loader, add_program, &reading);
	return 0;
}

/* A ring shows how far its reader has come in its first page, and its writers in the second. */
static bool read_position(int map, off_t page, unsigned long *position)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, map, page * (off_t)size);

	if (at == MAP_FAILED)
		return false;
	*position = __atomic_load_n((const unsigned long *)at, __ATOMIC_ACQUIRE);
	munmap((void *)(uintptr_t)at, size);
	return true;
}

double cost_ring_use(const struct run *run)
{
	int map = run->ring ? loader_map(run->loader, "erl_ring") : -1;
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	unsigned long read, written;

	if (map < 0 || bpf_obj_get_info_by_fd(map, &info, &size) || !info.max_entries ||
	    !read_position(map, 0, &read) || !read_position(map, 1, &written))
		return 0;
	return (double)(written - read) / info.max_entries;
}
