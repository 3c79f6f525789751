/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables that tools draw themselves, as --sort and --rows want them; those of histograms by key are in by_table.h.
 */
#ifndef ERLBPF_RUN_TABLES_H
#define ERLBPF_RUN_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "out/view.h"

struct run;

struct run_tables {
	const struct column *columns; /* of what the tool draws; NULL: no table */
	size_t count;
	bool is_sorted;
	struct view view;
};

/*
 * After run_load(): what the user wants of tables, if there are any the way that the tool is asked. 0, or -EINVAL,
 * explained.
 */
int tables_set(struct run *run);

/* How many rows are left out. */
static inline struct sink_note tables_note(size_t left_out)
{
	return (struct sink_note){ .name = "not_shown",
				   .text = "more rows; --rows=N shows more",
				   .one = "more row; --rows=N shows more",
				   .count = left_out };
}

/* At most so many rows go to the sink; a note says how many do not. */
void tables_show(struct run *run, const struct sink_table *table, size_t most);

/* A column that the tool does not have. */
void tables_refuse_column(const struct run *run, const char *name, const struct column *columns, size_t count);

#endif
