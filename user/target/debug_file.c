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

/* FOLDER/.build-id/ab/cdef....debug */
static bool name_file(const unsigned char *id, size_t id_size, char path[PATH_MAX])
{
	const char *folder = getenv("ERLBPF_DEBUG_FILES");
	char hex[2 * ELF_FILE_MAX_ID + 1];

	if (id_size < 2 || id_size > ELF_FILE_MAX_ID)
		return false;
	for (size_t i = 0; i < id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return snprintf(path, PATH_MAX, "%s/.build-id/%.2s/%s.debug", folder ? folder : FOLDER, hex, hex + 2) <
	       PATH_MAX;
}

static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int debug_file_open(const unsigned char *id, size_t id_size, uint64_t *size)
{
	char path[PATH_MAX];
	int fd = name_file(id, id_size, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
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
