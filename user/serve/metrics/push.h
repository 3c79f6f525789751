/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics pushed to who takes OTLP, now and then. One thread sends one message at a time, so whatever the receiver
 * does nobody else waits for it. A message that did not arrive is not sent again: the next one tells all that it told.
 */
#ifndef ERLBPF_SERVE_METRICS_PUSH_H
#define ERLBPF_SERVE_METRICS_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/metrics/metrics.h"
#include "serve/http/pairs.h"

#define PUSH_DEFAULT_INTERVAL_S 15

struct push_options {
	char url[1024];		 /* "": nothing is pushed */
	char profiles_url[1024]; /* "": no profiles are, push_profiles.h */
	uint64_t interval_ns;
	struct pairs headers;  /* of the requests */
	struct pairs resource; /* attributes, beside those that are known */
};

struct push;

/* What is said of the sender: what is known, and what the user says, which goes before that. 0 or -errno. */
int push_resource(struct pairs *resource, const struct pairs *wanted);

/* To be made before system calls are filtered. NULL, explained. The options are only used here. */
struct push *push_new(const struct push_options *options);

/* Begins. After rights are given up: a thread has those of the thread that makes it. 0 or -errno, explained. */
int push_start(struct push *push);

void push_free(struct push *push);

/* Is a message due so soon that what it is to tell should be read? */
bool push_is_near(const struct push *push, uint64_t now_ns);

/* About once a second: sends what was read at `read_ns`, if it is time to. Never waits. */
void push_tick(struct push *push, const struct metrics *metrics, uint64_t read_ns);

/* What became of the messages, as metrics. */
void push_tell(const struct push *push, struct metrics *metrics);

#endif
