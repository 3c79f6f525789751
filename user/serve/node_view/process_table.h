/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes of a node for the page: the first rows of a table, or one process, read from the node's memory
 * (node/processes/processes.h) without a probe. Only the node of the last request is read, only while there are
 * requests, and within a share of a CPU; other requests get the last results. Memory is bounded: PROCESS_TABLE_MOST
 * processes of 0.2 KiB, freed after ten seconds without requests.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_PROCESS_TABLE_H
#define ERLBPF_SERVE_NODE_VIEW_PROCESS_TABLE_H

#include "serve/http/http.h"

#define PROCESS_TABLE_MOST (1u << 18) /* nodes with more are refused */
#define PROCESS_TABLE_ROWS 100	      /* most rows of an answer */

struct node_view;
struct process_table;

/* NULL: no memory. */
struct process_table *process_table_new(const struct node_view *view);
void process_table_free(struct process_table *table);

/* Call each second: frees a node without requests. */
void process_table_tick(struct process_table *table);

/*
 * /processes?os_pid=N or ?node=NAME, with sort=COLUMN or -COLUMN, filter=TEXT and rows=N: {"node", "os_pid", "age_s",
 * "processes", "matching", "rows": [{"pid", "name", "reds", "queue", "heap", "binaries", "status"}]}; "reds" per
 * second, null after a single reading. With pid=PID, one process as on the screen of top: {"node", "os_pid", "age_s",
 * "pid", "name", "queue", "heap", "binaries", "lines": [["stack", TEXT], ["", TEXT]...]}.
 */
void process_table_answer(struct process_table *table, const struct http_request *request, struct http_reply *reply);

#endif
