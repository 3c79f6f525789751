/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from names to values, in an arena. A name may contain any bytes; the same name may exist once per kind.
 * A table of zeros is empty.
 */
#ifndef ERLBPF_BASE_NAMES_H
#define ERLBPF_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct name_slot;

struct names {
	struct name_slot *slots;
	size_t size, used; /* size: 0, or a power of two */
};

/* NULL: not found. */
void *names_find(const struct names *names, unsigned int kind, const char *name);
void *names_find_bytes(const struct names *names, unsigned int kind, const char *name, size_t length);

/* Replaces an existing value. The name is not copied. */
void names_put(struct names *names, struct arena *arena, unsigned int kind, const char *name, void *value);
void names_put_bytes(struct names *names, struct arena *arena, unsigned int kind, const char *name, size_t length,
		     void *value);

#endif
