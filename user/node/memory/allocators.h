/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much memory the allocators of a node have, and how much of it is in use, read from their own counts. What is not
 * in use is in carriers that hold other blocks still: the node cannot give it back.
 */
#ifndef ERLBPF_NODE_MEMORY_ALLOCATORS_H
#define ERLBPF_NODE_MEMORY_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define ALLOCATORS_MAX 13
#define ALLOCATOR_NAME_SIZE 32

struct allocator_use {
	char name[ALLOCATOR_NAME_SIZE]; /* "eheap_alloc"; hostile */
	uint64_t carriers, blocks;	/* bytes */
};

/* Those that have any. Returns how many; 0 also where it is not known where they are. */
size_t allocators_read(const struct target *target, struct allocator_use uses[ALLOCATORS_MAX]);

/* The one of that name. Is there one that has any, and is it known where it is? */
bool allocator_read(const struct target *target, const char *name, struct allocator_use *use);

#endif
