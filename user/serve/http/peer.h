/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer of a Unix socket, as known to the kernel. Its process is identified by pidfd, so a reused pid is noticed. */
#ifndef ERLBPF_SERVE_HTTP_PEER_H
#define ERLBPF_SERVE_HTTP_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct peer {
	uid_t uid;
	gid_t gid;
	bool is_seen;		/* false: nothing else is known; it has ended, or is in a foreign pid namespace */
	uint64_t pid_namespace; /* target/selector.h */
	uint64_t person;	/* one number for all users of a person: in user namespaces, and of /etc/subuid */
};

/* 0 or -errno. */
int peer_read(int fd, struct peer *peer);

/* For tests: before Linux 6.5. A descriptor of a process that acts as this user, or -errno. */
int peer_open_by_pid(pid_t pid, uid_t uid);

/* For tests: the user to whom a file as /etc/subuid gives this one, or this one itself. */
uid_t peer_owner_of(uid_t uid, const char *ranges);

#endif
