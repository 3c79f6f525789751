/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP requests with a body, to one address, by libcurl, which is loaded when there is somebody to post to. Whoever
 * answers is not trusted: a request takes ten seconds at most, an answer is read up to 64 kB, and it leads nowhere
 * else.
 */
#ifndef ERLBPF_SERVE_HTTP_POST_H
#define ERLBPF_SERVE_HTTP_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/http/pairs.h"

#define POST_ANSWER 4096

struct post;

struct post_answer {
	bool is_ok;		   /* status 2xx */
	int kind;		   /* of what went wrong: the same number for the same reason; 0: nothing */
	char why[300];		   /* in words */
	uint64_t wait_s;	   /* for so long it does not want to be asked again */
	size_t sent;		   /* bytes of the body, compressed */
	uint8_t body[POST_ANSWER]; /* the beginning of it */
	size_t size;
};

/* To be made before system calls are filtered: libraries read files at will. NULL, explained. */
struct post *post_new(const char *url, const char *type, const struct pairs *headers);

/* Only when nothing is under way. */
void post_free(struct post *post);

/* Waits until there is an answer, or none to be had. By one thread at a time. */
void post_send(struct post *post, const uint8_t *body, size_t size, struct post_answer *answer);

/* By any thread: what is under way ends within a second, and nothing is sent any more. */
void post_stop(struct post *post);

#endif
