/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/PID/stat, which the kernel answers without the process: no process can delay these reads. */
#ifndef ERLBPF_TARGET_READER_PROC_STAT_H
#define ERLBPF_TARGET_READER_PROC_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Converts the errno of a failed read in /proc: -ESRCH if the process is gone, else -err. */
int proc_why_unread(int err);

/* The fields with these numbers (proc(5)), in ascending order. 0, or an error of proc_why_unread(). */
int proc_stat_fields(pid_t pid, const int *numbers, size_t count, uint64_t *values);

/* Start time in ticks since boot. A pid and a start time identify a process. */
int proc_stat_start(pid_t pid, uint64_t *ticks);

/* Like proc_stat_start(), but -ENOENT for a kernel thread. Most processes of an idle machine are kernel threads. */
int proc_stat_start_of_file(pid_t pid, uint64_t *ticks);

/*
 * Like proc_stat_start(), and a number that changes with execve(2): it is made of the addresses of code, stack and
 * arguments.
 */
int proc_stat_identity(pid_t pid, uint64_t *ticks, uint64_t *execution);

/* Nanoseconds for which the main thread was ready to run and had no CPU. 0 or -errno. */
int proc_stat_waited(pid_t pid, uint64_t *ns);

/* The sum over the first PROC_STAT_THREADS threads. 0 if it is unknown. */
#define PROC_STAT_THREADS 128
uint64_t proc_stat_threads_waited(pid_t pid);

/* Nanoseconds for which a thread ran, and for which it was ready to run and had no CPU. 0 or -errno. */
int proc_stat_sched(pid_t tid, uint64_t *ran_ns, uint64_t *waited_ns);

/* 'R': running or ready; 'S' or 'D': waiting; 'T' or 't': stopped; '\0': unknown. */
char proc_stat_state(pid_t pid);

#endif
