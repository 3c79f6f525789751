// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: proc(5); memory.max, memory.stat, memory.events and memory.pressure of
 * Documentation/admin-guide/cgroup-v2.rst, memory.limit_in_bytes and memory.failcnt of cgroup-v1/memory.rst,
 * accounting/psi.rst of the kernel. The page cache of a group does not count, because the kernel frees it at once.
 */
#include "why/host/host_memory.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "why/host/cgroup.h"

#define FAULTS 12 /* field of /proc/PID/stat: major faults of all threads */
#define NO_LIMIT (1ULL << 60)
#define STAT_SIZE 8192

struct counts {
	uint64_t ns, faults, hits, stalled_us;
};

struct host_memory {
	pid_t pid;
	bool has_group;
	char group[SIGN_NAME];
	uint64_t most; /* of the group */
	struct counts before;
};

static bool has_limit(void *data, const char *folder)
{
	uint64_t *most = data;
	char text[64];

	if (!cgroup_read(folder, "memory.max", text, sizeof(text)) &&
	    !cgroup_read(folder, "memory.limit_in_bytes", text, sizeof(text)))
		return false;
	*most = strtoull(text, NULL, 10);
	return *most && *most < NO_LIMIT;
}

static uint64_t read_hits(const struct host_memory *p)
{
	char text[512];

	if (cgroup_read(p->group, "memory.events", text, sizeof(text)))
		return cgroup_number(text, "\nmax ") + cgroup_number(text, "oom_kill ");
	return cgroup_read(p->group, "memory.failcnt", text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

/* In us, of the group, or else of the machine. */
static uint64_t read_stalled(const struct host_memory *p)
{
	char text[512];

	if ((p->has_group && cgroup_read(p->group, "memory.pressure", text, sizeof(text))) ||
	    cgroup_read("/proc/pressure", "memory", text, sizeof(text)))
		return cgroup_number(text, "total=");
	return 0;
}

static struct counts count(const struct host_memory *p)
{
	const int field = FAULTS;
	struct counts now = { .ns = duration_now(), .stalled_us = read_stalled(p) };

	if (proc_stat_fields(p->pid, &field, 1, &now.faults))
		now.faults = 0;
	if (p->has_group)
		now.hits = read_hits(p);
	return now;
}

struct host_memory *host_memory_new(pid_t pid)
{
	struct host_memory *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->has_group = cgroup_find(pid, "memory", has_limit, &p->most, p->group);
	p->before = count(p);
	return p;
}

void host_memory_free(struct host_memory *p)
{
	free(p);
}

static uint64_t group_used(const char *group)
{
	char text[STAT_SIZE];

	if (!cgroup_read(group, "memory.stat", text, sizeof(text)))
		return 0;
	/* Version 2 has anon, version 1 total_rss, which includes the groups below. */
	return !strncmp(text, "anon ", 5) ? cgroup_number(text, "anon ") : cgroup_number(text, "\ntotal_rss ");
}

static void finish_group(const struct host_memory *p, struct signs *signs)
{
	signs->memory.has_group = true;
	signs->memory.group_used = group_used(p->group);
	snprintf(signs->memory.group, sizeof(signs->memory.group), "%s", p->group);
	if (p->most < signs->memory.limit)
		signs->memory.limit = p->most;
}

static uint64_t read_swapped(pid_t pid)
{
	_cleanup_free_ char *text = procfs_read(pid, "status", NULL);

	return text ? cgroup_number(text, "\nVmSwap:") << 10 : 0;
}

void host_memory_finish(const struct host_memory *p, struct signs *signs)
{
	_cleanup_free_ char *text = procfs_read(p->pid, "statm", NULL);
	const char *resident = text ? strchr(text, ' ') : NULL;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct counts now = count(p);
	double seconds = (double)(now.ns - p->before.ns) / (double)NS_PER_S;

	signs->memory.limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	signs->memory.resident = resident ? strtoull(resident, NULL, 10) * page : 0;
	signs->memory.swapped = read_swapped(p->pid);
	if (p->has_group)
		finish_group(p, signs);
	signs->memory.limit_hits = now.hits - p->before.hits;
	if (seconds <= 0 || now.faults < p->before.faults)
		return;
	signs->memory.stalled = (double)(now.stalled_us - p->before.stalled_us) / 1e6 / seconds;
	signs->memory.major_faults_per_s = (double)(now.faults - p->before.faults) / seconds;
}
