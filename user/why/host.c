// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads are found by the names that the VM gives them (node/scheduler_name.h). A control group's quota holds for all
 * that is in it, and that of a group above it too, so the groups up to the root are looked at and the one that was
 * throttled longest counts.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat) and scheduler/sched-bwc.rst of the kernel; in
 * version 1 throttled_time is in ns, in version 2 throttled_usec in us.
 */
#include "why/host.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "node/scheduler_name.h"
#include "target/proc_stat.h"
#include "target/procfs.h"

#define UNIFIED "/sys/fs/cgroup"
#define CPU_ONLY "/sys/fs/cgroup/cpu"
#define MOST_LEVELS 16
#define COMM_SIZE 17

/* What a group's cpu.stat says. */
struct throttling {
	uint64_t periods, throttled, ns;
	double cpus; /* 0: no quota */
};

struct host {
	pid_t pid;
	size_t normal;
	pid_t *threads;
	struct host_times *before;
	uint64_t began_ns;
	char group[SIGN_NAME]; /* its folder, "" if none rations */
	struct throttling throttling;
};

/* Threads. */

static FILE *open_in(const char *folder, const char *name)
{
	char path[SIGN_NAME + 32];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}

static const char *thread_folder(pid_t pid, const char *tid, char folder[64])
{
	snprintf(folder, 64, "/proc/%d/task/%.20s", pid, tid);
	return folder;
}

static void read_comm(pid_t pid, const char *tid, char comm[COMM_SIZE])
{
	char folder[64];
	_cleanup_file_ FILE *file = open_in(thread_folder(pid, tid, folder), "comm");

	comm[0] = '\0';
	if (!file || !fgets(comm, COMM_SIZE, file))
		comm[0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

static void take_thread(struct host *host, const char *tid)
{
	char comm[COMM_SIZE], name[32], *end;
	unsigned long number;

	read_comm(host->pid, tid, comm);
	scheduler_name(comm, name, sizeof(name));
	number = strtoul(name, &end, 10);
	if (end != name && !*end && number && number <= host->normal)
		host->threads[number - 1] = (pid_t)strtol(tid, NULL, 10);
}

static void find_threads(struct host *host)
{
	const struct dirent *entry;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", host->pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		if (entry->d_name[0] != '.')
			take_thread(host, entry->d_name);
	}
	if (threads)
		closedir(threads);
}

pid_t host_thread(const struct host *host, size_t i)
{
	return i < host->normal ? host->threads[i] : 0;
}

bool host_times(const struct host *host, size_t i, struct host_times *times)
{
	pid_t thread = host_thread(host, i);

	return thread && !proc_stat_sched(thread, &times->ran, &times->waited);
}

/* Control groups. */

static bool has_controller(const char *list, size_t length)
{
	while (length) {
		size_t word = strcspn(list, ",:");

		if (word == 3 && !strncmp(list, "cpu", 3))
			return true;
		if (word >= length)
			return false;
		list += word + 1;
		length -= word + 1;
	}
	return false;
}

bool host_cpu_group(const char *text, char *path, size_t size, bool *is_unified)
{
	bool is_found = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;
		bool is_other;

		if (!at)
			return is_found;
		/* "0::/path" is of version 2, whose controllers are not named. Version 1 has "1:cpu,cpuacct:/path". */
		is_other = at != list + 1;
		if (is_other && !has_controller(list + 1, (size_t)(at - list - 1)))
			continue;
		if (is_found && !is_other)
			continue;
		snprintf(path, size, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
		*is_unified = !is_other;
		is_found = true;
	}
	return is_found;
}

static uint64_t number_in(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static bool read_text(const char *folder, const char *name, char *text, size_t size)
{
	_cleanup_file_ FILE *file = open_in(folder, name);
	size_t n = file ? fread(text, 1, size - 1, file) : 0;

	text[n] = '\0';
	return n > 0;
}

/* "max 100000" is no quota, and neither is -1. */
static double read_quota(const char *folder)
{
	char text[128], period[32];
	long long quota;

	if (read_text(folder, "cpu.max", text, sizeof(text))) {
		quota = strtoll(text, NULL, 10);
		return quota > 0 && strchr(text, ' ') ? (double)quota / (double)strtoll(strchr(text, ' '), NULL, 10)
						      : 0;
	}
	if (!read_text(folder, "cpu.cfs_quota_us", text, sizeof(text)) ||
	    !read_text(folder, "cpu.cfs_period_us", period, sizeof(period)))
		return 0;
	quota = strtoll(text, NULL, 10);
	return quota > 0 && strtoll(period, NULL, 10) > 0 ? (double)quota / (double)strtoll(period, NULL, 10) : 0;
}

static bool read_throttling(const char *folder, struct throttling *t)
{
	char text[1024];

	*t = (struct throttling){ .cpus = read_quota(folder) };
	if (t->cpus <= 0 || !read_text(folder, "cpu.stat", text, sizeof(text)))
		return false;
	t->periods = number_in(text, "nr_periods ");
	t->throttled = number_in(text, "nr_throttled ");
	t->ns = number_in(text, "throttled_time ") + number_in(text, "throttled_usec ") * NS_PER_US;
	return true;
}

/* The nearest group that has a quota: from that of the process up to the root. */
static void find_group(struct host *host)
{
	_cleanup_free_ char *text = procfs_read(host->pid, "cgroup", NULL);
	char path[SIGN_NAME / 2], folder[SIGN_NAME];
	bool is_unified;

	if (!text || !host_cpu_group(text, path, sizeof(path), &is_unified))
		return;
	for (int level = 0; level < MOST_LEVELS && path[0]; level++) {
		snprintf(folder, sizeof(folder), "%s%s", is_unified ? UNIFIED : CPU_ONLY, path);
		if (read_throttling(folder, &host->throttling)) {
			snprintf(host->group, sizeof(host->group), "%s", folder);
			return;
		}
		*strrchr(path[0] == '/' ? path : "/", '/') = '\0';
	}
}

/* Life. */

struct host *host_new(pid_t pid, size_t normal)
{
	struct host *host = calloc(1, sizeof(*host));

	if (host) {
		host->pid = pid;
		host->normal = normal;
		host->threads = calloc(normal + 1, sizeof(*host->threads));
		host->before = calloc(normal + 1, sizeof(*host->before));
	}
	if (!host || !host->threads || !host->before) {
		host_free(host);
		errno = ENOMEM;
		return NULL;
	}
	find_threads(host);
	find_group(host);
	host->began_ns = duration_now();
	for (size_t i = 0; i < normal; i++)
		host_times(host, i, &host->before[i]);
	return host;
}

void host_free(struct host *host)
{
	if (!host)
		return;
	free(host->threads);
	free(host->before);
	free(host);
}

static void finish_threads(const struct host *host, struct signs *signs)
{
	double whole = (double)(duration_now() - host->began_ns) * (double)host->normal;
	uint64_t ran = 0, waited = 0;

	for (size_t i = 0; i < host->normal; i++) {
		struct host_times now;

		if (!host_times(host, i, &now))
			continue;
		signs->has_threads = true;
		ran += now.ran - host->before[i].ran;
		waited += now.waited - host->before[i].waited;
	}
	if (whole > 0) {
		signs->thread_ran = (double)ran / whole;
		signs->thread_waited = (double)waited / whole;
	}
}

static void finish_group(const struct host *host, struct signs *signs)
{
	struct throttling now;

	if (!host->group[0] || !read_throttling(host->group, &now))
		return;
	signs->has_quota = true;
	signs->quota_cpus = now.cpus;
	signs->periods = now.periods - host->throttling.periods;
	signs->throttled_periods = now.throttled - host->throttling.throttled;
	signs->throttled_ns = now.ns - host->throttling.ns;
	snprintf(signs->cgroup, sizeof(signs->cgroup), "%s", host->group);
}

static void finish_memory(const struct host *host, struct signs *signs)
{
	_cleanup_free_ char *text = procfs_read(host->pid, "statm", NULL);
	const char *resident = text ? strchr(text, ' ') : NULL;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	signs->memory_most = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	signs->resident = resident ? strtoull(resident, NULL, 10) * page : 0;
}

void host_finish(const struct host *host, struct signs *signs)
{
	finish_threads(host, signs);
	finish_group(host, signs);
	finish_memory(host, signs);
}
