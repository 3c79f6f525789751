/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that wait for older ones. They come nearly in order: a firing that was interrupted, or another CPU's, may
 * send its record behind that of a later one.
 */
#ifndef ERLBPF_DTRACE_SESSION_ORDER_H
#define ERLBPF_DTRACE_SESSION_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct d_record;

struct order_entry {
	uint64_t time_ns;
	size_t at; /* in bytes */
	size_t size;
};

/* All zeros is an empty one. */
struct order {
	char *bytes;
	size_t used, room;
	struct order_entry *entries;	 /* sorted by time; of equal times, as they came */
	size_t first, count, entry_room; /* those before `first` are done */
};

void order_free(struct order *order);

/* Takes a copy. */
int order_add(struct order *order, const void *record, size_t size, uint64_t time_ns);

/* The oldest, if it is older than `before`, and NULL if not. It stays valid until the next is added. */
const void *order_next(struct order *order, uint64_t before, size_t *size);

/* Is there one that order_next() would give? */
bool order_has(const struct order *order, uint64_t before);

#endif
