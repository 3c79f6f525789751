/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads for work that nobody waits for. They have a small stack. */
#ifndef ERLBPF_BASE_THREAD_H
#define ERLBPF_BASE_THREAD_H

/* Detached, so that it does not delay the end of the process. 0 or an errno. */
int thread_start(void *(*run)(void *), void *data);

#endif
