/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash tables: uthash, which ends the program when memory is exhausted, and FNV-1a. */
#ifndef ERLBPF_BASE_HASH_H
#define ERLBPF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

#define uthash_fatal(message) log_out_of_memory()

#include <uthash.h>

/* FNV-1a. `start` keeps hashes of different kinds of keys apart; 0 if there is only one kind. */
static inline uint32_t fnv32(uint32_t start, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t hash = 0x811c9dc5 ^ start;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x01000193;
	return hash;
}

static inline uint64_t fnv64(uint64_t start, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325 ^ start;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3;
	return hash;
}

#endif
