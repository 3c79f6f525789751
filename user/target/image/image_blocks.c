// SPDX-License-Identifier: BSD-2-Clause
#include "target/image/image_blocks.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK (64u << 10)
#define BLOCKS 8 /* cached blocks; each offset maps to one */

struct block {
	unsigned char *data; /* NULL: unused */
	uint64_t start;
	size_t size; /* 0: unreadable */
};

struct image_blocks {
	struct image_file file;
	uint64_t file_size;
	struct block all[BLOCKS];
};

struct image_blocks *image_blocks_new(const struct image_file *file, uint64_t file_size)
{
	struct image_blocks *blocks = calloc(1, sizeof(*blocks));

	if (blocks) {
		blocks->file = *file;
		blocks->file_size = file_size;
	}
	return blocks;
}

void image_blocks_free(struct image_blocks *blocks)
{
	for (size_t i = 0; blocks && i < BLOCKS; i++)
		free(blocks->all[i].data);
	free(blocks);
}

static const struct block *get(struct image_blocks *blocks, uint64_t start)
{
	struct block *block = &blocks->all[start / BLOCK % BLOCKS];
	uint64_t left = start < blocks->file_size ? blocks->file_size - start : 0;

	if (block->data && block->start == start)
		return block;
	if (!block->data)
		block->data = malloc(BLOCK);
	if (!block->data)
		return NULL;
	block->start = start;
	block->size = left < BLOCK ? (size_t)left : BLOCK;
	if (blocks->file.read(blocks->file.fd, start, block->data, block->size))
		block->size = 0;
	return block;
}

bool image_blocks_read(struct image_blocks *blocks, uint64_t offset, void *buf, size_t size)
{
	unsigned char *to = buf;

	if (!blocks || size > BLOCK)
		return false;
	while (size) {
		uint64_t in = offset % BLOCK;
		const struct block *block = get(blocks, offset - in);
		size_t part;

		if (!block || in >= block->size)
			return false;
		part = block->size - in < size ? (size_t)(block->size - in) : size;
		memcpy(to, block->data + in, part);
		to += part;
		offset += part;
		size -= part;
	}
	return true;
}
