/* SPDX-License-Identifier: BSD-2-Clause */
/* The cookie of a node: the secret by which nodes let each other in. */
#ifndef ERLBPF_DIST_COOKIE_H
#define ERLBPF_DIST_COOKIE_H

#include <stddef.h>

#include "target/target.h"

#define COOKIE_SIZE 256 /* longest atom, terminator included */

/*
 * From the file, if one is given, which we read with our own rights; else what the node was started with (-setcookie),
 * or what its user has in ~/.erlang.cookie, below the node's root and with that user's rights. Our own cookie is
 * offered to nobody. 0 or -errno: -EPERM where we may not become the node's user, -ETIMEDOUT where its file system does
 * not answer. Forks, so it is to be called before privileges_filter().
 */
int cookie_find(const struct target *target, const char *file, char cookie[COOKIE_SIZE]);

#endif
