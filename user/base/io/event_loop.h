/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event loop: a set of descriptors and timers, each with a handler. Tools, D sessions and the agent each have a set,
 * and a set can be a member of another one.
 */
#ifndef ERLBPF_BASE_IO_EVENT_LOOP_H
#define ERLBPF_BASE_IO_EVENT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct event_loop;

/* `times`: expirations of a timer since its last handler; 1 for a descriptor. */
typedef void event_loop_handler(void *data, uint64_t times);

/* NULL and errno on failure. */
struct event_loop *event_loop_new(void);
void event_loop_free(struct event_loop *loop);

/* Calls the handler whenever fd is readable. The caller keeps fd. 0 or -errno. */
int event_loop_add(struct event_loop *loop, int fd, event_loop_handler *handler, void *data);

/* Call it before the fd is closed, also in handlers. An fd that is not in the set is ignored. */
void event_loop_remove(struct event_loop *loop, int fd);

/*
 * Calls the handler at first_ns (CLOCK_MONOTONIC), and then every every_ns (0: once). Timers that expire at the same
 * moment are handled in the order in which they were added. 0 or -errno.
 */
int event_loop_add_timer(struct event_loop *loop, uint64_t first_ns, uint64_t every_ns, event_loop_handler *handler,
			 void *data);

/*
 * Calls the handler at random times, with intervals from half to one and a half of mean_ns. Samples are then never in
 * step with what they measure.
 */
int event_loop_add_random_timer(struct event_loop *loop, uint64_t mean_ns, event_loop_handler *handler, void *data);

/* Changes the mean interval of the random timer with that handler and data, after its next expiration. */
void event_loop_set_mean(struct event_loop *loop, event_loop_handler *handler, void *data, uint64_t mean_ns);

/* For handlers: no other handler is called, in this turn or later. */
void event_loop_stop(struct event_loop *loop);
bool event_loop_is_stopped(const struct event_loop *loop);

/* The error of a wait, which also stops the set. 0 or -errno. */
int event_loop_error(const struct event_loop *loop);

/*
 * Waits for at most limit_ms (-1: no limit) and calls the handlers of what happened. The number of handlers called, or
 * -errno: -EINTR if a signal came first. Other errors are reported with pr_err() and stop the set.
 */
int event_loop_turn(struct event_loop *loop, int limit_ms);

/* Readable when event_loop_turn() has something to handle. */
int event_loop_fd(const struct event_loop *loop);

#endif
