/* SPDX-License-Identifier: BSD-2-Clause */
/* The limited resources of a node and their use: processes, ports and atoms. */
#ifndef ERLBPF_NODE_MEMORY_LIMITS_H
#define ERLBPF_NODE_MEMORY_LIMITS_H

#include <stdint.h>

#include "target/target.h"

struct node_limit {
	uint64_t used, most; /* `most` 0: unknown */
};

struct node_limits {
	struct node_limit processes, ports, atoms;
	uint32_t spawned; /* processes created so far; wraps around */
};

void node_limits_read(const struct target *target, struct node_limits *limits);

#endif
