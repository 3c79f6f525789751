/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushes metrics to an OTLP receiver at intervals, one message at a time in a thread, so that a slow receiver blocks
 * nothing else. A lost message is not repeated: the next one has the same totals.
 */
#ifndef ERLBPF_SERVE_METRICS_PUSH_H
#define ERLBPF_SERVE_METRICS_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/metrics/metrics.h"
#include "serve/http/pairs.h"

#define PUSH_DEFAULT_INTERVAL_S 15

struct push_options {
	char url[1024];		 /* "": no push */
	char profiles_url[1024]; /* "": profiles are not pushed, see push_profiles.h */
	uint64_t interval_ns;
	struct pairs headers;  /* of the requests */
	struct pairs resource; /* attributes, in addition to the known ones */
};

struct push;

/* Attributes of the sender: known ones, overridden by those of the user. 0 or -errno. */
int push_resource(struct pairs *resource, const struct pairs *wanted);

/* Call before system calls are filtered. NULL: the error is printed. */
struct push *push_new(const struct push_options *options);

/*
 * Starts the thread, after privileges were dropped, because a thread inherits them. 0 or -errno; the error is printed.
 */
int push_start(struct push *push);

void push_free(struct push *push);

/* True if a message is due so soon that results should be read for it. */
bool push_is_near(const struct push *push, uint64_t now_ns);

/* Call about once a second: sends the results of `read_ns` if it is time. Never waits. */
void push_tick(struct push *push, const struct metrics *metrics, uint64_t read_ns);

/* Adds counts of message outcomes to the metrics. */
void push_tell(const struct push *push, struct metrics *metrics);

#endif
