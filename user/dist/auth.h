/* SPDX-License-Identifier: BSD-2-Clause */
/* The cookie that a node has now, which may not be the one that it was started with (erlang:set_cookie/1). */
#ifndef ERLBPF_DIST_AUTH_H
#define ERLBPF_DIST_AUTH_H

#include <stddef.h>

#include "target/target.h"

/* Read from the node's memory; nothing is stopped for it. Hostile. 0 or -errno: ENOENT: it was not found. */
int auth_cookie(const struct target *target, char *cookie, size_t size);

#endif
