/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header Host of a request, against DNS rebinding: a page of a stranger may resolve a name of its own to 127.0.0.1
 * and have a browser of this machine ask us. The name in Host is still the stranger's.
 */
#ifndef ERLBPF_SERVE_HTTP_HOST_H
#define ERLBPF_SERVE_HTTP_HOST_H

#include <stdbool.h>

/* Does Host name this machine: localhost, 127.0.0.1, [::1] or `also` (NULL: nothing else), with any port or none? */
bool host_is_local(const char *host, const char *also);

/* Is the socket bound to a loopback address? */
bool host_socket_is_loopback(int fd);

#endif
