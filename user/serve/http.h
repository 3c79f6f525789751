/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small HTTP server for GET requests, by libmicrohttpd, in the loop of its owner: no threads, so nothing needs a
 * lock. The library is loaded when the server starts; other commands do without it. Who connects is not trusted:
 * connections are few, and do not live long without saying something whole.
 */
#ifndef ERLBPF_SERVE_HTTP_H
#define ERLBPF_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

struct http;

struct http_request {
	const char *path;	/* without the query */
	const char *accept;	/* the header, "" if there is none */
};

struct http_reply {
	unsigned int status;	/* 200 unless it is set */
	const char *type;	/* Content-Type: a constant */
	char *body;		/* freed by the server, unless it is a constant; NULL: there is none */
	size_t size;
	bool is_constant;
};

typedef void http_handler(void *data, const struct http_request *request, struct http_reply *reply);

/* `address` is ADDR:PORT, [ADDR]:PORT or :PORT. NULL and errno, explained. */
struct http *http_new(const char *address, http_handler *handler, void *data);
void http_free(struct http *http);

/* The port that it listens on, which the kernel chose if it was asked for 0. */
unsigned int http_port(const struct http *http);

/* fd for an epoll set; http_run() when it is readable, and every second: connections that say nothing end then. */
int http_fd(const struct http *http);
void http_run(struct http *http);

#endif
