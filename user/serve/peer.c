// SPDX-License-Identifier: BSD-2-Clause
#include "serve/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "target/selector.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* The user as whom it acts: the second of "Uid:". */
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

/* What is read by its pid is its own if it is still there afterwards. */
static void look_at(struct peer *peer, pid_t pid, int process)
{
	peer->pid_namespace = selector_pid_namespace(pid);
	peer->is_seen = peer->pid_namespace && is_there(process);
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
