// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* Name, or name:port. */
static bool is_named(const char *host, const char *name)
{
	size_t n = strlen(name), digits;

	if (!n || strncasecmp(host, name, n) != 0)
		return false;
	if (!host[n])
		return true;
	digits = strspn(host + n + 1, "0123456789");
	return host[n] == ':' && digits && digits <= 5 && !host[n + 1 + digits];
}

bool host_is_local(const char *host, const char *also)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (is_named(host, names[i]))
			return true;
	}
	return also && is_named(host, also);
}

bool host_socket_is_loopback(int fd)
{
	struct sockaddr_storage at = {};
	socklen_t size = sizeof(at);
	const struct in6_addr *six = &((const struct sockaddr_in6 *)&at)->sin6_addr;

	if (getsockname(fd, (struct sockaddr *)&at, &size))
		return false;
	if (at.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
	return ntohl(((const struct sockaddr_in *)&at)->sin_addr.s_addr) >> 24 == 127;
}
