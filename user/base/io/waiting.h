/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting: everything that can happen to a program that runs for a while is a descriptor that becomes readable or a
 * timer, and each has a handler. Tools, D sessions and the agent are such sets, and a set can be in another one.
 */
#ifndef ERLBPF_BASE_IO_WAITING_H
#define ERLBPF_BASE_IO_WAITING_H

#include <stdbool.h>
#include <stdint.h>

struct waiting;

/* `times`: how often a timer has expired since it was handled last; 1 for a descriptor. */
typedef void waiting_handler(void *data, uint64_t times);

/* NULL and errno. */
struct waiting *waiting_new(void);
void waiting_free(struct waiting *waiting);

/* Call the handler whenever the fd is readable. The fd stays the caller's. 0 or -errno. */
int waiting_add(struct waiting *waiting, int fd, waiting_handler *handler, void *data);

/* To be called before the fd is closed, also by handlers; an fd that is not in the set is ignored. */
void waiting_remove(struct waiting *waiting, int fd);

/*
 * Call the handler at that time (CLOCK_MONOTONIC, in ns), and from then on every so many ns (0: once). Timers that
 * expire at the same moment are handled in the order in which they were added. 0 or -errno.
 */
int waiting_add_timer(struct waiting *waiting, uint64_t first_ns, uint64_t every_ns, waiting_handler *handler,
		      void *data);

/*
 * The same at random times, every so many ns on average: from half to one and a half times that. Who samples so is
 * never in step with what he looks at.
 */
int waiting_add_random_timer(struct waiting *waiting, uint64_t mean_ns, waiting_handler *handler, void *data);

/* From the next time but one on, the random timer with that handler and data expires every so many ns on average. */
void waiting_set_mean(struct waiting *waiting, waiting_handler *handler, void *data, uint64_t mean_ns);

/* For handlers: no further handler is called, neither in this turn nor later. */
void waiting_stop(struct waiting *waiting);
bool waiting_is_stopped(const struct waiting *waiting);

/* Why a turn could not wait, which also stops the set: 0 or -errno. */
int waiting_error(const struct waiting *waiting);

/*
 * Wait for so many milliseconds at most (-1: as long as it takes) and handle what has happened. How many handlers
 * were called, or -errno: -EINTR if a signal came first. Any other is explained, and is the end.
 */
int waiting_turn(struct waiting *waiting, int limit_ms);

/* Readable when a turn has something to handle. */
int waiting_fd(const struct waiting *waiting);

#endif
