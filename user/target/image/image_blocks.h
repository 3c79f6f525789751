/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cache of file blocks. A caller that checks a thousand sites reads some bytes of each, and each request to a reader
 * switches processes twice. Reading whole blocks also fetches the neighbouring sites.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_BLOCKS_H
#define ERLBPF_TARGET_IMAGE_IMAGE_BLOCKS_H

#include "target/image/image.h"

struct image_blocks;

/* NULL: out of memory; the caller then reads without a cache. */
struct image_blocks *image_blocks_new(const struct image_file *file, uint64_t file_size);
void image_blocks_free(struct image_blocks *blocks);

/* Like `read` of the file. False: not in the cache. */
bool image_blocks_read(struct image_blocks *blocks, uint64_t offset, void *buf, size_t size);

#endif
