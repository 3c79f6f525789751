/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Images of files whose functions were found by comparison, which takes a second: they are kept in /var/cache/erlbpf,
 * or in the folder ERLBPF_MATCHED, which only who runs us can write. Without such a folder nothing is kept. What is
 * kept is of one file in one version, by what the kernel says of it: a build-id may be anybody's.
 */
#ifndef ERLBPF_TARGET_IMAGE_CACHE_H
#define ERLBPF_TARGET_IMAGE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* `key`: bytes that no other file has, nor another version of this one. The block is the caller's. */
bool image_cache_get(const void *key, size_t key_size, void **flat, size_t *size);

/* Of a file that was compared with others; of all else nothing is kept. It may fail: then it is not kept. */
void image_cache_put(const void *key, size_t key_size, const void *flat, size_t size);

#endif
