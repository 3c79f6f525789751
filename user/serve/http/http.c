// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/log.h"
#include "base/process/library.h"
#include "serve/http/host.h"

#define LIBRARY "libmicrohttpd.so.12"
#define MOST_CLIENTS 192
#define SPARE 64 /* connections being closed */
#define MOST_CONNECTIONS (MOST_CLIENTS + SPARE)
#define MOST_ACCEPTED 64 /* in one turn */
#define MOST_BODIES 3	 /* shared bodies still being sent */
#define BACKLOG 4096
#define SILENCE_S 10
#define ANSWER_NS (20 * NS_PER_S) /* time to send a request and to fetch the answer */
#define REQUEST_BYTES 8192	  /* memory per connection, headers included */

/* Functions of the library. */
struct library {
	void *handle;
	struct MHD_Daemon *(*start)(unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback apc, void *apc_cls,
				    MHD_AccessHandlerCallback dh, void *dh_cls, ...);
	void (*stop)(struct MHD_Daemon *daemon);
	const union MHD_DaemonInfo *(*info)(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType type, ...);
	enum MHD_Result (*run)(struct MHD_Daemon *daemon);
	struct MHD_Response *(*response)(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode);
	enum MHD_Result (*add_header)(struct MHD_Response *response, const char *header, const char *content);
	enum MHD_Result (*queue)(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
	void (*release)(struct MHD_Response *response);
	const char *(*lookup)(struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key);
	int (*values)(struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN each,
		      void *data);
	const union MHD_ConnectionInfo *(*connection)(struct MHD_Connection *connection,
						      enum MHD_ConnectionInfoType type, ...);
	void (*suspend)(struct MHD_Connection *connection);
	void (*resume)(struct MHD_Connection *connection);
	enum MHD_Result (*add)(struct MHD_Daemon *daemon, MHD_socket fd, const struct sockaddr *at, socklen_t size);
	struct MHD_Response *(*share)(const struct MHD_IoVec *parts, unsigned int count,
				      MHD_ContentReaderFreeCallback done, void *data);
};

/* A connection. */
struct client {
	int fd;		/* owned by the library; -1: unused */
	bool has_asked; /* sent anything yet */
	bool is_asking;
	bool is_ending;
	uint64_t since_ns;	      /* since when connected, requesting, or idle */
	struct MHD_Connection *later; /* suspended requests; NULL: none */
	bool is_waiting;	      /* ... not before http_wake() */
	uint64_t request;	      /* number of the request */
};

struct http_body {
	struct http *http;
	struct MHD_Response *response;
	char *text;
};

struct http {
	struct library library;
	struct MHD_Daemon *daemon;
	struct client clients[MOST_CONNECTIONS];
	size_t live, bodies, later; /* later: without those who wait */
	uint64_t requests;
	bool is_running;
	struct event_loop *waiting;
	http_handler *handler;
	void *data;
	unsigned int port;
	int listener;
	bool is_loopback;
	const char *allow_host;
};

static int library_find(struct library *library)
{
	const struct library_symbol symbols[] = {
		{ "MHD_start_daemon", &library->start },
		{ "MHD_stop_daemon", &library->stop },
		{ "MHD_get_daemon_info", &library->info },
		{ "MHD_run", &library->run },
		{ "MHD_create_response_from_buffer", &library->response },
		{ "MHD_add_response_header", &library->add_header },
		{ "MHD_queue_response", &library->queue },
		{ "MHD_destroy_response", &library->release },
		{ "MHD_lookup_connection_value", &library->lookup },
		{ "MHD_get_connection_values_n", &library->values },
		{ "MHD_get_connection_info", &library->connection },
		{ "MHD_suspend_connection", &library->suspend },
		{ "MHD_resume_connection", &library->resume },
		{ "MHD_add_connection", &library->add },
		{ "MHD_create_response_from_iovec", &library->share },
	};

	library->handle = library_load(LIBRARY, "libmicrohttpd12", "serving", symbols,
				       sizeof(symbols) / sizeof(*symbols));
	return library->handle ? 0 : -ENOENT;
}

/* Answering. */

static void add_headers(const struct library *library, struct MHD_Response *response, const char *type,
			const char *policy)
{
	if (type)
		library->add_header(response, "Content-Type", type);
	if (policy) {
		library->add_header(response, "Content-Security-Policy", policy);
		library->add_header(response, "Referrer-Policy", "no-referrer");
		library->add_header(response, "X-Frame-Options", "DENY");
	}
	library->add_header(response, "X-Content-Type-Options", "nosniff");
	library->add_header(response, "Cache-Control", "no-store");
}

static void add_retry(const struct library *library, struct MHD_Response *response, unsigned int seconds)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", seconds);
	if (seconds)
		library->add_header(response, "Retry-After", text);
}

static enum MHD_Result answer(const struct http *http, struct MHD_Connection *connection,
			      const struct http_reply *reply)
{
	const struct library *library = &http->library;
	struct MHD_Response *response;
	enum MHD_Result result;

	if (reply->shared)
		return library->queue(connection, reply->status, reply->shared->response);
	response = library->response(reply->body ? reply->size : 0, reply->body ? reply->body : (char *)"",
				     reply->body && !reply->is_constant ? MHD_RESPMEM_MUST_FREE
									: MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	add_headers(library, response, reply->type, reply->policy);
	add_retry(library, response, reply->retry_after);
	/* Closes the connection: bytes after a refused request may be part of it. */
	if (reply->status >= 400)
		library->add_header(response, "Connection", "close");
	result = library->queue(connection, reply->status, response);
	library->release(response);
	return result;
}

static void body_done(void *data)
{
	struct http_body *body = data;

	body->http->bodies--;
	free(body->text);
	free(body);
}

bool http_has_room(const struct http *http)
{
	return http->bodies < MOST_BODIES;
}

struct http_body *http_body_new(struct http *http, const char *type, char *text, size_t size)
{
	struct MHD_IoVec part = { .iov_base = text, .iov_len = size };
	struct http_body *body = http_has_room(http) ? calloc(1, sizeof(*body)) : NULL;

	if (body)
		body->response = http->library.share(&part, 1, body_done, body);
	if (!body || !body->response) {
		free(body);
		free(text);
		return NULL;
	}
	body->http = http;
	body->text = text;
	http->bodies++;
	add_headers(&http->library, body->response, type, NULL);
	return body;
}

void http_body_free(struct http *http, struct http_body *body)
{
	if (body)
		http->library.release(body->response);
}

static struct http_reply refuse(unsigned int status, const char *why)
{
	return (struct http_reply){
		.status = status,
		.type = "text/plain",
		.body = (char *)why,
		.size = strlen(why),
		.is_constant = true,
	};
}

/* Without Host, the client is not a browser. */
static bool is_for_us(const struct http *http, struct MHD_Connection *connection)
{
	const char *host = http->library.lookup(connection, MHD_HEADER_KIND, "Host");

	return !http->is_loopback || !host || host_is_local(host, http->allow_host);
}

/* Clients. */

static struct client *client_of(const struct http *http, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = http->library.connection(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static struct client *client_free(struct http *http)
{
	for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
		if (http->clients[i].fd < 0)
			return &http->clients[i];
	}
	return NULL;
}

/* Connections that come and go. */
static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct http *http = data;
	struct client *client = *context;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (client)
			client->fd = -1;
		http->live -= client != NULL;
		return;
	}
	info = http->library.connection(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	client = info ? client_free(http) : NULL;
	if (client)
		*client = (struct client){ .fd = info->connect_fd, .since_ns = duration_now() };
	http->live += client != NULL;
	*context = client;
}

static void on_answered(void *data, struct MHD_Connection *connection, void **state,
			enum MHD_RequestTerminationCode how)
{
	struct client *client = client_of(data, connection);

	(void)how;
	*state = NULL;
	if (client) {
		client->is_asking = false;
		client->since_ns = duration_now();
	}
}

/* Closes connections without any request first, then idle ones; the longest idle first. */
static bool goes_before(const struct client *a, const struct client *b)
{
	int rank_a = a->is_asking ? 2 : a->has_asked, rank_b = b->is_asking ? 2 : b->has_asked;

	return rank_a != rank_b ? rank_a < rank_b : a->since_ns < b->since_ns;
}

static void stop_waiting(struct http *http, struct client *client)
{
	if (!client->is_waiting)
		return;
	client->is_waiting = false;
	client->since_ns = duration_now();
	http->later++;
}

/* The library sees the end of input, and closes the connection. */
static void client_end(struct http *http, struct client *client)
{
	stop_waiting(http, client);
	client->is_ending = true;
	shutdown(client->fd, SHUT_RDWR);
}

static bool end_one(struct http *http)
{
	struct client *first = NULL;

	for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
		struct client *client = &http->clients[i];

		if (client->fd >= 0 && !client->is_ending && (!first || goes_before(client, first)))
			first = client;
	}
	if (first)
		client_end(http, first);
	return first;
}

/* While a connection is suspended, the library does not see its end. */
static bool is_gone(const struct client *client)
{
	char next;

	return !recv(client->fd, &next, sizeof(next), MSG_PEEK | MSG_DONTWAIT);
}

/*
 * Limits slow clients, which do not fetch an answer or send a request byte by byte. (The library ends idle ones.)
 * Suspended requests are exempt.
 */
static bool is_slow(const struct client *client, uint64_t now)
{
	return client->is_waiting ? is_gone(client) : now - client->since_ns > ANSWER_NS;
}

static void end_slow(struct http *http)
{
	uint64_t now = duration_now();

	for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
		struct client *client = &http->clients[i];

		if (client->fd >= 0 && !client->is_ending && is_slow(client, now))
			client_end(http, client);
	}
}

static bool accept_one(struct http *http)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);
	int fd = accept4(http->listener, (struct sockaddr *)&at, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

	/* Without a free descriptor, the client would wait and the listener stay readable. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return end_one(http) && !http->library.run(http->daemon);
	if (fd < 0)
		return errno == ECONNABORTED || errno == EINTR;
	if (http->live >= MOST_CLIENTS) {
		end_one(http);
		http->library.run(http->daemon);
	}
	/* The library closes a connection that it refuses. */
	http->library.add(http->daemon, fd, (struct sockaddr *)&at, size);
	return true;
}

static enum MHD_Result put_off(struct http *http, struct client *client, struct MHD_Connection *connection,
			       bool is_waiting)
{
	http->library.suspend(connection);
	client->later = connection;
	client->is_waiting = is_waiting;
	http->later += !is_waiting;
	return MHD_YES;
}

static void resume_all(struct http *http)
{
	for (size_t i = 0; http->later && i < MOST_CONNECTIONS; i++) {
		struct client *client = &http->clients[i];

		if (!client->later || client->is_waiting)
			continue;
		http->library.resume(client->later);
		client->later = NULL;
		http->later--;
	}
}

static void begin_request(struct http *http, struct client *client)
{
	if (!client)
		return;
	client->is_asking = client->has_asked = true;
	client->since_ns = duration_now();
	client->request = ++http->requests;
}

static struct http_request request_of(const struct http *http, const struct client *client,
				      struct MHD_Connection *connection, const char *url, const char *method)
{
	const char *accept = http->library.lookup(connection, MHD_HEADER_KIND, "Accept");
	const char *site = http->library.lookup(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");

	return (struct http_request){
		.path = url,
		.accept = accept ? accept : "",
		.id = client ? client->request : 0,
		.is_head = !strcmp(method, "HEAD"),
		.is_foreign = site && (!strcmp(site, "cross-site") || !strcmp(site, "same-site")),
		.http = http,
		.connection = connection,
	};
}

const char *http_argument(const struct http_request *request, const char *name)
{
	return request->http->library.lookup(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

struct check {
	const char *const *known;
	bool is_wrong;
};

/* A NUL would cut the value. */
static enum MHD_Result check_argument(void *data, enum MHD_ValueKind kind, const char *name, size_t name_size,
				      const char *value, size_t value_size)
{
	struct check *check = data;
	const char *const *known = check->known;

	(void)kind;
	while (*known && strcmp(*known, name))
		known++;
	check->is_wrong = !*known || strlen(name) != name_size || !value || strlen(value) != value_size;
	return check->is_wrong ? MHD_NO : MHD_YES;
}

bool http_has_only(const struct http_request *request, const char *const *known)
{
	struct check check = { .known = known };

	request->http->library.values(request->connection, MHD_GET_ARGUMENT_KIND, check_argument, &check);
	return !check.is_wrong;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct http *http = data;
	struct client *client = client_of(http, connection);
	struct http_reply reply = { .status = 200 };
	struct http_request request;

	(void)version;
	(void)upload;
	/* The first call has the headers only; later ones have the body, which is ignored. */
	if (!*state) {
		*state = (void *)http;
		begin_request(http, client);
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (client && client->is_ending)
		return MHD_NO;
	request = request_of(http, client, connection, url, method);
	if (!is_for_us(http, connection))
		reply = refuse(403, "the request names a host that is not localhost; see --allow-host\n");
	else if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		reply = refuse(405, "only GET and HEAD are supported\n");
	else
		http->handler(http->data, &request, &reply);
	if ((reply.is_later || reply.is_waiting) && client)
		return put_off(http, client, connection, reply.is_waiting);
	if (reply.is_later || reply.is_waiting)
		reply = refuse(503, "too many clients\n");
	return answer(http, connection, &reply);
}

/* Listening. */

/* "127.0.0.1:9568", "[::1]:9568", ":9568". */
static int split_address(const char *address, char *host, size_t size, const char **port)
{
	const char *colon = strrchr(address, ':');
	size_t length = colon ? (size_t)(colon - address) : 0;

	if (!colon || !colon[1] || length >= size)
		return -EINVAL;
	if (length >= 2 && address[0] == '[' && colon[-1] == ']') {
		address++;
		length -= 2;
	}
	memcpy(host, address, length);
	host[length] = '\0';
	*port = colon + 1;
	return 0;
}

static int listen_at(const struct addrinfo *at)
{
	int one = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	one = -errno;
	close(fd);
	return one;
}

static int open_listener(const char *address)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char host[256];
	const char *port;
	int fd = split_address(address, host, sizeof(host), &port);

	if (fd || getaddrinfo(host[0] ? host : NULL, port, &hints, &found)) {
		pr_err("%s is not an ADDRESS:PORT to listen on, such as 127.0.0.1:9568 or :9568", address);
		return -EINVAL;
	}
	fd = listen_at(found);
	freeaddrinfo(found);
	if (fd < 0)
		pr_err("cannot listen on %s: %s", address, strerror(-fd));
	return fd;
}

static unsigned int port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at = {};
	socklen_t size = sizeof(at);

	if (getsockname(fd, &at.any, &size))
		return 0;
	return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}

/* http_run() looks at all of them. */
static void on_any(void *data, uint64_t times)
{
	(void)data;
	(void)times;
}

/* One descriptor for the owner's loop: the listener and all connections. */
static int watch(struct http *http)
{
	const union MHD_DaemonInfo *info = http->library.info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	http->waiting = event_loop_new();
	if (!info || !http->waiting || event_loop_add(http->waiting, http->listener, on_any, http) ||
	    event_loop_add(http->waiting, info->epoll_fd, on_any, http))
		return -EIO;
	return 0;
}

static int start(struct http *http, const char *address)
{
	int err = library_find(&http->library);

	if (err)
		return err;
	http->listener = open_listener(address);
	if (http->listener < 0)
		return http->listener;
	http->port = port_of(http->listener);
	http->is_loopback = host_socket_is_loopback(http->listener);
	http->daemon = http->library.start(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
					   NULL, on_request, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
					   MHD_OPTION_NOTIFY_COMPLETED, on_answered, http, MHD_OPTION_CONNECTION_LIMIT,
					   MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S,
					   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_END);
	if (http->daemon)
		return watch(http);
	pr_err("cannot start the HTTP server");
	return -EIO;
}

struct http *http_new(const char *address, const char *allow_host, http_handler *handler, void *data)
{
	struct http *http = calloc(1, sizeof(*http));
	int err;

	if (!http)
		return NULL;
	http->allow_host = allow_host;
	http->handler = handler;
	http->data = data;
	http->listener = -1;
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		http->clients[i].fd = -1;
	err = start(http, address);
	if (!err)
		return http;
	http_free(http);
	errno = -err;
	return NULL;
}

void http_free(struct http *http)
{
	if (!http)
		return;
	http_wake(http);
	resume_all(http);
	if (http->daemon)
		http->library.stop(http->daemon);
	if (http->listener >= 0)
		close(http->listener);
	event_loop_free(http->waiting);
	if (http->library.handle)
		dlclose(http->library.handle);
	free(http);
}

unsigned int http_port(const struct http *http)
{
	return http->port;
}

int http_fd(const struct http *http)
{
	return event_loop_fd(http->waiting);
}

void http_run_new(struct http *http)
{
	if (http->is_running)
		return;
	http->is_running = true;
	end_slow(http);
	for (int i = 0; i < MOST_ACCEPTED && accept_one(http); i++)
		;
	http->library.run(http->daemon);
	http->is_running = false;
}

void http_run(struct http *http)
{
	if (!http->is_running)
		resume_all(http);
	http_run_new(http);
}

bool http_has_later(const struct http *http)
{
	return http->later;
}

void http_wake(struct http *http)
{
	for (size_t i = 0; i < MOST_CONNECTIONS; i++)
		stop_waiting(http, &http->clients[i]);
}

bool http_has_waiting(const struct http *http)
{
	for (size_t i = 0; i < MOST_CONNECTIONS; i++) {
		if (http->clients[i].is_waiting)
			return true;
	}
	return false;
}
