/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that sends messages by post.h, one at a time, so that whatever the receiver does nobody else waits for it.
 * The loop hands it a message, and finds the answer at one of its next ticks.
 */
#ifndef ERLBPF_SERVE_HTTP_SENDER_H
#define ERLBPF_SERVE_HTTP_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/pairs.h"
#include "serve/http/post.h"

struct sender;

/* To be made before system calls are filtered. NULL, explained. */
struct sender *sender_new(const char *url, const char *type, const struct pairs *headers);

/* Begins. After rights are given up: a thread has those of the thread that makes it. 0 or -errno, explained. */
int sender_start(struct sender *sender);

/* What is under way is given up. NULL-safe. */
void sender_free(struct sender *sender);

/* Can it be given a message? Not while it has one, or an answer to it that was not taken. */
bool sender_is_idle(struct sender *sender);

/* It owns the message from now on. */
void sender_send(struct sender *sender, uint8_t *message, size_t size);

/* The answer to the message, once; it is valid until the next message. NULL: there is none yet. */
const struct post_answer *sender_take(struct sender *sender);

#endif
