/* SPDX-License-Identifier: BSD-2-Clause */
/* The cookie of a node: the shared secret for connections between nodes. */
#ifndef ERLBPF_DIST_COOKIE_H
#define ERLBPF_DIST_COOKIE_H

#include <stddef.h>

#include "target/target.h"

#define COOKIE_SIZE 256 /* longest atom, terminator included */

/*
 * Reads `file` with our own rights if one is given. Otherwise takes -setcookie of the node's command line, or
 * ~/.erlang.cookie of its user, below the node's root and with that user's rights. Our own cookie is never sent. 0 or
 * -errno: -EPERM: not allowed to become that user; -ETIMEDOUT: its file system does not answer. Forks, so call it
 * before privileges_filter().
 */
int cookie_find(const struct target *target, const char *file, char cookie[COOKIE_SIZE]);

#endif
