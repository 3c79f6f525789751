/* SPDX-License-Identifier: BSD-2-Clause */
/* Several aggregations side by side, joined by key: what printa() of more than one prints. */
#ifndef ERLBPF_DTRACE_PRINT_JOINED_H
#define ERLBPF_DTRACE_PRINT_JOINED_H

#include "dtrace/print/snapshot.h"

struct joined {
	struct aggregate *const *aggregates;
	size_t count;
	struct snapshot all;
	struct aggregate_entry *zeros; /* for an aggregation that has nothing at a key */
	uint64_t **zero_words;
	const struct aggregate_entry **cells; /* of all rows: a key, then its values */
	size_t rows;
	struct sort_order order;
	unsigned int sort_position;
};

/* The list must outlive it. 0 or -errno; joined_free() in any case. */
int joined_make(struct joined *joined, struct aggregate *const *list, size_t count, const struct print *print);
void joined_free(struct joined *joined);

#endif
