/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a process, with the names that the VM has given them. */
#ifndef ERLBPF_WHY_THREADS_H
#define ERLBPF_WHY_THREADS_H

#include <sys/types.h>

/* Calls `visit` for each. The names are hostile. */
void threads_each(pid_t pid, void (*visit)(void *data, pid_t tid, const char *name), void *data);

#endif
