// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static bool is_full(size_t count)
{
	return !(count & (count - 1));
}

/* Also NULL if the size exceeds the address space. */
static void *resize(void *array, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(array, bytes);
}

void *array_grow(void *array, size_t count, size_t size)
{
	if (array && !is_full(count))
		return array;
	return resize(array, count ? count * 2 : 1, size);
}

void *array_reserve(void *array, size_t *room, size_t wanted, size_t size)
{
	size_t larger = *room > SIZE_MAX / 2 ? wanted : *room * 2;
	void *grown;

	if (array && wanted <= *room)
		return array;
	larger = larger < wanted ? wanted : larger;
	grown = resize(array, larger ? larger : 1, size);
	if (grown)
		*room = larger;
	return grown;
}

int array_compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}
