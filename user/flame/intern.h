/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of array indexes: the caller keeps the items in an array and compares them. A slot has eight bytes,
 * because a profile may have millions of nodes.
 *
 * 	for (struct intern_search search = { .hash = hash }; intern_next(&table, &search);) {
 * 		if (is_equal(&things[search.number], wanted))
 * 			return search.number;
 * 	}
 */
#ifndef ERLBPF_FLAME_INTERN_H
#define ERLBPF_FLAME_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_slot;

/* All zeros: empty. */
struct intern {
	struct intern_slot *slots;
	size_t size; /* 0, or a power of two */
	size_t used;
};

struct intern_search {
	uint32_t hash;
	size_t steps;
	uint32_t number; /* the result */
};

/* Finds the next number with that hash. False: there are no more. */
bool intern_next(const struct intern *table, struct intern_search *search);

/* 0 or -ENOMEM. The number is not UINT32_MAX. */
int intern_put(struct intern *table, uint32_t hash, uint32_t number);

void intern_free(struct intern *table);

#endif
