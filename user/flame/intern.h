/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of numbers of things: the caller keeps the things in an array, and says which is meant. Eight bytes a
 * slot, since a profile may have millions of nodes.
 *
 *	for (struct intern_search search = { .hash = hash }; intern_next(&table, &search);) {
 *		if (is_equal(&things[search.number], wanted))
 *			return search.number;
 *	}
 */
#ifndef ERLBPF_FLAME_INTERN_H
#define ERLBPF_FLAME_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_slot;

/* Of zeros: empty. */
struct intern {
	struct intern_slot *slots;
	size_t size; /* 0, or a power of two */
	size_t used;
};

struct intern_search {
	uint32_t hash;
	size_t steps;
	uint32_t number; /* what was found */
};

/* The next number that was put in under that hash. False: there is no other. */
bool intern_next(const struct intern *table, struct intern_search *search);

/* 0 or -ENOMEM. The number is not UINT32_MAX. */
int intern_put(struct intern *table, uint32_t hash, uint32_t number);

void intern_free(struct intern *table);

#endif
