// SPDX-License-Identifier: BSD-2-Clause
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define BLOCK 65536

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct block *blocks;
};

static struct block *block_new(size_t size)
{
	struct block *block = calloc(1, sizeof(*block) + size);

	if (!block)
		log_out_of_memory();
	block->size = size;
	return block;
}

struct arena *arena_new(void)
{
	struct arena *arena = calloc(1, sizeof(*arena));

	if (arena)
		arena->blocks = block_new(BLOCK);
	return arena;
}

void arena_free(struct arena *arena)
{
	struct block *block = arena ? arena->blocks : NULL;

	while (block) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t need = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct block *block = arena->blocks;

	if (block->size - block->used < need) {
		block = block_new(need > BLOCK ? need : BLOCK);
		block->next = arena->blocks;
		arena->blocks = block;
	}
	block->used += need;
	return block->data + block->used - need;
}

void *arena_grow(struct arena *arena, void *array, size_t *room, size_t wanted, size_t size)
{
	size_t before = *room;
	void *grown;

	if (wanted <= before)
		return array;
	*room = wanted < before * 2 ? before * 2 : wanted;
	grown = arena_alloc(arena, *room * size);
	if (before)
		memcpy(grown, array, before * size);
	return grown;
}

char *arena_strndup(struct arena *arena, const char *text, size_t size)
{
	char *copy = arena_alloc(arena, size + 1);

	memcpy(copy, text, size);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, again;
	char *text;
	int size;

	va_start(args, format);
	va_copy(again, args);
	size = vsnprintf(NULL, 0, format, args);
	text = arena_alloc(arena, (size_t)size + 1);
	vsnprintf(text, (size_t)size + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}
