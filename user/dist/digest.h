/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof that a cookie is known: MD5 of the cookie and a challenge in digits (gen_digest/2 of dist_util.erl). Who
 * gets one can try cookies on it, so it is sent to nobody but the node's own socket.
 */
#ifndef ERLBPF_DIST_DIGEST_H
#define ERLBPF_DIST_DIGEST_H

#include <stdint.h>

#define DIGEST_SIZE 16

void digest_make(const char *cookie, uint32_t challenge, unsigned char digest[DIGEST_SIZE]);

#endif
