/* SPDX-License-Identifier: BSD-2-Clause */
/* sockets: contract between its BPF program and tools/sockets.c. */
#ifndef ERLBPF_BPF_SOCKETS_H
#define ERLBPF_BPF_SOCKETS_H

#include <linux/types.h>

#define SOCKETS_MAX 65536 /* of prim_socket, that are known at a time; and of all sockets, whose fds are */

/* A socket as --by port tells it apart: of the map sockets_open, whose values are fds, negative when it is closed. */
struct sockets_id {
	__u64 id; /* a port or an fd, as an id */
	__u64 os_id;
};

enum sockets_kind {
	SOCKETS_TCP,
	SOCKETS_UDP,
	SOCKETS_SCTP,
	SOCKETS_LOCAL,
	SOCKETS_OTHER,
	SOCKETS_KINDS,
};

#endif
