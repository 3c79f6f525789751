// SPDX-License-Identifier: BSD-2-Clause
#include "target/reader/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define STAT_SIZE 2048 /* more than 52 numbers of 20 digits and a name of 64 bytes */
#define FIELD_START 22
#define FIELD_FLAGS 9
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */
#define FIELD_STATE 3

int proc_why_unread(int err)
{
	return err == ENOENT ? -ESRCH : -err;
}

/* Sets *at to the space before the third field. The name in front of it may contain any byte but '\n'. */
static int read_stat(pid_t pid, char text[STAT_SIZE], char **at)
{
	_cleanup_close_ int fd = -1;
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return proc_why_unread(errno);
	n = read(fd, text, STAT_SIZE - 1);
	if (n <= 0)
		return n < 0 ? proc_why_unread(errno) : -ESRCH;
	text[n] = '\0';
	*at = strrchr(text, ')');
	if (!*at)
		return -ESRCH;
	++*at;
	return 0;
}

int proc_stat_fields(pid_t pid, const int *numbers, size_t count, uint64_t *values)
{
	char text[STAT_SIZE], *at;
	int field = FIELD_STATE, err = read_stat(pid, text, &at);

	for (size_t i = 0; !err && i < count; i++) {
		for (; at && field < numbers[i]; field++)
			at = strchr(at + 1, ' ');
		if (!at)
			return -ESRCH;
		values[i] = strtoull(at, NULL, 10);
	}
	return err;
}

int proc_stat_start(pid_t pid, uint64_t *ticks)
{
	static const int number = FIELD_START;

	return proc_stat_fields(pid, &number, 1, ticks);
}

int proc_stat_start_of_file(pid_t pid, uint64_t *ticks)
{
	static const int numbers[] = { FIELD_FLAGS, FIELD_START };
	uint64_t values[2];
	int err = proc_stat_fields(pid, numbers, 2, values);

	if (err)
		return err;
	*ticks = values[1];
	return values[0] & PF_KTHREAD ? -ENOENT : 0;
}

int proc_stat_identity(pid_t pid, uint64_t *ticks, uint64_t *execution)
{
	/* startcode, endcode, startstack; arg_start, arg_end, env_end. The kernel shows 0 without permission. */
	static const int numbers[] = { FIELD_START, 26, 27, 28, 48, 49, 51 };
	uint64_t values[sizeof(numbers) / sizeof(*numbers)];
	int err = proc_stat_fields(pid, numbers, sizeof(numbers) / sizeof(*numbers), values);

	if (err)
		return err;
	*ticks = values[0];
	*execution = 0;
	for (size_t i = 1; i < sizeof(numbers) / sizeof(*numbers); i++)
		*execution = (*execution << 7 | *execution >> 57) ^ values[i];
	return 0;
}

static FILE *open_file(pid_t pid, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/*
 * Source: sched_info_depart() and proc_pid_schedstat() of the kernel. Includes the time for which a control group is
 * throttled.
 */
static int read_waited(pid_t pid, const char *name, uint64_t *ns)
{
	_cleanup_file_ FILE *file = open_file(pid, name);
	unsigned long long waited;

	if (!file || fscanf(file, "%*u %llu", &waited) != 1)
		return -ENOENT;
	*ns = waited;
	return 0;
}

int proc_stat_waited(pid_t pid, uint64_t *ns)
{
	return read_waited(pid, "schedstat", ns);
}

uint64_t proc_stat_threads_waited(pid_t pid)
{
	const struct dirent *entry;
	uint64_t sum = 0, waited;
	char name[64];
	DIR *threads;
	int count = 0;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	threads = opendir(name);
	while (threads && count < PROC_STAT_THREADS && (entry = readdir(threads))) {
		snprintf(name, sizeof(name), "task/%.20s/schedstat", entry->d_name);
		if (entry->d_name[0] == '.' || read_waited(pid, name, &waited))
			continue;
		sum += waited;
		count++;
	}
	if (threads)
		closedir(threads);
	return sum;
}

int proc_stat_sched(pid_t tid, uint64_t *ran_ns, uint64_t *waited_ns)
{
	_cleanup_file_ FILE *file = open_file(tid, "schedstat");
	unsigned long long ran, waited;

	if (!file || fscanf(file, "%llu %llu", &ran, &waited) != 2)
		return -ENOENT;
	*ran_ns = ran;
	*waited_ns = waited;
	return 0;
}

char proc_stat_state(pid_t pid)
{
	char text[STAT_SIZE], *at;

	return read_stat(pid, text, &at) || !at[0] ? '\0' : at[1];
}
