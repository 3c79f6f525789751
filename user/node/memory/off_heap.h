/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process refers to outside of its heap, read from the node's memory. */
#ifndef ERLBPF_NODE_MEMORY_OFF_HEAP_H
#define ERLBPF_NODE_MEMORY_OFF_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/*
 * How many references to binaries the process has whose structure is at that address, counted up to `most`. Nothing is
 * stopped for it: a collection meanwhile ends the counting. 0: none, or this release is not known.
 */
size_t off_heap_binaries(const struct target *target, uint64_t process, size_t most);

struct off_heap_binary {
	uint64_t value; /* address of what has its bytes: not the same if it was copied */
	uint64_t size;	/* bytes; 0: there is none */
};

/* The largest of the few that the process has got last. It may run meanwhile: then this may be anything. */
struct off_heap_binary off_heap_largest(const struct target *target, uint64_t process);

#endif
