/* SPDX-License-Identifier: BSD-2-Clause */
/* What the screen shows beside the rows of a table: a header, and the page of one row instead of the table. */
#ifndef ERLBPF_OUT_PANEL_H
#define ERLBPF_OUT_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "out/view.h"

/* How busy one of several of a kind is. */
struct panel_bar {
	const char *kind; /* "sched", the same constant for all of a kind */
	unsigned int permille;
};

#define PANEL_TEXT_SIZE 64

/* A number of the whole, with its title, by falling importance. */
struct panel_fact {
	char text[PANEL_TEXT_SIZE];
	bool is_alarming;
};

/* A line of a page. The text is hostile. */
struct panel_line {
	const char *title; /* "": it belongs to the line before */
	char *text;	   /* owned by who made the line */
};

struct panel {
	const struct panel_bar *bars; /* by kind */
	size_t bar_count;
	const struct panel_fact *facts;
	size_t fact_count;
	const struct view_key *keys; /* which row each is */
	const char *const *groups;   /* the title of each row's group, hostile, the same one for all of a group; NULL:
					they are not grouped */
	size_t first, matching;	     /* the number of the first row that is shown, of so many */
	bool is_page;		     /* the only row is one that is opened: its cells, and `lines` */
	const struct panel_line *lines;
	size_t line_count;
};

#endif
