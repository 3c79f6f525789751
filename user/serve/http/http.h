/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small HTTP server for GET requests, by libmicrohttpd, in the loop of its owner: no threads, so nothing needs a
 * lock. The library is loaded when the server starts; other commands do without it. Who connects is not trusted:
 * connections are few, and where there is no room for a new one, the one goes that has been silent for longest; so
 * whoever asks at once is answered at once, whatever thousands of others do.
 */
#ifndef ERLBPF_SERVE_HTTP_HTTP_H
#define ERLBPF_SERVE_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;

struct http_request {
	const char *path;   /* without the query */
	const char *accept; /* the header, "" if there is none */
	uint64_t id;	    /* the same each time that one is asked again */
	bool is_head;	    /* nobody reads a body */
	bool is_foreign;    /* a page of another site has a browser ask */
	const struct http *http;
	void *connection;
};

/* The value of NAME=VALUE in the query, decoded: hostile. NULL: it is not there. */
const char *http_argument(const struct http_request *request, const char *name);

/* Has the query no arguments but these, which NULL ends, each with a value that is a text? */
bool http_has_only(const struct http_request *request, const char *const *known);

struct http_reply {
	unsigned int status; /* 200 unless it is set */
	const char *type;    /* Content-Type: a constant */
	char *body;	     /* freed by the server, unless it is a constant; NULL: there is none */
	size_t size;
	bool is_constant;
	const char *policy;	  /* Content-Security-Policy: a constant; NULL: none */
	struct http_body *shared; /* instead of type and body */
	bool is_later;		  /* there is no answer now: http_run() asks again */
	bool is_waiting;	  /* the same, but it asks when http_wake() was called */
	unsigned int retry_after; /* seconds, 0: not said */
};

typedef void http_handler(void *data, const struct http_request *request, struct http_reply *reply);

/*
 * A body that many are given: it lives until the last of them has it, and until http_body_free(). `text` is the
 * server's from now on, also if NULL is returned. NULL, too, if too many bodies are still being fetched: clients that
 * do not read must not cost memory.
 */
struct http_body *http_body_new(struct http *http, const char *type, char *text, size_t size);
void http_body_free(struct http *http, struct http_body *body);
bool http_has_room(const struct http *http);

/*
 * `address` is ADDR:PORT, [ADDR]:PORT or :PORT. On a loopback address, requests are refused whose Host is neither a
 * name of that nor `allow_host` (NULL: no other), which must outlive the server. NULL and errno, explained.
 */
struct http *http_new(const char *address, const char *allow_host, http_handler *handler, void *data);
void http_free(struct http *http);

/* The port that it listens on, which the kernel chose if it was asked for 0. */
unsigned int http_port(const struct http *http);

/* fd for a waiting set; http_run() when it is readable, and every second: connections that say nothing end then. */
int http_fd(const struct http *http);
void http_run(struct http *http);

/* The same, but who was told to come later stays where he is. Nothing is done while a request is being answered. */
void http_run_new(struct http *http);

/* Some were told to come later. */
bool http_has_later(const struct http *http);

/* What some wait for is there: http_run() asks them again. Does anybody wait still? Who goes away does not. */
void http_wake(struct http *http);
bool http_has_waiting(const struct http *http);

#endif
