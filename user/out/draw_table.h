/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a table on the terminal: which of its columns have room, how wide they are, and their cells. */
#ifndef ERLBPF_OUT_DRAW_TABLE_H
#define ERLBPF_OUT_DRAW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "out/sink.h"

#define DRAW_MAX_COLUMNS 32

/* A width for each column, negative for the left-aligned ones; 0: it is not shown. */
struct draw_layout {
	int widths[DRAW_MAX_COLUMNS];
};

/* For a terminal of `width` cells. */
void draw_layout_make(const struct sink_setup *setup, int width, struct draw_layout *layout);

/* The line of titles; that of the column `sort` stands out. */
void draw_titles(const struct sink_setup *setup, const struct draw_layout *layout, int y, size_t sort);

void draw_row(const struct sink_setup *setup, const struct draw_layout *layout, int y, const struct value *cells,
	      bool is_selected);

/* A cell as text, safe, in human units where its column has them. The caller frees it; NULL: no memory. */
char *draw_value(const struct sink_setup *setup, size_t column, const struct value *value);

#endif
