// SPDX-License-Identifier: BSD-2-Clause
/* Open addressing. A table doubles when it is half full; the old one stays in the arena. */
#include "base/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

#define SLOTS_FIRST 64

struct name_slot {
	const char *name; /* NULL: free */
	size_t length;
	uint64_t hash;
	unsigned int kind;
	void *value;
};

static bool is_same_name(const struct name_slot *slot, const struct name_slot *wanted)
{
	return slot->hash == wanted->hash && slot->kind == wanted->kind && slot->length == wanted->length &&
	       !memcmp(slot->name, wanted->name, wanted->length);
}

/* The slot of this name, or the free slot for it. */
static struct name_slot *slot_of(const struct names *names, const struct name_slot *wanted)
{
	size_t at = wanted->hash & (names->size - 1);

	while (names->slots[at].name && !is_same_name(&names->slots[at], wanted))
		at = (at + 1) & (names->size - 1);
	return &names->slots[at];
}

static void grow(struct names *names, struct arena *arena)
{
	struct names grown = { .size = names->size ? names->size * 2 : SLOTS_FIRST, .used = names->used };

	grown.slots = arena_alloc(arena, grown.size * sizeof(*grown.slots));
	for (size_t i = 0; i < names->size; i++) {
		if (names->slots[i].name)
			*slot_of(&grown, &names->slots[i]) = names->slots[i];
	}
	*names = grown;
}

void *names_find_bytes(const struct names *names, unsigned int kind, const char *name, size_t length)
{
	struct name_slot wanted = { .name = name, .length = length, .kind = kind };

	if (!names->size)
		return NULL;
	wanted.hash = fnv64(kind, name, length);
	return slot_of(names, &wanted)->value;
}

void names_put_bytes(struct names *names, struct arena *arena, unsigned int kind, const char *name, size_t length,
		     void *value)
{
	struct name_slot wanted = { .name = name, .length = length, .kind = kind, .value = value }, *slot;

	if (names->used * 2 >= names->size)
		grow(names, arena);
	wanted.hash = fnv64(kind, name, length);
	slot = slot_of(names, &wanted);
	names->used += !slot->name;
	*slot = wanted;
}

void *names_find(const struct names *names, unsigned int kind, const char *name)
{
	return names_find_bytes(names, kind, name, strlen(name));
}

void names_put(struct names *names, struct arena *arena, unsigned int kind, const char *name, void *value)
{
	names_put_bytes(names, arena, kind, name, strlen(name), value);
}
