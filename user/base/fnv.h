/* SPDX-License-Identifier: BSD-2-Clause */
/* FNV-1a. Hashes of one `start` and other ones do not mix; it is 0 where there is but one kind. */
#ifndef ERLBPF_BASE_FNV_H
#define ERLBPF_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

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
