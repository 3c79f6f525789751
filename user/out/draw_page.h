/* SPDX-License-Identifier: BSD-2-Clause */
/* What takes the place of the table: the page of one row, and the help. Both scroll. */
#ifndef ERLBPF_OUT_DRAW_PAGE_H
#define ERLBPF_OUT_DRAW_PAGE_H

#include "out/panel.h"
#include "out/sink.h"

/* From line y of the terminal to the last but one. `first`: lines that are scrolled over. Return how many there are. */
size_t draw_page(const struct sink_setup *setup, const struct sink_table *table, int y, size_t first);
size_t draw_help(int y, size_t first);

#endif
