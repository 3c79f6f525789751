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

/* What a row is about, whatever its number. */
struct view_key {
	uint64_t id;
	uint32_t os_id; /* of the node */
};

/* Rows that are together, and within it as they are sorted. */
enum view_grouping {
	VIEW_UNGROUPED,
	VIEW_BY_NODE,
	VIEW_BY_FAMILY, /* what the tool takes for one: processes below a registered one */
	VIEW_GROUPINGS,
};

struct view {
	size_t sort;		       /* column */
	bool is_reversed;	       /* numbers: smallest first; texts: last first */
	char filter[VIEW_FILTER_SIZE]; /* rows with this in one of their texts; "": all */
	size_t rows;		       /* at most */
	bool is_paused;		       /* what is shown stays */
	/* Of the screen. */
	bool has_screen; /* a panel (panel.h) is wanted, too */
	enum view_grouping grouping;
	size_t first;		/* rows before those that are shown */
	bool hides_idle;	/* rows that have done nothing */
	bool is_open;		/* a row is looked at by itself: */
	struct view_key opened; /* this one */
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
	/* NULL: none is idle, and all are of one group. */
	bool (*is_idle)(void *data, size_t row);
	uint64_t (*group)(void *data, size_t row);
};

/* Number of the column of that name. 0 or -ENOENT. */
int view_find_column(const struct column *columns, size_t count, const char *name, size_t *column);

/*
 * The rows to show, in order; at most view->rows, for which `picked` has room, from the very first one on. Returns how
 * many, or -ENOMEM. Rows that sort and weigh alike are in the order of their first column. `matching`: how many there
 * are in all; may be NULL.
 */
long view_pick(const struct view *view, const struct column *columns, size_t count, const struct view_source *source,
	       size_t *picked, size_t *matching);

/* The first row of a page of view->rows that begins at view->first, or earlier if there are not that many. */
size_t view_first(const struct view *view, size_t matching);

#endif
