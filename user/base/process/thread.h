/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_PROCESS_THREAD_H
#define ERLBPF_BASE_PROCESS_THREAD_H

/* Starts a detached thread with a small stack, which does not delay the exit of the process. 0 or an errno. */
int thread_start(void *(*run)(void *), void *data);

/*
 * Asks the scheduler for short slices, for this thread and those that it starts: it then runs soon after it wakes.
 * Otherwise, the kernel may let it wait for the end of another thread's slice, some milliseconds, and samplers are late
 * whenever the machine is busy. The share of processor time stays the same, and no privilege is needed. Kernels before
 * 6.12 ignore it.
 */
void short_slices_request(void);

#endif
