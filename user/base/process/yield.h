/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is at a long piece of work takes a breath between its parts, and whoever must not wait for the whole is answered
 * meanwhile: the agent's clients, while a node is looked at and gets its probes. Most programs answer nobody, and then
 * a breath is nothing.
 */
#ifndef ERLBPF_BASE_PROCESS_YIELD_H
#define ERLBPF_BASE_PROCESS_YIELD_H

#include <stdbool.h>

/*
 * While fd is readable, a breath of this thread calls `answer`, which is short, and may find anything half done.
 * `answer` NULL: nobody is answered any more.
 */
void yield_set(int fd, void (*answer)(void *data), void *data);

void yield_now(void);

/* Is there somebody whom this thread answers? Then other threads do what cannot be interrupted. */
bool yield_is_set(void);

/* Wait until fd is readable, or so many milliseconds (-1: as long as it takes), and breathe meanwhile. */
bool yield_wait(int fd, int limit_ms);

#endif
