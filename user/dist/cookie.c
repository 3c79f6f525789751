// SPDX-License-Identifier: BSD-2-Clause
/*
 * Searches in the order of kernel's auth.erl: the command line, then the file.
 * A child process with the node's user, without capabilities, below the node's root reads the file, so a link or HOME
 * can only lead to files that the node can read itself. Links are followed, because Kubernetes mounts secrets as links.
 */
#include "dist/cookie.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/process/privileges.h"
#include "target/reader/procfs.h"

#define PATH_SIZE 4096
#define MAX_GROUPS 256
#define READ_MS 5000 /* the node's file system may never answer */

/* The first word of a regular file; pipes and devices are refused because they could block. */
static int read_word(int fd, char cookie[COOKIE_SIZE])
{
	struct stat stat;
	ssize_t n;

	if (fd < 0 || fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -EINVAL;
	n = read(fd, cookie, COOKIE_SIZE - 1);
	if (n < 0)
		return -errno;
	cookie[n] = '\0';
	for (ssize_t i = 0; i < n; i++) {
		if (isspace((unsigned char)cookie[i]))
			cookie[i] = '\0';
	}
	return cookie[0] ? 0 : -ENODATA;
}

static int read_file(const char *path, char cookie[COOKIE_SIZE])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return read_word(fd, cookie);
}

/* The next text of the list that ends at `end`, or NULL. */
static const char *next_text(const char *text, const char *end)
{
	text += strlen(text) + 1;
	return text < end ? text : NULL;
}

/* "-setcookie COOKIE". "-setcookie NODE COOKIE" is about another node. */
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

/* Who the node is. */
struct user {
	uid_t uid;
	gid_t gid, groups[MAX_GROUPS];
	size_t group_count;
};

static bool read_groups(const char *line, struct user *user)
{
	char *end;

	for (user->group_count = 0; user->group_count < MAX_GROUPS; line = end) {
		unsigned long group = strtoul(line, &end, 10);

		if (end == line)
			return true;
		user->groups[user->group_count++] = (gid_t)group;
	}
	return false;
}

/* The four ids in a line of /proc/PID/status if all are equal; otherwise the process is changing its user. */
static bool read_id(const char *status, const char *name, unsigned int *id)
{
	const char *line = strstr(status, name);
	unsigned int ids[4];

	if (!line || sscanf(line + strlen(name), "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return false;
	*id = ids[0];
	return ids[1] == ids[0] && ids[2] == ids[0] && ids[3] == ids[0];
}

static int find_user(pid_t pid, struct user *user)
{
	_cleanup_free_ char *status = procfs_read(pid, "status", NULL);
	const char *groups = status ? strstr(status, "\nGroups:\t") : NULL;

	if (!groups)
		return -ESRCH;
	return read_id(status, "\nUid:\t", &user->uid) && read_id(status, "\nGid:\t", &user->gid) &&
			       read_groups(groups + strlen("\nGroups:\t"), user)
		       ? 0
		       : -EPERM;
}

/* Irreversible. Without the right to change the user, this process must already have the node's user. */
static int become(const struct user *user)
{
	bool is_same = getuid() == user->uid && geteuid() == user->uid;

	if ((setgroups(user->group_count, user->groups) || setresgid(user->gid, user->gid, user->gid) ||
	     setresuid(user->uid, user->uid, user->uid)) &&
	    !is_same)
		return -EPERM;
	return privileges_keep(0);
}

/* Opens a path below `root`. Links cannot leave it, nor follow /proc/PID/fd of other processes. */
static int open_below(int root, const char *home, const char *name)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[PATH_SIZE];

	if (snprintf(path, sizeof(path), "%s/%s", home, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

enum { ROOT_FD = 3, TO_FD, KEPT_FDS };

/* The node's user must not read the child's memory, nor inherit anything of ours. False: not possible. */
static bool keep_only(int root, int to)
{
	root = fcntl(root, F_DUPFD, KEPT_FDS);
	to = fcntl(to, F_DUPFD, KEPT_FDS);
	return dup2(root, ROOT_FD) == ROOT_FD && dup2(to, TO_FD) == TO_FD && !close_range(KEPT_FDS, ~0U, 0) &&
	       !prctl(PR_SET_DUMPABLE, 0);
}

static _Noreturn void be_user(const struct user *user, int root, const char *home, int to)
{
	static const char *const names[] = { ".erlang.cookie", ".config/erlang/.erlang.cookie" };
	char cookie[COOKIE_SIZE] = "";
	int err;

	err = keep_only(root, to) ? become(user) : -EIO;
	/* Set again: a change of the user resets both. */
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		err = -EIO;
	for (size_t i = 0; !err && !cookie[0] && i < sizeof(names) / sizeof(*names); i++) {
		if (read_word(open_below(ROOT_FD, home, names[i]), cookie))
			cookie[0] = '\0';
	}
	_exit(write(TO_FD, cookie, strlen(cookie)) < 0);
}

/* Reads the child's whole answer. 0 or -errno. */
static int hear(int from, char cookie[COOKIE_SIZE])
{
	struct pollfd fd = { .fd = from, .events = POLLIN };
	ssize_t n = poll(&fd, 1, READ_MS) > 0 ? read(from, cookie, COOKIE_SIZE - 1) : -1;

	cookie[n > 0 ? n : 0] = '\0';
	return n > 0 ? 0 : n < 0 ? -ETIMEDOUT : -ENOENT;
}

static int from_home(pid_t pid, const char *home, char cookie[COOKIE_SIZE])
{
	struct user user;
	char path[64];
	int pipe[2], err = find_user(pid, &user);
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	_cleanup_close_ int root = err ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0 || pipe2(pipe, O_CLOEXEC))
		return err ? err : -errno;
	child = fork();
	if (!child)
		be_user(&user, root, home, pipe[1]);
	close(pipe[1]);
	err = child < 0 ? -EAGAIN : hear(pipe[0], cookie);
	close(pipe[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return err;
}

/* HOME is untrusted: the node's user has chosen it. */
static int from_home_of(pid_t pid, char cookie[COOKIE_SIZE])
{
	size_t size = 0;
	_cleanup_free_ char *environment = procfs_read(pid, "environ", &size);

	for (const char *at = environment; environment && at; at = next_text(at, environment + size)) {
		if (!strncmp(at, "HOME=", strlen("HOME=")))
			return from_home(pid, at + strlen("HOME="), cookie);
	}
	return -ENOENT;
}

int cookie_find(const struct target *target, const char *file, char cookie[COOKIE_SIZE])
{
	if (file)
		return read_file(file, cookie);
	if (!from_arguments(target->pid, cookie))
		return 0;
	return from_home_of(target->pid, cookie);
}
