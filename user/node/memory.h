/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory a node has. */
#ifndef ERLBPF_NODE_MEMORY_H
#define ERLBPF_NODE_MEMORY_H

#include <stdint.h>

#include "target/target.h"

/* Bytes that the VM has in memory, as the kernel counts them; 0: it cannot be told. */
uint64_t node_resident(const struct target *target);

#endif
