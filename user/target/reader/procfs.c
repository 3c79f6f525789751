// SPDX-License-Identifier: BSD-2-Clause
#include "target/reader/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/reader/proc_stat.h"
#include "target/reader/reader.h"

#define MAX_FILE (256u << 10)
#define MAX_MAPS (16u << 20)

/* Shrinks the block to its text. */
static char *fit(char *text, size_t size)
{
	char *fitting = realloc(text, size);

	if (!fitting)
		return text;
	return fitting;
}

char *procfs_read(pid_t pid, const char *file, size_t *size)
{
	char *text = malloc(MAX_FILE + 1);
	ssize_t n = text ? reader_file(pid, file, 0, text, MAX_FILE) : -ENOMEM;

	if (n < 0) {
		free(text);
		errno = (int)-n;
		return NULL;
	}
	text[n] = '\0';
	if (size)
		*size = (size_t)n;
	return fit(text, (size_t)n + 1);
}

int procfs_cpu_ticks(pid_t pid, uint64_t *ticks)
{
	static const int user_and_system[] = { 14, 15 };
	uint64_t values[2];
	int err = proc_stat_fields(pid, user_and_system, 2, values);

	if (!err)
		*ticks = values[0] + values[1];
	return err;
}

uint64_t procfs_cpu_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

pid_t procfs_parent(pid_t pid)
{
	static const int number = 4;
	uint64_t value;
	int err = proc_stat_fields(pid, &number, 1, &value);

	return err ? err : (pid_t)value;
}

int procfs_check_process(pid_t pid)
{
	_cleanup_file_ FILE *file = NULL;
	char path[32], line[256];
	int tgid;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return proc_why_unread(errno);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			return tgid == pid ? 0 : -EINVAL;
	}
	return -ESRCH;
}

/* Reads up to 16 MiB, in pieces as large as a reader returns. */
static char *read_whole(pid_t pid, const char *file)
{
	size_t have = 0, room = 0;
	char *text = NULL;
	ssize_t n = 1;

	while (n > 0 && have < MAX_MAPS) {
		char *grown = array_reserve(text, &room, have + MAX_FILE + 1, 1);

		if (!grown) {
			n = -ENOMEM;
			break;
		}
		text = grown;
		n = reader_file(pid, file, have, text + have, MAX_FILE);
		have += n > 0 ? (size_t)n : 0;
	}
	if (n >= 0) {
		text[have] = '\0';
		return text;
	}
	free(text);
	errno = (int)-n;
	return NULL;
}

char *procfs_maps(pid_t pid)
{
	return read_whole(pid, "maps");
}

int procfs_auxv(pid_t pid, uint64_t type, uint64_t *value)
{
	size_t size = 0;
	_cleanup_free_ char *text = procfs_read(pid, "auxv", &size);
	uint64_t pair[2];

	for (size_t at = 0; text && at + sizeof(pair) <= size; at += sizeof(pair)) {
		memcpy(pair, text + at, sizeof(pair));
		if (pair[0] != type)
			continue;
		*value = pair[1];
		return 0;
	}
	return -ENOENT;
}

int procfs_mapped_at(pid_t pid, const char *name, uint64_t *address)
{
	_cleanup_free_ char *text = procfs_maps(pid);
	char *rest = text, *line;

	if (!text)
		return -errno;
	while ((line = strsep(&rest, "\n"))) {
		unsigned long long start, offset;
		int at = 0;

		if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &start, &offset, &at) != 2 || !at || offset ||
		    strcmp(line + at, name))
			continue;
		*address = start;
		return 0;
	}
	return -ENOENT;
}

int procfs_memory(pid_t pid, uint64_t address, void *buf, size_t size)
{
	struct procfs_piece piece = { .address = address, .to = buf, .size = size };
	int err = reader_memory(pid, &piece, 1);

	return err == -ETIMEDOUT ? err : piece.is_read ? 0 : -EFAULT;
}

/* The pids in /proc at this time. */
static int list_processes(pid_t **pids, size_t *count)
{
	_cleanup_dir_ DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		return -errno;
	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (!array_has_room(*pids, *count))
			return -ENOMEM;
		(*pids)[(*count)++] = (pid_t)atoi(entry->d_name);
	}
}

/*
 * The kernel lists processes by pid. If processes start faster than we visit them, a loop over the directory ends only
 * when no pids are left. So list all pids first.
 */
int procfs_each(void (*visit)(void *data, pid_t pid), void *data)
{
	_cleanup_free_ pid_t *pids = NULL;
	size_t count = 0;
	int err = list_processes(&pids, &count);

	for (size_t i = 0; !err && i < count; i++)
		visit(data, pids[i]);
	return err;
}

void procfs_pieces(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	reader_memory(pid, pieces, count);
}
