// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or "@name" in the abstract namespace. 0: it is neither. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
	size_t length = strlen(name);

	if ((name[0] != '/' && name[0] != '@') || length < 2 || length >= sizeof(address->sun_path))
		return 0;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, name, length);
	if (name[0] == '@')
		address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

/* The variables may be inherited from another service. */
static bool wants_watchdog(void)
{
	const char *every = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	return every && strtoull(every, NULL, 10) && (!pid || strtol(pid, NULL, 10) == getpid());
}

struct notify notify_open(void)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct notify notify = { .fd = -1 };
	struct sockaddr_un address;
	socklen_t size = name ? address_of(name, &address) : 0;

	if (size)
		notify.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (notify.fd >= 0 && connect(notify.fd, (struct sockaddr *)&address, size))
		notify_close(&notify);
	notify.has_watchdog = notify.fd >= 0 && wants_watchdog();
	return notify;
}

void notify_close(struct notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

/* A message that the manager does not accept is dropped: it can see the state anyway. */
void notify_tell(const struct notify *notify, const char *state)
{
	if (notify->fd >= 0)
		(void)!send(notify->fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void notify_watchdog(const struct notify *notify)
{
	if (notify->has_watchdog)
		notify_tell(notify, "WATCHDOG=1");
}
