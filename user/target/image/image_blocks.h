/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a file that were read lately. Who looks at a thousand sites asks for some bytes of each, and each question
 * to the reader takes two processes; so it is asked for blocks, which hold the sites beside.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_BLOCKS_H
#define ERLBPF_TARGET_IMAGE_IMAGE_BLOCKS_H

#include "target/image/image.h"

struct image_blocks;

/* NULL if memory is short: then everything is read as it is asked for. */
struct image_blocks *image_blocks_new(const struct image_file *file, uint64_t file_size);
void image_blocks_free(struct image_blocks *blocks);

/* As the file's own `read`; false: not from here. */
bool image_blocks_read(struct image_blocks *blocks, uint64_t offset, void *buf, size_t size);

#endif
