/* SPDX-License-Identifier: BSD-2-Clause */
/* The cookie that a node uses now, which erlang:set_cookie/1 may have changed since its start. */
#ifndef ERLBPF_DIST_AUTH_H
#define ERLBPF_DIST_AUTH_H

#include <stddef.h>

#include "target/target.h"

/* Reads the node's memory without stopping it; the result is untrusted. 0, -ENOENT (not found) or another -errno. */
int auth_cookie(const struct target *target, char *cookie, size_t size);

#endif
