/* SPDX-License-Identifier: BSD-2-Clause */
/* The command of -c: started, held before its first instruction, let go once everything waits. */
#ifndef ERLBPF_TRACE_CHILD_H
#define ERLBPF_TRACE_CHILD_H

#include <sys/types.h>

struct child;

/* NULL and errno. */
struct child *child_start(char **command);
pid_t child_pid(const struct child *child);
int child_fd(const struct child *child); /* readable when it has ended */

/*
 * Let it go as far as the first instruction of its executable, when all that it is linked with is mapped, and
 * hold it there. 0 or -errno, also of its exec; -EOPNOTSUPP: it cannot be held, and runs. 0 also if it was let run.
 */
int child_enter(struct child *child);

/* Let it run. 0, or -errno of its exec. */
int child_release(struct child *child);

/* Ends the child (SIGTERM) if it still runs, and waits for it. */
void child_free(struct child *child);

#endif
