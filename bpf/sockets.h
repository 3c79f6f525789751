/* SPDX-License-Identifier: BSD-2-Clause */
/* sockets: contract between its BPF program and tools/sockets.c. */
#ifndef ERLBPF_BPF_SOCKETS_H
#define ERLBPF_BPF_SOCKETS_H

#include <linux/types.h>

#define SOCKETS_MAX 65536 /* of prim_socket, that are known at a time */

enum sockets_kind {
	SOCKETS_TCP,
	SOCKETS_UDP,
	SOCKETS_SCTP,
	SOCKETS_LOCAL,
	SOCKETS_OTHER,
	SOCKETS_KINDS,
};

#endif
