/* SPDX-License-Identifier: BSD-2-Clause */
/* What a service manager is told (sd_notify(3)): datagrams to a socket that it names in the environment. */
#ifndef ERLBPF_SERVE_HTTP_NOTIFY_H
#define ERLBPF_SERVE_HTTP_NOTIFY_H

#include <stdbool.h>

struct notify {
	int fd;		   /* -1: nobody wants to know */
	bool has_watchdog; /* "WATCHDOG=1" is expected from time to time */
};

/* Opened at start: later, the process may have no right to make sockets. */
struct notify notify_open(void);
void notify_close(struct notify *notify);

/* "READY=1", "STOPPING=1"; several in lines. Never waits. */
void notify_tell(const struct notify *notify, const char *state);

/* That it still lives, if that is asked for; in time if called every second. */
void notify_watchdog(const struct notify *notify);

#endif
