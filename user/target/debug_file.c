// SPDX-License-Identifier: BSD-2-Clause
#include "target/debug_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_file.h"

#define FOLDER "/usr/lib/debug"

struct place {
	char hex[2 * ELF_FILE_MAX_ID + 1]; /* the build-id */
	char path[PATH_MAX];
};

/* FOLDER/.build-id/ab/cdef....debug */
static bool name_installed(struct place *p)
{
	const char *folder = getenv("ERLBPF_DEBUG_FILES");

	return snprintf(p->path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", folder ? folder : FOLDER, p->hex, p->hex + 2) <
	       PATH_MAX;
}

/* Where debuginfod-find(1) and its like keep what they have fetched: abcdef.../debuginfo. Nothing is fetched by us. */
static bool name_fetched(struct place *p)
{
	const char *folder = getenv("DEBUGINFOD_CACHE_PATH"), *caches = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	int size = -1;

	if (folder)
		size = snprintf(p->path, PATH_MAX, "%s/%s/debuginfo", folder, p->hex);
	else if (caches)
		size = snprintf(p->path, PATH_MAX, "%s/debuginfod_client/%s/debuginfo", caches, p->hex);
	else if (home)
		size = snprintf(p->path, PATH_MAX, "%s/.cache/debuginfod_client/%s/debuginfo", home, p->hex);
	return size >= 0 && size < PATH_MAX;
}

static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int open_trusted(const char *path, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && is_trusted(&st)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

int debug_file_open(const unsigned char *id, size_t id_size, uint64_t *size)
{
	struct place p;
	int fd = -1;

	if (id_size < 2 || id_size > ELF_FILE_MAX_ID)
		return -1;
	for (size_t i = 0; i < id_size; i++)
		snprintf(p.hex + 2 * i, 3, "%02x", id[i]);
	if (name_installed(&p))
		fd = open_trusted(p.path, size);
	if (fd < 0 && name_fetched(&p))
		fd = open_trusted(p.path, size);
	return fd;
}
