/* SPDX-License-Identifier: BSD-2-Clause */
/* Notifies the service manager (sd_notify(3)) by datagrams to the socket named in the environment. */
#ifndef ERLBPF_SERVE_HTTP_NOTIFY_H
#define ERLBPF_SERVE_HTTP_NOTIFY_H

#include <stdbool.h>

struct notify {
	int fd;		   /* -1: no service manager */
	bool has_watchdog; /* "WATCHDOG=1" is expected from time to time */
};

/* Opens the socket early: later, system calls are filtered. */
struct notify notify_open(void);
void notify_close(struct notify *notify);

/* "READY=1", "STOPPING=1"; several in lines. Never waits. */
void notify_tell(const struct notify *notify, const char *state);

/* Sends WATCHDOG=1 if expected; in time if called every second. */
void notify_watchdog(const struct notify *notify);

#endif
