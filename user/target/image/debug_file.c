// SPDX-License-Identifier: BSD-2-Clause
#include "target/image/debug_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io/read_at.h"
#include "elf/elf_file.h"

#define FOLDER "/usr/lib/debug"
#define MOST_LINKED (256u << 20) /* size limit for computing a checksum */
#define PIECE (64u << 10)

struct place {
	char hex[2 * ELF_FILE_MAX_ID + 1]; /* build-id */
	char path[PATH_MAX];
};

static const char *folder_of_files(void)
{
	const char *folder = getenv("ERLBPF_DEBUG_FILES");

	return folder ? folder : FOLDER;
}

/* FOLDER/.build-id/ab/cdef....debug */
static bool name_installed(struct place *p)
{
	return snprintf(p->path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", folder_of_files(), p->hex, p->hex + 2) <
	       PATH_MAX;
}

/* The cache of debuginfod-find(1) and debuggers: abcdef.../debuginfo. erlbpf itself fetches nothing. */
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

/* FOLDER/usr/lib/erlang/erts-13.1.5/bin/beam.smp.debug, for a link with this name. */
static bool name_linked(int fd, const char *name, char path[PATH_MAX])
{
	char file[64], own[PATH_MAX], *slash;
	ssize_t size;

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	size = readlink(file, own, sizeof(own) - 1);
	if (size <= 0 || own[0] != '/' || !*name || strchr(name, '/'))
		return false;
	own[size] = '\0';
	slash = strrchr(own, '/');
	*slash = '\0';
	return snprintf(path, PATH_MAX, "%s%s/%s", folder_of_files(), own, name) < PATH_MAX;
}

static bool has_checksum(int fd, uint64_t size, uint32_t checksum)
{
	unsigned char *piece = size <= MOST_LINKED ? malloc(PIECE) : NULL;
	uLong found = crc32(0, NULL, 0);
	uint64_t at = 0;

	while (piece && at < size) {
		size_t part = size - at < PIECE ? size - at : PIECE;

		if (read_at(fd, at, piece, part))
			break;
		found = crc32(found, piece, (uInt)part);
		at += part;
	}
	free(piece);
	return size && at == size && found == checksum;
}

int debug_file_open_linked(int fd, const struct debug_link *link, uint64_t *size)
{
	char path[PATH_MAX];
	int found = name_linked(fd, link->name, path) ? open_trusted(path, size) : -1;

	if (found < 0 || has_checksum(found, *size, link->checksum))
		return found;
	close(found);
	return -1;
}
