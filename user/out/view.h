/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a large table is shown: which rows, in which order. */
#ifndef ERLBPF_OUT_VIEW_H
#define ERLBPF_OUT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "out/sink.h"

#define VIEW_TEXT_SIZE 320 /* longest text of a cell, terminator included */
#define VIEW_FILTER_SIZE 64

struct view {
	size_t sort;		       /* column */
	bool is_reversed;	       /* numbers: smallest first; texts: last first */
	char filter[VIEW_FILTER_SIZE]; /* rows with this in one of their texts; "": all */
	size_t rows;		       /* at most */
	bool is_paused;		       /* what is shown stays */
};

/* A table that is asked for its cells, since there may be a million and few are shown. */
struct view_source {
	size_t rows; /* some of which may be empty */
	void *data;
	bool (*has_row)(void *data, size_t row);
	/* A text may be in buf or live until the next call. */
	struct value (*cell)(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE]);
	/* Of rows that sort alike, those of more weight come first; NULL: all weigh the same. */
	uint64_t (*weight)(void *data, size_t row);
};

/* Number of the column of that name. 0 or -ENOENT. */
int view_find_column(const struct column *columns, size_t count, const char *name, size_t *column);

/*
 * The rows to show, in order; at most view->rows, for which `picked` has room. Returns how many, or
 * -ENOMEM. Rows that sort and weigh alike are in the order of their first column.
 */
long view_pick(const struct view *view, const struct column *columns, size_t count, const struct view_source *source,
	       size_t *picked);

#endif
