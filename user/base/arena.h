/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of one compilation, freed at once. The program ends when memory is exhausted. */
#ifndef ERLBPF_BASE_ARENA_H
#define ERLBPF_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);

void *arena_alloc(struct arena *arena, size_t size); /* zeroed, aligned for any type */

/*
 * Room for `wanted` elements in an array of *room, which at least doubles. Returns the array or a copy; the old array
 * stays in the arena. Updates *room.
 */
void *arena_grow(struct arena *arena, void *array, size_t *room, size_t wanted, size_t size);

char *arena_strndup(struct arena *arena, const char *text, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *arena_printf(struct arena *arena, const char *format, ...);

#endif
