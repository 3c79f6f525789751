/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small HTTP server for GET requests, by libmicrohttpd, in its owner's loop, without threads or locks. The library is
 * loaded when the server starts. Clients are untrusted: the number of connections is limited, and a new one replaces
 * the one idle for longest, so a client that sends its request at once is always answered.
 */
#ifndef ERLBPF_SERVE_HTTP_HTTP_H
#define ERLBPF_SERVE_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http;

struct http_request {
	const char *path;   /* without the query */
	const char *accept; /* the header, "" if missing */
	uint64_t id;	    /* the same each time a suspended request is repeated */
	bool is_head;	    /* nobody reads a body */
	bool is_foreign;    /* sent by a page of another site */
	const struct http *http;
	void *connection;
};

/* The decoded, untrusted value of NAME=VALUE in the query, or NULL. */
const char *http_argument(const struct http_request *request, const char *name);

/* True if the query has only these arguments (NULL-terminated list), each with a text. */
bool http_has_only(const struct http_request *request, const char *const *known);

struct http_reply {
	unsigned int status; /* 200 unless it is set */
	const char *type;    /* Content-Type: a constant */
	char *body;	     /* freed by the server, unless it is a constant; NULL: there is none */
	size_t size;
	bool is_constant;
	const char *policy;	  /* Content-Security-Policy: a constant; NULL: none */
	struct http_body *shared; /* instead of type and body */
	bool is_later;		  /* not now: http_run() repeats the request */
	bool is_waiting;	  /* the same, after http_wake() */
	unsigned int retry_after; /* seconds; 0: no header */
};

typedef void http_handler(void *data, const struct http_request *request, struct http_reply *reply);

/*
 * A body shared by many replies, freed after the last one and http_body_free(). Takes `text`, also on errors. NULL also
 * if too many bodies are still being sent: clients that do not read must not use up memory.
 */
struct http_body *http_body_new(struct http *http, const char *type, char *text, size_t size);
void http_body_free(struct http *http, struct http_body *body);
bool http_has_room(const struct http *http);

/*
 * `address` is ADDR:PORT, [ADDR]:PORT or :PORT. On a loopback address, refuses requests whose Host is neither a
 * loopback name nor `allow_host` (may be NULL, borrowed). NULL and errno; the error is printed.
 */
struct http *http_new(const char *address, const char *allow_host, http_handler *handler, void *data);
void http_free(struct http *http);

/* The port, chosen by the kernel if 0 was requested. */
unsigned int http_port(const struct http *http);

/* fd for an event loop. Call http_run() when it is readable and every second, to close idle connections. */
int http_fd(const struct http *http);
void http_run(struct http *http);

/* Like http_run(), but does not repeat suspended requests. Does nothing while a request is being answered. */
void http_run_new(struct http *http);

/* True if requests are suspended with is_later. */
bool http_has_later(const struct http *http);

/* The result that suspended requests wait for is ready: http_run() repeats them. */
void http_wake(struct http *http);

/* True if a client still waits; false after it disconnected. */
bool http_has_waiting(const struct http *http);

#endif
