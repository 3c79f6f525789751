// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/http/notify.h"

/* A manager's socket in the abstract namespace, and its name in the environment. */
static int manager(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), n;
	char name[64];

	n = snprintf(name, sizeof(name), "@erlbpf-test-%d", getpid());
	memcpy(address.sun_path + 1, name + 1, (size_t)n - 1);
	cr_assert(eq(
		int,
		bind(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)),
		0));
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

static char *said(int fd)
{
	static char text[256];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}

Test(serve_notify, a_manager_is_told)
{
	int fd = manager();
	struct notify notify = notify_open();

	notify_tell(&notify, "READY=1");
	cr_expect(eq(str, said(fd), (char *)"READY=1"));
	notify_watchdog(&notify);
	cr_expect(eq(str, said(fd), (char *)""), "nobody asked for it");
	notify_close(&notify);
	notify_tell(&notify, "STOPPING=1");
	cr_expect(eq(str, said(fd), (char *)""));
}

Test(serve_notify, a_watchdog_is_told_if_it_is_ours)
{
	int fd = manager();
	struct notify notify;
	char pid[16];

	setenv("WATCHDOG_USEC", "1000000", 1);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("WATCHDOG_PID", pid, 1);
	notify = notify_open();
	notify_watchdog(&notify);
	cr_expect(eq(str, said(fd), (char *)"WATCHDOG=1"));
	notify_close(&notify);
	setenv("WATCHDOG_PID", "1", 1);
	notify = notify_open();
	notify_watchdog(&notify);
	cr_expect(eq(str, said(fd), (char *)""));
	notify_close(&notify);
}

Test(serve_notify, what_is_no_socket_is_nobody)
{
	static const char *const names[] = { "", "@", "relative", "/", "/nonexistent/socket", "vsock:2:1" };
	char long_name[200];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		setenv("NOTIFY_SOCKET", names[i], 1);
		cr_expect(eq(int, notify_open().fd, -1), "%s", names[i]);
	}
	memset(long_name, 'x', sizeof(long_name));
	long_name[0] = '/';
	long_name[sizeof(long_name) - 1] = '\0';
	setenv("NOTIFY_SOCKET", long_name, 1);
	cr_expect(eq(int, notify_open().fd, -1));
	unsetenv("NOTIFY_SOCKET");
	cr_expect(eq(int, notify_open().fd, -1));
}
