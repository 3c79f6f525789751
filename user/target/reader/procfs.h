/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What /proc knows of a process. All of it may be gone, or be another process's, the next moment. What the process
 * itself can hold up is read by a reader (reader.h), and is not there if that takes too long.
 */
#ifndef ERLBPF_TARGET_READER_PROCFS_H
#define ERLBPF_TARGET_READER_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A whole small file, NUL-terminated; size in *size if wanted. The caller frees it. NULL, errno. */
char *procfs_read(pid_t pid, const char *file, size_t *size);

/* The text of /proc/PID/maps, 16 MiB at most. The caller frees it. NULL, errno. */
char *procfs_maps(pid_t pid);

/* Ticks of processor time that all its threads have used. 0 or -errno. */
int procfs_cpu_ticks(pid_t pid, uint64_t *ticks);

/* The same in nanoseconds, exactly; 0 if the process is gone. */
uint64_t procfs_cpu_ns(pid_t pid);

/* 0, -EINVAL if it is a thread of another process, or as proc_why_unread() has it. */
int procfs_check_process(pid_t pid);

/* Parent of the process, or -errno. */
pid_t procfs_parent(pid_t pid);

/* Value of an entry of the auxiliary vector. 0 or -errno. */
int procfs_auxv(pid_t pid, uint64_t type, uint64_t *value);

/*
 * Where the file of that name (as /proc/PID/exe shows it) is mapped with file offset 0. For those who
 * may not read the auxiliary vector, which needs CAP_DAC_READ_SEARCH. 0 or -errno.
 */
int procfs_mapped_at(pid_t pid, const char *name, uint64_t *address);

/* Bytes of the process's memory. 0, -EFAULT if not all could be read, or -ETIMEDOUT. */
int procfs_memory(pid_t pid, uint64_t address, void *buf, size_t size);

/* Calls `visit` for every process that there is now, and for none that starts meanwhile. 0 or -errno. */
int procfs_each(void (*visit)(void *data, pid_t pid), void *data);

/* A piece of the process's memory, and where to put it. */
struct procfs_piece {
	uint64_t address;
	void *to;
	size_t size;
	bool is_read; /* all of it */
};

/* Many pieces with few system calls, each for itself: one that cannot be read spoils no other. */
void procfs_pieces(pid_t pid, struct procfs_piece *pieces, size_t count);

#endif
