/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the header Host against DNS rebinding: a foreign page may resolve its own name to 127.0.0.1 to reach the agent
 * from a local browser, but Host still has that name.
 */
#ifndef ERLBPF_SERVE_HTTP_HOST_H
#define ERLBPF_SERVE_HTTP_HOST_H

#include <stdbool.h>

/* True if Host names this machine: localhost, 127.0.0.1, [::1] or `also` (may be NULL), with or without a port. */
bool host_is_local(const char *host, const char *also);

/* True if the socket is bound to a loopback address. */
bool host_socket_is_loopback(int fd);

#endif
