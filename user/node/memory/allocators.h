/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that a node's allocators hold, and how much of it is in use, from their own counters. The rest is in carriers
 * that still contain blocks, so the node cannot return it.
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

/* Types with any memory. Returns their number; 0 also if their location is unknown. */
size_t allocators_read(const struct target *target, struct allocator_use uses[ALLOCATORS_MAX]);

/* The type with that name. False: it has no memory, or its location is unknown. */
bool allocator_read(const struct target *target, const char *name, struct allocator_use *use);

#endif
