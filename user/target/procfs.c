// SPDX-License-Identifier: BSD-2-Clause
#include "target/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/cleanup.h"

#define MAX_FILE (256u << 10)

char *procfs_read(pid_t pid, const char *file, size_t *size)
{
	_cleanup_close_ int fd = -1;
	char path[64], *text;
	size_t have = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = malloc(MAX_FILE + 1);
	if (!text)
		return NULL;
	while (have < MAX_FILE && (n = read(fd, text + have, MAX_FILE - have)) > 0)
		have += (size_t)n;
	text[have] = '\0';
	if (size)
		*size = have;
	return text;
}

/* Why a file of /proc that always is there could not be read: the process is gone, unless it is our own want. */
static int why_unread(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? -errno : -ESRCH;
}

/* Field of /proc/PID/stat by its number in proc(5); the name before may hold anything but '\n'. */
static int stat_field(pid_t pid, int number, unsigned long long *value)
{
	_cleanup_free_ char *text = procfs_read(pid, "stat", NULL);
	char *at = text ? strrchr(text, ')') : NULL;

	if (!text)
		return why_unread();
	if (!at)
		return -ESRCH;
	for (int field = 2; field < number && at; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %llu", value) == 1 ? 0 : -ESRCH;
}

int procfs_start_time(pid_t pid, uint64_t *ticks)
{
	unsigned long long value;
	int err = stat_field(pid, 22, &value);

	if (!err)
		*ticks = value;
	return err;
}

int procfs_cpu_ticks(pid_t pid, uint64_t *ticks)
{
	unsigned long long user, system;
	int err = stat_field(pid, 14, &user);

	if (!err)
		err = stat_field(pid, 15, &system);
	if (!err)
		*ticks = user + system;
	return err;
}

pid_t procfs_parent(pid_t pid)
{
	unsigned long long value;
	int err = stat_field(pid, 4, &value);

	return err ? err : (pid_t)value;
}

int procfs_exe_inode(pid_t pid, uint64_t *inode)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (stat(path, &st))
		return -errno;
	*inode = st.st_ino;
	return 0;
}

int procfs_check_process(pid_t pid)
{
	_cleanup_free_ char *text = procfs_read(pid, "status", NULL);
	const char *tgid = text ? strstr(text, "\nTgid:") : NULL;

	if (!text)
		return why_unread();
	if (!tgid)
		return -ESRCH;
	return atoi(tgid + 6) == pid ? 0 : -EINVAL;
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
	_cleanup_free_ char *text = procfs_read(pid, "maps", NULL);
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
	struct iovec local = { .iov_base = buf, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

#define GATHER 512 /* places per call, of the kernel's 1024 (UIO_MAXIOV) */

int procfs_each(void (*visit)(void *data, pid_t pid), void *data)
{
	_cleanup_dir_ DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			visit(data, (pid_t)atoi(entry->d_name));
	}
	return 0;
}

#define MAX_PIECES 1024 /* UIO_MAXIOV */

/* How many of the pieces were dealt with: all up to the first that cannot be read, and that one. */
static size_t gather_some(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	struct iovec local[MAX_PIECES] = {}, remote[MAX_PIECES] = {};
	size_t left;
	ssize_t got;

	for (size_t i = 0; i < count; i++) {
		local[i] = (struct iovec){ .iov_base = pieces[i].to, .iov_len = pieces[i].size };
		remote[i] = (struct iovec){
			.iov_base = (void *)(uintptr_t)pieces[i].address,
			.iov_len = pieces[i].size,
		};
		pieces[i].is_read = false;
	}
	got = process_vm_readv(pid, local, count, remote, count, 0);
	left = got > 0 ? (size_t)got : 0;
	for (size_t i = 0; i < count; i++) {
		pieces[i].is_read = left >= pieces[i].size;
		if (!pieces[i].is_read)
			return i + 1;
		left -= pieces[i].size;
	}
	return count;
}

void procfs_pieces(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	while (count) {
		size_t done = gather_some(pid, pieces, count < MAX_PIECES ? count : MAX_PIECES);

		pieces += done;
		count -= done;
	}
}
