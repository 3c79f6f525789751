/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a process, with the names that the VM gives them. */
#ifndef ERLBPF_WHY_THREADS_H
#define ERLBPF_WHY_THREADS_H

#include <stddef.h>
#include <sys/types.h>

#define THREAD_NAME_SIZE 17

struct threads {
	struct thread {
		pid_t tid;
		char name[THREAD_NAME_SIZE]; /* hostile */
	} * all;
	size_t count;
};

/* Opens a file per thread. The caller frees the result. 0 or -errno. */
int threads_read(pid_t pid, struct threads *threads);
void threads_free(struct threads *threads);

#endif
