/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that wait for older ones. They arrive nearly sorted: a firing that was interrupted, or one on another CPU,
 * can send its record after that of a later one.
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

/* Initialize with zeros. */
struct order {
	char *bytes;
	size_t used, room;
	struct order_entry *entries;	 /* sorted by time, then arrival */
	size_t first, count, entry_room; /* entries before `first` are finished */
};

void order_free(struct order *order);

/* Copies the record. */
int order_add(struct order *order, const void *record, size_t size, uint64_t time_ns);

/* The oldest record if it is older than `before`, otherwise NULL. Valid until the next order_add(). */
const void *order_next(struct order *order, uint64_t before, size_t *size);

/* True if order_next() would return a record. */
bool order_has(const struct order *order, uint64_t before);

#endif
