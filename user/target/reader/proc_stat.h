/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/stat: what the kernel says of a process without asking it, so that no process can hold us up. */
#ifndef ERLBPF_TARGET_READER_PROC_STAT_H
#define ERLBPF_TARGET_READER_PROC_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What an errno says of a process whose file in /proc could not be read: -ESRCH: it is gone; any other is no such sign.
 */
int proc_why_unread(int err);

/* The fields of proc(5) with these numbers, in rising order. 0, or as proc_why_unread() has it. */
int proc_stat_fields(pid_t pid, const int *numbers, size_t count, uint64_t *values);

/* Ticks since boot at which it started: with the pid, its identity. */
int proc_stat_start(pid_t pid, uint64_t *ticks);

/* The same of what runs a file. -ENOENT: it is one of the kernel's own, which are most of those of an idle machine. */
int proc_stat_start_of_file(pid_t pid, uint64_t *ticks);

/*
 * The same, and a number that changes when it executes another file: where its code, its stack and its arguments are.
 */
int proc_stat_identity(pid_t pid, uint64_t *ticks, uint64_t *execution);

/* Nanoseconds for which its first thread was ready to run and had no CPU. 0 or -errno. */
int proc_stat_waited(pid_t pid, uint64_t *ns);

/* The same of its threads together, but no more than the first PROC_STAT_THREADS. 0: it cannot be told. */
#define PROC_STAT_THREADS 128
uint64_t proc_stat_threads_waited(pid_t pid);

/* Nanoseconds for which a thread ran, and was ready to run and had no CPU. 0 or -errno. */
int proc_stat_sched(pid_t tid, uint64_t *ran_ns, uint64_t *waited_ns);

/* 'R' if it runs or wants to, 'S' or 'D' if it waits, 'T' or 't' if it is stopped. '\0' if it cannot be told. */
char proc_stat_state(pid_t pid);

#endif
