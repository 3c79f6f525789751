/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What /proc shows about a process. The process may be gone, or its pid reused, the next moment. Files that the process
 * itself can delay are read by a reader process (reader.h), with a timeout.
 */
#ifndef ERLBPF_TARGET_READER_PROCFS_H
#define ERLBPF_TARGET_READER_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a small file. The text ends with a NUL; *size is optional. The caller frees it. NULL and errno on error. */
char *procfs_read(pid_t pid, const char *file, size_t *size);

/* The text of /proc/PID/maps, at most 16 MiB. The caller frees it. NULL and errno on error. */
char *procfs_maps(pid_t pid);

/* CPU time of all threads, in ticks. 0 or -errno. */
int procfs_cpu_ticks(pid_t pid, uint64_t *ticks);

/* CPU time of all threads, in nanoseconds; 0 if the process is gone. */
uint64_t procfs_cpu_ns(pid_t pid);

/* 0, -EINVAL if the pid is that of a thread, or an error of proc_why_unread(). */
int procfs_check_process(pid_t pid);

/* The parent's pid, or -errno. */
pid_t procfs_parent(pid_t pid);

/* An entry of the auxiliary vector. 0 or -errno. */
int procfs_auxv(pid_t pid, uint64_t type, uint64_t *value);

/*
 * The address at which the file of that name (as /proc/PID/exe shows it) is mapped with offset 0. Works without
 * CAP_DAC_READ_SEARCH, which the auxiliary vector needs. 0 or -errno.
 */
int procfs_mapped_at(pid_t pid, const char *name, uint64_t *address);

/* Reads memory of the process. 0, -EFAULT if a part cannot be read, or -ETIMEDOUT. */
int procfs_memory(pid_t pid, uint64_t address, void *buf, size_t size);

/* Calls `visit` for each process that exists at the time of the call. 0 or -errno. */
int procfs_each(void (*visit)(void *data, pid_t pid), void *data);

/* A range of the process's memory, and its destination. */
struct procfs_piece {
	uint64_t address;
	void *to;
	size_t size;
	bool is_read; /* completely */
};

/* Reads many pieces with few system calls. A piece that cannot be read does not affect the others. */
void procfs_pieces(pid_t pid, struct procfs_piece *pieces, size_t count);

#endif
