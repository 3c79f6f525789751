/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which processes map code: those that start, execute another file, or load a library. The kernel writes it down, in a
 * ring for each CPU, so a machine on which nothing of it happens pays nothing.
 */
#ifndef ERLBPF_LOAD_KERNEL_CODE_WATCH_H
#define ERLBPF_LOAD_KERNEL_CODE_WATCH_H

#include <sys/types.h>

struct code_watch;

/* NULL and errno. */
struct code_watch *code_watch_new(void);
void code_watch_free(struct code_watch *watch);

/*
 * Visits every process that has mapped a file as code since the last call, at least once; 0: more of them than could be
 * written down.
 */
void code_watch_take(struct code_watch *watch, void (*visit)(void *data, pid_t pid), void *data);

#endif
