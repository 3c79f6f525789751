// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads are found by the names that the VM gives them (node/names/scheduler_name.h). The quota of a control group
 * holds for all members, and so do those of the groups above. So all groups up to the root are read, and the one that
 * was throttled longest counts.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat) and scheduler/sched-bwc.rst of the kernel; in
 * version 1 throttled_time is in ns, in version 2 throttled_usec in us.
 */
#include "why/host/host_cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "node/names/scheduler_name.h"
#include "target/reader/proc_stat.h"
#include "why/host/cgroup.h"
#include "why/host/host_memory.h"

/* From cpu.stat of a group. */
struct throttling {
	uint64_t periods, throttled, ns;
	double cpus; /* 0: no quota */
};

struct host_cpu {
	pid_t pid;
	size_t normal;
	pid_t *threads;
	struct host_cpu_times *before;
	uint64_t began_ns;
	char group[SIGN_NAME]; /* folder of the group; "": no quota */
	struct throttling throttling;
	struct host_memory *pressure;
};

static void take_thread(struct host_cpu *host, const struct thread *thread)
{
	char name[32], *end;
	unsigned long number;

	scheduler_name(thread->name, name, sizeof(name));
	number = strtoul(name, &end, 10);
	if (end != name && !*end && number && number <= host->normal)
		host->threads[number - 1] = thread->tid;
}

pid_t host_cpu_thread(const struct host_cpu *host, size_t i)
{
	return i < host->normal ? host->threads[i] : 0;
}

bool host_cpu_times(const struct host_cpu *host, size_t i, struct host_cpu_times *times)
{
	pid_t thread = host_cpu_thread(host, i);

	return thread && !proc_stat_sched(thread, &times->ran, &times->waited);
}

/* "max 100000" and -1 mean no quota. */
static double read_quota(const char *folder)
{
	char text[128], period[32];
	long long quota;

	if (cgroup_read(folder, "cpu.max", text, sizeof(text))) {
		quota = strtoll(text, NULL, 10);
		return quota > 0 && strchr(text, ' ') ? (double)quota / (double)strtoll(strchr(text, ' '), NULL, 10)
						      : 0;
	}
	if (!cgroup_read(folder, "cpu.cfs_quota_us", text, sizeof(text)) ||
	    !cgroup_read(folder, "cpu.cfs_period_us", period, sizeof(period)))
		return 0;
	quota = strtoll(text, NULL, 10);
	return quota > 0 && strtoll(period, NULL, 10) > 0 ? (double)quota / (double)strtoll(period, NULL, 10) : 0;
}

static bool read_throttling(const char *folder, struct throttling *t)
{
	char text[1024];

	*t = (struct throttling){ .cpus = read_quota(folder) };
	if (t->cpus <= 0 || !cgroup_read(folder, "cpu.stat", text, sizeof(text)))
		return false;
	t->periods = cgroup_number(text, "nr_periods ");
	t->throttled = cgroup_number(text, "nr_throttled ");
	t->ns = cgroup_number(text, "throttled_time ") + cgroup_number(text, "throttled_usec ") * NS_PER_US;
	return true;
}

static bool has_quota(void *data, const char *folder)
{
	return read_throttling(folder, data);
}

struct host_cpu *host_cpu_new(pid_t pid, size_t normal, const struct threads *threads)
{
	struct host_cpu *host = calloc(1, sizeof(*host));

	if (host) {
		host->pid = pid;
		host->normal = normal;
		host->threads = calloc(normal + 1, sizeof(*host->threads));
		host->before = calloc(normal + 1, sizeof(*host->before));
		host->pressure = host_memory_new(pid);
	}
	if (!host || !host->threads || !host->before || !host->pressure) {
		host_cpu_free(host);
		errno = ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < threads->count; i++)
		take_thread(host, &threads->all[i]);
	if (!cgroup_find(pid, "cpu", has_quota, &host->throttling, host->group))
		host->group[0] = '\0';
	host->began_ns = duration_now();
	for (size_t i = 0; i < normal; i++)
		host_cpu_times(host, i, &host->before[i]);
	return host;
}

void host_cpu_free(struct host_cpu *host)
{
	if (!host)
		return;
	free(host->threads);
	free(host->before);
	host_memory_free(host->pressure);
	free(host);
}

static void finish_threads(const struct host_cpu *host, struct signs *signs)
{
	double whole = (double)(duration_now() - host->began_ns) * (double)host->normal;
	uint64_t ran = 0, waited = 0;

	for (size_t i = 0; i < host->normal; i++) {
		struct host_cpu_times now;

		if (!host_cpu_times(host, i, &now))
			continue;
		signs->cpu.is_known = true;
		ran += now.ran - host->before[i].ran;
		waited += now.waited - host->before[i].waited;
	}
	if (whole > 0) {
		signs->cpu.ran = (double)ran / whole;
		signs->cpu.waited = (double)waited / whole;
	}
}

void host_cpu_measure(const struct host_cpu *host, size_t i, struct scheduler_measures *measured)
{
	double whole = (double)(duration_now() - host->began_ns);
	struct host_cpu_times now;

	if (whole <= 0 || !host_cpu_times(host, i, &now))
		return;
	measured->has_thread = true;
	measured->ran = (double)(now.ran - host->before[i].ran) / whole;
	measured->waited = (double)(now.waited - host->before[i].waited) / whole;
}

/*
 * The group is throttled per CPU, and a thread waits for one CPU. In a period in which the group used its whole quota,
 * a thread that others kept from a CPU would not have run more without them.
 */
double host_cpu_throttled(const struct signs *signs)
{
	double periods = signs->cpu.periods ? (double)signs->cpu.throttled_periods / (double)signs->cpu.periods : 0;
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), threads = (double)signs->schedulers.normal.schedulers;
	double elapsed = (double)signs->elapsed_ns * (threads < cpus ? threads : cpus);
	double throttled = elapsed > 0 ? (double)signs->cpu.throttled_ns / elapsed : 0;

	throttled = signs->cpu.waited > 0 ? throttled / signs->cpu.waited : 0;
	return throttled > periods ? throttled : periods;
}

static void finish_group(const struct host_cpu *host, struct signs *signs)
{
	struct throttling now;

	if (!host->group[0] || !read_throttling(host->group, &now))
		return;
	signs->cpu.has_quota = true;
	signs->cpu.quota = now.cpus;
	signs->cpu.periods = now.periods - host->throttling.periods;
	signs->cpu.throttled_periods = now.throttled - host->throttling.throttled;
	signs->cpu.throttled_ns = now.ns - host->throttling.ns;
	snprintf(signs->cpu.group, sizeof(signs->cpu.group), "%s", host->group);
}

void host_cpu_finish(const struct host_cpu *host, struct signs *signs)
{
	finish_threads(host, signs);
	finish_group(host, signs);
	host_memory_finish(host->pressure, signs);
}
