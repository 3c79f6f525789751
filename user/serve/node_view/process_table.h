/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a node for who looks at the page: the first rows of a table of them, and one of them by itself, read
 * from the node's memory (node/processes/processes.h), without a probe. Only one node is looked at, the one that was
 * asked for last, only while somebody asks, and not so often that reading it takes more than a share of a processor:
 * what was read is the answer to others. Memory is bounded: PROCESS_TABLE_MOST processes of 0.2 KiB, and none after ten
 * seconds.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_PROCESS_TABLE_H
#define ERLBPF_SERVE_NODE_VIEW_PROCESS_TABLE_H

#include "serve/http/http.h"

#define PROCESS_TABLE_MOST (1u << 18) /* a node with more is refused */
#define PROCESS_TABLE_ROWS 100	      /* of an answer, at most */

struct node_view;
struct process_table;

/* NULL: no memory. */
struct process_table *process_table_new(const struct node_view *view);
void process_table_free(struct process_table *table);

/* Each second: lets go of a node that nobody asks for any more. */
void process_table_tick(struct process_table *table);

/*
 * /processes?os_pid=N or ?node=NAME, with sort=COLUMN or -COLUMN, filter=TEXT and rows=N:
 * {"node", "os_pid", "age_s", "processes", "matching",
 *  "rows": [{"pid", "name", "reds", "queue", "heap", "binaries", "status"}]},
 * reductions per second, null if they were read once only. With pid=PID, that one, as on the screen of top:
 * {"node", "os_pid", "age_s", "pid", "name", "queue", "heap", "binaries", "lines": [["stack", TEXT], ["", TEXT]...]}.
 */
void process_table_answer(struct process_table *table, const struct http_request *request, struct http_reply *reply);

#endif
