/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP POST requests to one address, by libcurl, which is loaded when needed. The server is untrusted: a request takes
 * at most 10 s, at most 64 kB of the answer are read, and redirects are not followed.
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
	int kind;		   /* error number, the same for the same reason; 0: none */
	char why[300];		   /* in words */
	uint64_t wait_s;	   /* Retry-After */
	size_t sent;		   /* bytes of the body, compressed */
	uint8_t body[POST_ANSWER]; /* the beginning of it */
	size_t size;
};

/* Call before system calls are filtered: libraries read files. NULL: the error is printed. */
struct post *post_new(const char *url, const char *type, const struct pairs *headers);

/* Only between requests. */
void post_free(struct post *post);

/* Waits for the answer or an error. One thread at a time. */
void post_send(struct post *post, const uint8_t *body, size_t size, struct post_answer *answer);

/* From any thread: the current request ends within a second, and no other one is sent. */
void post_stop(struct post *post);

#endif
