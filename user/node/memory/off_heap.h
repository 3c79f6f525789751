/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects outside its heap that a process refers to, from the node's memory. */
#ifndef ERLBPF_NODE_MEMORY_OFF_HEAP_H
#define ERLBPF_NODE_MEMORY_OFF_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

/*
 * The number of references to binaries of the process whose structure is at that address, at most `most`. The process
 * is not stopped: a garbage collection ends the count early. 0: none, or unknown release.
 */
size_t off_heap_binaries(const struct target *target, uint64_t process, size_t most);

struct off_heap_binary {
	uint64_t value; /* address of the bytes: the same for all references to one binary */
	uint64_t size;	/* bytes; 0: none */
};

/* The largest of the binaries that the process got last. The process may run meanwhile, so the result is unreliable. */
struct off_heap_binary off_heap_largest(const struct target *target, uint64_t process);

#endif
