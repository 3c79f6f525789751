// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/selector.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* The effective user: the second number of "Uid:". */
static bool acts_as(pid_t pid, uid_t uid)
{
	_cleanup_file_ FILE *file = NULL;
	char path[64], line[256];
	unsigned int effective;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %*u %u", &effective) == 1)
			return effective == uid;
	}
	return false;
}

int peer_open_by_pid(pid_t pid, uid_t uid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -errno;
	if (acts_as(pid, uid))
		return fd;
	close(fd);
	return -ESRCH;
}

/*
 * A descriptor or -errno. Linux 6.5 has one of the process that has connected. Before, another one of the same user may
 * have got its pid in the moment since then.
 */
static int open_process(int fd, const struct ucred *ids)
{
	int process = -1;
	socklen_t size = sizeof(process);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &size))
		return process;
	return errno == ENOPROTOOPT ? peer_open_by_pid(ids->pid, ids->uid) : -errno;
}

static bool is_there(int process)
{
	struct pollfd end = { .fd = process, .events = POLLIN };

	return poll(&end, 1, 0) == 0;
}

/* Reads the file only: a network directory could block. */
static bool find_user(const char *name, uid_t *uid)
{
	_cleanup_file_ FILE *file = NULL;
	const struct passwd *entry = NULL;
	char *end;

	*uid = (uid_t)strtoul(name, &end, 10);
	if (end != name && !*end)
		return true;
	file = fopen("/etc/passwd", "re");
	do
		entry = file ? fgetpwent(file) : NULL;
	while (entry && strcmp(entry->pw_name, name));
	if (entry)
		*uid = entry->pw_uid;
	return entry != NULL;
}

/* Lines of NAME:FIRST:COUNT, where NAME may be a number. A range of nobody who is known is one person's, too. */
uid_t peer_owner_of(uid_t uid, const char *ranges)
{
	_cleanup_file_ FILE *file = fopen(ranges, "re");
	unsigned long first, count;
	char line[512], name[256];
	uid_t owner;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%255[^:]:%lu:%lu", name, &first, &count) == 3 && uid >= first && uid - first < count)
			return find_user(name, &owner) ? owner : (uid_t)first;
	}
	return uid;
}

/* A user namespace: its number, and who has made it. */
struct user_namespace {
	uint64_t number;
	uid_t owner;
};

/* 1: ours; 0: not ours; or -errno. */
static int read_namespace(int fd, struct user_namespace *space)
{
	struct stat theirs, ours;

	if (fstat(fd, &theirs) || stat("/proc/self/ns/user", &ours))
		return -errno;
	if (theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev)
		return 1;
	space->number = theirs.st_ino;
	return ioctl(fd, NS_GET_OWNER_UID, &space->owner) ? -errno : 0;
}

/* The outermost of those that theirs is in and we are not: 0. 1: there is none, theirs is ours; or -errno. */
static int find_outermost(int theirs, struct user_namespace *space)
{
	_cleanup_close_ int parent = -1;
	struct user_namespace outer;
	int err = read_namespace(theirs, space);

	if (err)
		return err;
	parent = ioctl(theirs, NS_GET_PARENT);
	if (parent < 0)
		return -errno;
	err = find_outermost(parent, &outer);
	if (!err)
		*space = outer;
	return err < 0 ? err : 0;
}

/* The same of a process. A kernel may have no user namespaces. */
static int find_namespace(pid_t pid, struct user_namespace *space)
{
	_cleanup_close_ int theirs = -1;
	char path[64];

	if (access("/proc/self/ns/user", F_OK))
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	theirs = open(path, O_RDONLY | O_CLOEXEC);
	return theirs < 0 ? -errno : find_outermost(theirs, space);
}

#define OF_NAMESPACE (UINT64_C(1) << 32) /* beyond numbers of users */

/*
 * Who makes a user namespace is in there whom he likes, of his subordinate users (newuidmap(1)), and makes others in
 * it. One that root has made, for a container, is a person of its own. By a program of theirs that is setuid, people
 * are their subordinate users outside, too.
 */
static int find_person(pid_t pid, struct peer *peer)
{
	struct user_namespace space;
	int err = find_namespace(pid, &space);

	if (err < 0)
		return err;
	if (!err && !space.owner)
		peer->person = OF_NAMESPACE | space.number;
	else
		peer->person = peer_owner_of(err ? peer->uid : space.owner, "/etc/subuid");
	return 0;
}

/* Data read by pid is valid if the process is still alive afterwards. */
static void look_at(struct peer *peer, pid_t pid, int process)
{
	peer->pid_namespace = selector_pid_namespace(pid);
	peer->is_seen = peer->pid_namespace && !find_person(pid, peer) && is_there(process);
}

int peer_read(int fd, struct peer *peer)
{
	struct ucred ids;
	socklen_t size = sizeof(ids);
	_cleanup_close_ int process = -1;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ids, &size))
		return -errno;
	*peer = (struct peer){ .uid = ids.uid, .gid = ids.gid };
	process = open_process(fd, &ids);
	if (process >= 0)
		look_at(peer, ids.pid, process);
	return 0;
}
