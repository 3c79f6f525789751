/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is asked --by a key, as text: one table with a row per key instead of a histogram for each, the worst first.
 * As many rows are kept as are shown, so that a million keys take no memory.
 */
#ifndef ERLBPF_RESULTS_BY_TABLE_H
#define ERLBPF_RESULTS_BY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out/sink.h"

struct by_table_row;

struct by_table {
	struct by_table_row *rows; /* the first are shown first */
	size_t count, most;
	uint64_t left_out; /* keys that did not get among them */
	size_t sort;	   /* column */
	bool is_reversed;
};

/* The columns that `sort` may name; "count" and the like. */
#define BY_TABLE_COLUMNS 8
extern const struct column by_table_columns[BY_TABLE_COLUMNS];

/* `sort` is one of the columns, or "-" and one; NULL: total. 0, -EINVAL if there is no such column, or -ENOMEM. */
int by_table_begin(struct by_table *table, const char *sort, size_t most);
void by_table_free(struct by_table *table);

/* Nothing of the histogram is kept. Memory that is short is one more that is left out. */
void by_table_add(struct by_table *table, const struct sink_hist *hist);

/* All that was added, and with `with_hist` the histograms of these rows; then it is empty again. */
void by_table_show(struct by_table *table, struct sink *sink, bool with_hist);

#endif
