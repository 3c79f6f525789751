/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cooperative yielding: long work calls yield_now() between its parts, and a callback handles requests meanwhile: those
 * of the agent's clients, while a node is read and probes are attached. Without a callback, nothing happens.
 */
#ifndef ERLBPF_BASE_PROCESS_YIELD_H
#define ERLBPF_BASE_PROCESS_YIELD_H

#include <stdbool.h>

/*
 * While fd is readable, yield_now() in this thread calls `answer`, which must be short; the interrupted work may be
 * half done. `answer` NULL: no callback.
 */
void yield_set(int fd, void (*answer)(void *data), void *data);

void yield_now(void);

/* Does this thread have a callback? Then work that cannot yield belongs in another thread. */
bool yield_is_set(void);

/* Waits until fd is readable, for at most limit_ms (-1: no limit), and yields meanwhile. */
bool yield_wait(int fd, int limit_ms);

#endif
