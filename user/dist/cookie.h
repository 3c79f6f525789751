/* SPDX-License-Identifier: BSD-2-Clause */
/* The cookie of a node: the secret by which nodes let each other in. */
#ifndef ERLBPF_DIST_COOKIE_H
#define ERLBPF_DIST_COOKIE_H

#include <stddef.h>

#include "target/target.h"

#define COOKIE_SIZE 256 /* longest atom, terminator included */

/*
 * From the file, if one is given; else what the node was started with (-setcookie), or what its user has in
 * ~/.erlang.cookie, as the node sees it, or what we ourselves have there. 0 or -errno.
 */
int cookie_find(const struct target *target, const char *file, char cookie[COOKIE_SIZE]);

#endif
