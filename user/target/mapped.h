/* SPDX-License-Identifier: BSD-2-Clause */
/* Executable mappings of a process, from /proc/PID/maps. All of it is hostile. */
#ifndef ERLBPF_TARGET_MAPPED_H
#define ERLBPF_TARGET_MAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct reader_identity;

/* An executable mapping. */
struct mapped_code {
	uint64_t start, end, offset;
	uint64_t device, inode; /* as in /proc/PID/maps */
	const char *path;	/* NULL: no file */
	bool is_vdso;		/* the kernel's, called by the C library */
};

/* Calls `visit` for each mapping, by ascending address, until it returns an error. 0 or -errno. */
int mapped_each(pid_t pid, int (*visit)(void *data, const struct mapped_code *code), void *data);

/* Opens the mapped file, even if its path has changed. A descriptor or -errno. */
int mapped_open(pid_t pid, const struct mapped_code *code, struct reader_identity *identity);

/* "libc.so.6" */
const char *mapped_name(const struct mapped_code *code);

#endif
