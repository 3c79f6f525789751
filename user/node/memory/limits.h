/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a node has of what it may only have so much of: processes, ports and atoms. */
#ifndef ERLBPF_NODE_MEMORY_LIMITS_H
#define ERLBPF_NODE_MEMORY_LIMITS_H

#include <stdint.h>

#include "target/target.h"

struct node_limit {
	uint64_t used, most; /* `most` 0: it is not known */
};

struct node_limits {
	struct node_limit processes, ports, atoms;
	uint32_t spawned; /* processes so far, which wraps around */
};

void node_limits_read(const struct target *target, struct node_limits *limits);

#endif
