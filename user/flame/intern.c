// SPDX-License-Identifier: BSD-2-Clause
#include "flame/intern.h"

#include <errno.h>
#include <stdlib.h>

#define SMALLEST 64

struct intern_slot {
	uint32_t hash;
	uint32_t number_and_1; /* number + 1; 0: empty */
};

bool intern_next(const struct intern *table, struct intern_search *search)
{
	/* At least a quarter of the slots is empty, so the search ends. */
	while (table->size) {
		const struct intern_slot *slot = &table->slots[(search->hash + search->steps++) & (table->size - 1)];

		if (!slot->number_and_1)
			return false;
		search->number = slot->number_and_1 - 1;
		if (slot->hash == search->hash)
			return true;
	}
	return false;
}

static void put(struct intern *table, struct intern_slot slot)
{
	size_t at = slot.hash;

	while (table->slots[at & (table->size - 1)].number_and_1)
		at++;
	table->slots[at & (table->size - 1)] = slot;
	table->used++;
}

static int grow(struct intern *table)
{
	struct intern larger = { .size = table->size ? 2 * table->size : SMALLEST };

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		if (table->slots[i].number_and_1)
			put(&larger, table->slots[i]);
	}
	free(table->slots);
	*table = larger;
	return 0;
}

int intern_put(struct intern *table, uint32_t hash, uint32_t number)
{
	if (table->used >= table->size / 4 * 3 && grow(table))
		return -ENOMEM;
	put(table, (struct intern_slot){ .hash = hash, .number_and_1 = number + 1 });
	return 0;
}

void intern_free(struct intern *table)
{
	free(table->slots);
}
