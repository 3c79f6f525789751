// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http.h"

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

#include "base/log.h"

#define LIBRARY "libmicrohttpd.so.12"
#define MOST_CONNECTIONS 64
#define MOST_PER_ADDRESS 32
#define SILENCE_S 10
#define REQUEST_BYTES 8192	/* of memory per connection, headers included */

/* What we use of the library. */
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
};

struct http {
	struct library library;
	struct MHD_Daemon *daemon;
	http_handler *handler;
	void *data;
	unsigned int port;
	int listener;
};

/* POSIX lets a pointer from dlsym() be one of a function; C does not say so, hence the copy. */
static bool find(const struct library *library, const char *name, void *function)
{
	void *symbol = dlsym(library->handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

static int library_load(struct library *library)
{
	library->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library->handle) {
		pr_err("serving needs %s; install it: apt install libmicrohttpd12", LIBRARY);
		return -ENOENT;
	}
	if (find(library, "MHD_start_daemon", &library->start) && find(library, "MHD_stop_daemon", &library->stop) &&
	    find(library, "MHD_get_daemon_info", &library->info) && find(library, "MHD_run", &library->run) &&
	    find(library, "MHD_create_response_from_buffer", &library->response) &&
	    find(library, "MHD_add_response_header", &library->add_header) &&
	    find(library, "MHD_queue_response", &library->queue) &&
	    find(library, "MHD_destroy_response", &library->release) &&
	    find(library, "MHD_lookup_connection_value", &library->lookup))
		return 0;
	pr_err("%s is not the library that it should be: %s", LIBRARY, dlerror());
	return -ENOENT;
}

/* Answering. */

static enum MHD_Result answer(const struct http *http, struct MHD_Connection *connection,
			      const struct http_reply *reply, bool has_body)
{
	const struct library *library = &http->library;
	struct MHD_Response *response = library->response(
		reply->body ? reply->size : 0, reply->body ? reply->body : (char *)"",
		reply->body && !reply->is_constant ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	(void)has_body;
	if (!response)
		return MHD_NO;
	if (reply->type)
		library->add_header(response, "Content-Type", reply->type);
	library->add_header(response, "X-Content-Type-Options", "nosniff");
	library->add_header(response, "Cache-Control", "no-store");
	result = library->queue(connection, reply->status, response);
	library->release(response);
	return result;
}

static struct http_reply refuse_method(void)
{
	return (struct http_reply){
		.status = 405, .type = "text/plain", .body = (char *)"only GET is understood\n", .size = 23,
		.is_constant = true,
	};
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url, const char *method,
				  const char *version, const char *upload, size_t *upload_size, void **state)
{
	const struct http *http = data;
	struct http_reply reply = { .status = 200 };
	struct http_request request = { .path = url };

	(void)version;
	(void)upload;
	/* The first call is about headers alone, others bring what is uploaded, which nobody wants. */
	if (!*state) {
		*state = (void *)http;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	request.accept = http->library.lookup(connection, MHD_HEADER_KIND, "Accept");
	if (!request.accept)
		request.accept = "";
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		reply = refuse_method();
	else
		http->handler(http->data, &request, &reply);
	return answer(http, connection, &reply, !strcmp(method, "GET"));
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
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, 128))
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
		pr_err("%s is no ADDRESS:PORT to listen on, such as 127.0.0.1:9568 or :9568", address);
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
	struct sockaddr_storage at = {};
	socklen_t size = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &size))
		return 0;
	return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
					      : ((struct sockaddr_in *)&at)->sin_port);
}

static int start(struct http *http, const char *address)
{
	int err = library_load(&http->library);

	if (err)
		return err;
	http->listener = open_listener(address);
	if (http->listener < 0)
		return http->listener;
	http->port = port_of(http->listener);
	http->daemon = http->library.start(MHD_USE_EPOLL, 0, NULL, NULL, on_request, http,
					   MHD_OPTION_LISTEN_SOCKET, http->listener,
					   MHD_OPTION_CONNECTION_LIMIT, MOST_CONNECTIONS,
					   MHD_OPTION_PER_IP_CONNECTION_LIMIT, MOST_PER_ADDRESS,
					   MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S,
					   MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_END);
	if (http->daemon)
		return 0;
	close(http->listener);
	pr_err("the HTTP server does not start");
	return -EIO;
}

struct http *http_new(const char *address, http_handler *handler, void *data)
{
	struct http *http = calloc(1, sizeof(*http));
	int err;

	if (!http)
		return NULL;
	http->handler = handler;
	http->data = data;
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
	if (http->daemon)
		http->library.stop(http->daemon);
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
	const union MHD_DaemonInfo *info = http->library.info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	return info ? info->epoll_fd : -1;
}

void http_run(struct http *http)
{
	http->library.run(http->daemon);
}
