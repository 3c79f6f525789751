/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of one process (node/processes/process_details.h), as lines of a page. */
#ifndef ERLBPF_OUT_PROCESS_PAGE_H
#define ERLBPF_OUT_PROCESS_PAGE_H

#include "node/processes/process_details.h"
#include "out/panel.h"

#define PROCESS_PAGE_LINES 192 /* at most */
#define PROCESS_PAGE_WHO (NAME_SIZE + 40)

/* What it is and where it is. Returns how many lines; their texts are freed by process_page_free(). */
size_t process_page_make(struct processes *processes, const struct process_details *details,
			 struct panel_line lines[PROCESS_PAGE_LINES]);

/* One line more; without memory or room, it is missing. */
void process_page_add(struct panel_line *lines, size_t *count, const char *title, const char *text);

/* Its links and monitors, behind `count` lines. Returns how many there are then. */
size_t process_page_relate(struct processes *processes, const struct process_details *details,
			   struct panel_line lines[PROCESS_PAGE_LINES], size_t count);

/* "<0.80.0> kernel_sup": an id, and what it is called if it is a process of this node that lives. Returns text. */
const char *process_page_who(struct processes *processes, uint64_t id, char text[PROCESS_PAGE_WHO]);
void process_page_free(struct panel_line *lines, size_t count);

#endif
