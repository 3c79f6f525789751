// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/open_in_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MOST_FOLDERS 64
#define MOST_LINKS 40

struct path_walk {
	int folders[MOST_FOLDERS]; /* from the root, whose ".." is itself, to the current directory */
	size_t depth;
	unsigned int links;
	char rest[PATH_MAX];
};

static void leave_folders(struct path_walk *w, size_t depth)
{
	while (w->depth > depth)
		close(w->folders[--w->depth]);
}

/* Removes the first name of the rest. False: the rest is empty. */
static bool next_name(struct path_walk *w, char name[NAME_MAX + 1])
{
	const char *at = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(at, "/");

	if (!length || length > NAME_MAX)
		return false;
	memcpy(name, at, length);
	name[length] = '\0';
	memmove(w->rest, at + length, strlen(at + length) + 1);
	return true;
}

static int follow_link(struct path_walk *w, int link)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(link, "", path, sizeof(path) - 1);
	size_t rest = strlen(w->rest);

	if (n < 0)
		return -errno;
	if (++w->links > MOST_LINKS)
		return -ELOOP;
	if ((size_t)n + rest + 2 > sizeof(w->rest))
		return -ENAMETOOLONG;
	if (path[0] == '/')
		leave_folders(w, 1);
	memmove(w->rest + n, w->rest, rest + 1);
	memcpy(w->rest, path, (size_t)n);
	return 0;
}

/* Follows one name. 1: neither a directory nor a link, and opened as *end; 0: continue; -errno. */
static int step(struct path_walk *w, const char *name, int *end)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, "..")) {
		leave_folders(w, w->depth > 1 ? w->depth - 1 : 1);
		return 0;
	}
	fd = openat(w->folders[w->depth - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return follow_link(w, fd);
	if (!S_ISDIR(st.st_mode)) {
		*end = fd;
		fd = -1;
		return 1;
	}
	if (w->depth == MOST_FOLDERS)
		return -ENAMETOOLONG;
	w->folders[w->depth++] = fd;
	fd = -1;
	return 0;
}

static int walk(struct path_walk *w)
{
	_cleanup_close_ int end = -1;
	char name[NAME_MAX + 1];
	int found = 0;

	while (!found && next_name(w, name))
		found = step(w, name, &end);
	if (found < 0)
		return found;
	if (!found || w->rest[strspn(w->rest, "/")])
		return -ENOENT;
	found = open_regular(end);
	return found < 0 ? -errno : found;
}

int open_regular(int fd)
{
	char path[32];
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int open_in_root(const char *root, const char *path)
{
	struct path_walk w = { .folders[0] = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), .depth = 1 };
	int fd;

	if (w.folders[0] < 0)
		return -1;
	fd = snprintf(w.rest, sizeof(w.rest), "%s", path) < (int)sizeof(w.rest) ? walk(&w) : -ENAMETOOLONG;
	leave_folders(&w, 0);
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}
