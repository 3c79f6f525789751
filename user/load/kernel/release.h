/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many BPF programs this process holds, and how they are let go. Linux 6.9 to 6.18 can deadlock for good when 1024
 * programs are freed at the same time: each is freed by a work item of system_wq, which runs 1024 at most; all of them
 * wait for pack_mutex (kernel/bpf/core.c), and who holds it waits for a work item of the same queue. So programs are
 * let go a few at a time, with a pause in which the kernel frees them. Who is killed has no time for that: then all
 * programs go at once, and they must not be too many.
 */
#ifndef ERLBPF_LOAD_KERNEL_RELEASE_H
#define ERLBPF_LOAD_KERNEL_RELEASE_H

#include <stdbool.h>
#include <stddef.h>

#define RELEASE_BATCH 128

#define RELEASE_MOST_PROGRAMS 896 /* of the whole process, those in the guardian's links among them */
#define RELEASE_MOST_OWN 512	  /* of one D program: those that are in no link of the guardian's */

/* Before a program is loaded: 0, or -EDQUOT if this process has as many as it may have. */
int release_reserve(void);

/* It was not loaded after all. */
void release_cancel(void);

/* Closes what may be the last reference to a program that was reserved. Waits after every RELEASE_BATCH of them. */
void release_program(int fd);

/* The programs whose links have been closed since the last pause, by the kernel's ids. */
struct departing {
	unsigned int programs[RELEASE_BATCH];
	size_t count;
};

/* Links of this program are about to be closed. False: only after a pause. 0 is a program whose id is not known. */
bool departing_has_room(struct departing *departing, unsigned int program);

/* Waits until the kernel has freed what it was given, as far as can be told. */
void release_pause(void);

#endif
