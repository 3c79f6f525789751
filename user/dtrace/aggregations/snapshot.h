/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys and values of aggregations at one moment, and their order. */
#ifndef ERLBPF_DTRACE_AGGREGATIONS_SNAPSHOT_H
#define ERLBPF_DTRACE_AGGREGATIONS_SNAPSHOT_H

#include "dtrace/aggregations/aggregate.h"

/* Of one or several aggregations. Initialize with zeros. */
struct snapshot {
	const struct aggregate *of;
	unsigned int position;
	struct aggregate_entry *entries;
	size_t count, room;
};

/*
 * Adds the entries of an aggregation; `position`: its index among several. 0 or -errno; call snapshot_free() in any
 * case.
 */
int snapshot_take(struct snapshot *snapshot, const struct print *print, const struct aggregate *of,
		  unsigned int position);
void snapshot_free(struct snapshot *snapshot);

/* The sort order: by the options, but trunc() always sorts by value. */
struct sort_order {
	const struct print *print;
	bool by_key, is_reversed;
	unsigned int key_position;
};

/* By the options. */
struct sort_order sort_order_of(const struct print *print);

/* As in qsort: keys from the one that the option names on, then those before it. */
int compare_keys(const struct sort_order *order, const struct aggregate_entry *a, const struct aggregate_entry *b);
/* Values without normalization. Aggregations of different kinds: by kind. */
int compare_values(const struct sort_order *order, const struct aggregate_entry *a, const struct aggregate_entry *b);

/* Of one aggregation, sorted by the options. */
int snapshot_take_sorted(struct snapshot *snapshot, const struct print *print, const struct aggregate *aggregate);

/* Visits every entry in order, for output other than text. 0 or -errno. */
int aggregate_walk(const struct aggregate *aggregate, const struct print *print,
		   void (*visit)(void *to, const struct aggregate_entry *entry), void *to);

/* trunc(): keeps the `most` highest, or the lowest if negative. 0 or -errno. */
int aggregate_trunc(const struct aggregate *aggregate, const struct print *print, int64_t most);

/* Several aggregations side by side, joined by key: printa() of more than one. */

struct joined {
	struct aggregate *const *aggregates;
	size_t count;
	struct snapshot all;
	struct aggregate_entry *zeros; /* for an aggregation without a value at a key */
	uint64_t **zero_words;
	const struct aggregate_entry **cells; /* of all rows: a key, then its values */
	size_t rows;
	struct sort_order order;
	unsigned int sort_position;
};

/* The list must outlive it. 0 or -errno; call joined_free() in any case. */
int joined_make(struct joined *joined, struct aggregate *const *list, size_t count, const struct print *print);
void joined_free(struct joined *joined);

#endif
