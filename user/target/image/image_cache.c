// SPDX-License-Identifier: BSD-2-Clause
#include "target/image/image_build.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/read_at.h"
#include "match/match.h"
#include "target/image/debug_file.h"
#include "target/image/image_flat.h"

#define FOLDER "/var/cache/erlbpf"
#define MOST_FILES 32
#define MOST_BYTES (4u << 20) /* per image; a VM's has 0.5 MiB */
#define MAX_KEY 64
#define NAME_SIZE (2 * MAX_KEY + 32)

/* Also root's: we may have written it before dropping privileges (privileges.h). */
static bool is_trusted(const struct stat *st)
{
	return !st->st_uid || st->st_uid == geteuid();
}

/* The folder, or -1 if there is none that only we can write. */
static int open_folder(bool makes)
{
	const char *folder = getenv("ERLBPF_MATCHED");
	struct stat st;
	int fd;

	folder = folder ? folder : FOLDER;
	if (!*folder)
		return -1;
	if (makes)
		mkdir(folder, 0700);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &st) || !is_trusted(&st) || st.st_mode & (S_IWGRP | S_IWOTH))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Another version of erlbpf may know other builds, or have another format. */
static bool name_file(const void *key, size_t key_size, char name[NAME_SIZE])
{
	const unsigned char *bytes = key;
	size_t at = 0;

	if (key_size > MAX_KEY)
		return false;
	for (size_t i = 0; i < key_size; i++)
		at += (size_t)snprintf(name + at, NAME_SIZE - at, "%02x", bytes[i]);
	snprintf(name + at, NAME_SIZE - at, ".%zx.%08x", sizeof(struct flat_header), match_version());
	return true;
}

/* A debug file that was installed since has more names. */
static bool has_debug_file(const struct flat_header *header)
{
	uint64_t size;
	int fd = header->id_size <= sizeof(header->id) ? debug_file_open(header->id, header->id_size, &size) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool image_cache_get(const void *key, size_t key_size, void **flat, size_t *size)
{
	_cleanup_close_ int folder = open_folder(false);
	_cleanup_close_ int fd = -1;
	_cleanup_free_ void *read = NULL;
	char name[NAME_SIZE];
	struct stat st;

	if (folder < 0 || !name_file(key, key_size, name))
		return false;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_trusted(&st) ||
	    st.st_size < (off_t)sizeof(struct flat_header) ||
	    (uint64_t)st.st_size > image_most_bytes(&image_limits_usual))
		return false;
	read = malloc((size_t)st.st_size);
	if (!read || read_at(fd, 0, read, (size_t)st.st_size) || has_debug_file(read))
		return false;
	*flat = read;
	*size = (size_t)st.st_size;
	read = NULL;
	return true;
}

/*
 * Drops the oldest image if there are too many, so that a file that changes often does not fill the disk. Also drops
 * incomplete files.
 */
static void drop_oldest(int folder)
{
	_cleanup_dir_ DIR *dir = fdopendir(dup(folder));
	char oldest[NAME_MAX + 1] = "";
	time_t age = 0;
	size_t count = 0;

	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		count++;
		if (oldest[0] && st.st_mtime >= age)
			continue;
		age = st.st_mtime;
		snprintf(oldest, sizeof(oldest), "%s", entry->d_name);
	}
	if (count >= MOST_FILES)
		unlinkat(folder, oldest, 0);
}

static bool write_whole(int fd, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)from + done, size - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

void image_cache_put(const void *key, size_t key_size, const void *flat, size_t size)
{
	const struct flat_header *header = flat;
	_cleanup_close_ int folder = -1;
	_cleanup_close_ int fd = -1;
	char name[NAME_SIZE], new_name[NAME_SIZE + 16];

	if (size < sizeof(*header) || size > MOST_BYTES || header->match == MATCH_NOT_TRIED ||
	    header->match == MATCH_INLINED || !name_file(key, key_size, name))
		return;
	folder = open_folder(true);
	if (folder < 0)
		return;
	drop_oldest(folder);
	/* Concurrent readers see a complete file. */
	snprintf(new_name, sizeof(new_name), ".new-%d", getpid());
	unlinkat(folder, new_name, 0);
	fd = openat(folder, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (!write_whole(fd, flat, size) || renameat(folder, new_name, folder, name))
		unlinkat(folder, new_name, 0);
}
