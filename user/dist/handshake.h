/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handshake of Erlang's distribution protocol, as who connects: names and flags, then both sides prove that they
 * know the cookie. Nothing else is sent before the node has proved it.
 *
 * Source: "Distribution Handshake" of erl_dist_protocol (ERTS User's Guide), dist_util.erl of kernel. OTP 23 and later.
 */
#ifndef ERLBPF_DIST_HANDSHAKE_H
#define ERLBPF_DIST_HANDSHAKE_H

#include <stddef.h>
#include <stdint.h>

#include "dist/digest.h"

/* For a challenge of the node: our answer, a challenge of ours, and the only answer to that which is right. */
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
	/* Whoever has the cookie, asked once. 0 or -errno. */
	int (*prove)(void *data, uint32_t challenge, struct handshake_proof *proof);
	void *data;
};

/* 0; -EACCES: the cookie is wrong, on either side; -EEXIST: another of us has the name there; -EPROTO, -ETIMEDOUT,
 * -EPIPE or another -errno. */
int handshake_run(const struct handshake *handshake);

/* All of `size` bytes, until then. 0, -ETIMEDOUT, -EPIPE: the node has ended the connection, or another -errno. */
int handshake_receive(int fd, void *to, size_t size, uint64_t until_ns);
int handshake_send(int fd, const void *from, size_t size, uint64_t until_ns);

#endif
