/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of one process (node/process_details.h), as lines of a page. */
#ifndef ERLBPF_OUT_PROCESS_PAGE_H
#define ERLBPF_OUT_PROCESS_PAGE_H

#include "node/process_details.h"
#include "out/panel.h"

#define PROCESS_PAGE_LINES 128 /* at most */

/* Returns how many lines; their texts are freed by process_page_free(). */
size_t process_page_make(struct processes *processes, const struct process_details *details,
			 struct panel_line lines[PROCESS_PAGE_LINES]);
void process_page_free(struct panel_line *lines, size_t count);

#endif
