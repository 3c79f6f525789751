/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof of knowing a cookie: MD5 of the cookie and the challenge in decimal (gen_digest/2 of dist_util.erl). A
 * receiver could try cookies on it offline, so it is sent only to the node's own socket.
 */
#ifndef ERLBPF_DIST_DIGEST_H
#define ERLBPF_DIST_DIGEST_H

#include <stdint.h>

#define DIGEST_SIZE 16

void digest_make(const char *cookie, uint32_t challenge, unsigned char digest[DIGEST_SIZE]);

#endif
