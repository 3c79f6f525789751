/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has connected to a Unix socket, as the kernel knew it then, and what is known of the process only as long as it
 * is there: a process that gets its pid later is somebody else.
 */
#ifndef ERLBPF_SERVE_HTTP_PEER_H
#define ERLBPF_SERVE_HTTP_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct peer {
	uid_t uid;
	gid_t gid;
	bool is_seen;		/* else nothing else is known: it has ended, or is in a pid namespace beside ours */
	uint64_t pid_namespace; /* target/selector.h */
	uint64_t person;	/* the same for all users that one person has: of user namespaces, and of /etc/subuid */
};

/* 0 or -errno. */
int peer_read(int fd, struct peer *peer);

/* For tests: before Linux 6.5. A descriptor of a process that acts as this user, or -errno. */
int peer_open_by_pid(pid_t pid, uid_t uid);

/* For tests: the user to whom a file as /etc/subuid gives this one, or this one itself. */
uid_t peer_owner_of(uid_t uid, const char *ranges);

#endif
