// SPDX-License-Identifier: BSD-2-Clause
/* In the order of auth.erl of kernel: what the command line says, then the file. */
#include "dist/cookie.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/procfs.h"

#define PATH_SIZE 4096

/* The first word of the file. A node may put anything there: neither a pipe nor a device holds us up. */
static int read_file(const char *path, char cookie[COOKIE_SIZE])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, cookie, COOKIE_SIZE - 1);

	if (n < 0)
		return -errno;
	cookie[n] = '\0';
	for (ssize_t i = 0; i < n; i++) {
		if (isspace((unsigned char)cookie[i]))
			cookie[i] = '\0';
	}
	return cookie[0] ? 0 : -ENODATA;
}

/* The next of the texts of which `end` is the end; NULL: there is none. */
static const char *next_text(const char *text, const char *end)
{
	text += strlen(text) + 1;
	return text < end ? text : NULL;
}

/* "-setcookie COOKIE". With a node before the cookie, it is that of the other node. */
static int from_arguments(pid_t pid, char cookie[COOKIE_SIZE])
{
	size_t size = 0;
	_cleanup_free_ char *line = procfs_read(pid, "cmdline", &size);
	const char *end = line + size, *other;

	for (const char *at = line; line && at && at < end; at = next_text(at, end)) {
		if (strcmp(at, "-setcookie") != 0)
			continue;
		at = next_text(at, end);
		other = at ? next_text(at, end) : NULL;
		if (!at || (other && *other && *other != '-' && *other != '+'))
			return -ENOENT;
		snprintf(cookie, COOKIE_SIZE, "%s", at);
		return 0;
	}
	return -ENOENT;
}

static int in_home(const char *root, const char *home, char cookie[COOKIE_SIZE])
{
	char path[PATH_SIZE];
	int err = -ENOENT;

	if (home && snprintf(path, sizeof(path), "%s%s/.erlang.cookie", root, home) < (int)sizeof(path))
		err = read_file(path, cookie);
	if (err && home &&
	    snprintf(path, sizeof(path), "%s%s/.config/erlang/.erlang.cookie", root, home) < (int)sizeof(path))
		err = read_file(path, cookie);
	return err;
}

static int from_home_of(pid_t pid, char cookie[COOKIE_SIZE])
{
	size_t size = 0;
	_cleanup_free_ char *environment = procfs_read(pid, "environ", &size);
	char root[64];

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	for (const char *at = environment; environment && at; at = next_text(at, environment + size)) {
		if (!strncmp(at, "HOME=", strlen("HOME=")))
			return in_home(root, at + strlen("HOME="), cookie);
	}
	return -ENOENT;
}

int cookie_find(const struct target *target, const char *file, char cookie[COOKIE_SIZE])
{
	if (file)
		return read_file(file, cookie);
	if (!from_arguments(target->pid, cookie) || !from_home_of(target->pid, cookie))
		return 0;
	return in_home("", getenv("HOME"), cookie);
}
