/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has mapped to run code from, as /proc/PID/maps says it. All of it is hostile. */
#ifndef ERLBPF_TARGET_MAPPED_H
#define ERLBPF_TARGET_MAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct reader_identity;

/* A piece of a process's memory that holds code. */
struct mapped_code {
	uint64_t start, end, offset;
	uint64_t device, inode; /* as the kernel lists it among what is mapped */
	const char *path;	/* NULL: of no file */
	bool is_vdso;		/* the kernel's own: functions of the C library go there */
};

/* Calls `visit` for each, by address, until it gives an error. 0 or -errno. */
int mapped_each(pid_t pid, int (*visit)(void *data, const struct mapped_code *code), void *data);

/* The file that is mapped, whatever its path is by now: a descriptor or -errno. */
int mapped_open(pid_t pid, const struct mapped_code *code, struct reader_identity *identity);

/* "libc.so.6" */
const char *mapped_name(const struct mapped_code *code);

#endif
