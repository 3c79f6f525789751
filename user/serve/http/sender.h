/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that sends messages by post.h, one at a time, so that a slow receiver blocks nothing else. The loop gives it
 * a message and takes the answer at a later tick.
 */
#ifndef ERLBPF_SERVE_HTTP_SENDER_H
#define ERLBPF_SERVE_HTTP_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/pairs.h"
#include "serve/http/post.h"

struct sender;

/* Call before system calls are filtered. NULL: the error is printed. */
struct sender *sender_new(const char *url, const char *type, const struct pairs *headers);

/*
 * Starts the thread, after privileges were dropped, because a thread inherits them. 0 or -errno; the error is printed.
 */
int sender_start(struct sender *sender);

/* Aborts the current request. NULL-safe. */
void sender_free(struct sender *sender);

/* True if it can take a message: it has none, and no answer is left to take. */
bool sender_is_idle(struct sender *sender);

/* Takes ownership of the message. */
void sender_send(struct sender *sender, uint8_t *message, size_t size);

/* The answer, once; valid until the next message. NULL: none yet. */
const struct post_answer *sender_take(struct sender *sender);

#endif
