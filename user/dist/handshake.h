/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connecting side of the handshake of Erlang's distribution: names and flags, then both sides prove that they know
 * the cookie. Nothing else is sent before the node has proved it.
 * Source: "Distribution Handshake" of erl_dist_protocol (ERTS User's Guide), dist_util.erl of kernel. OTP 23 and later.
 */
#ifndef ERLBPF_DIST_HANDSHAKE_H
#define ERLBPF_DIST_HANDSHAKE_H

#include <stddef.h>
#include <stdint.h>

#include "dist/digest.h"

/* The answer to a node's challenge, our own challenge, and the expected answer to it. */
struct handshake_proof {
	unsigned char digest[DIGEST_SIZE];
	uint32_t challenge;
	unsigned char expected[DIGEST_SIZE];
};

struct handshake {
	int fd;		   /* a connected stream */
	const char *us;	   /* NAME@HOST */
	const char *node;  /* who must answer */
	uint32_t creation; /* of us, not 0 */
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	/* Gets the proof from the process that has the cookie; called once. 0 or -errno. */
	int (*prove)(void *data, uint32_t challenge, struct handshake_proof *proof);
	void *data;
};

/*
 * 0 or -errno: -EACCES: wrong cookie, on either side; -EEXIST: our name is in use there; -EPROTO, -ETIMEDOUT, -EPIPE.
 */
int handshake_run(const struct handshake *handshake);

/*
 * Receives exactly `size` bytes before the deadline. 0 or -errno: -ETIMEDOUT; -EPIPE: the node closed the connection.
 */
int handshake_receive(int fd, void *to, size_t size, uint64_t until_ns);
int handshake_send(int fd, const void *from, size_t size, uint64_t until_ns);

#endif
