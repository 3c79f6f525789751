/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that clean up when they go out of scope. errno is preserved. */
#ifndef ERLBPF_BASE_CLEANUP_H
#define ERLBPF_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	int err = errno;

	if (*fd >= 0)
		close(*fd);
	errno = err;
}

static inline void cleanup_file(FILE **file)
{
	int err = errno;

	if (*file)
		fclose(*file);
	errno = err;
}

static inline void cleanup_dir(DIR **dir)
{
	int err = errno;

	if (*dir)
		closedir(*dir);
	errno = err;
}

#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_close_ __attribute__((cleanup(cleanup_close)))
#define _cleanup_file_ __attribute__((cleanup(cleanup_file)))
#define _cleanup_dir_ __attribute__((cleanup(cleanup_dir)))

#endif
