/* SPDX-License-Identifier: BSD-2-Clause */
/* What the agent passes to the files of this room. Everything is borrowed and outlives them. */
#ifndef ERLBPF_SERVE_NODE_VIEW_NODE_VIEW_H
#define ERLBPF_SERVE_NODE_VIEW_NODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "serve/metrics/metrics.h"
#include "target/target.h"

struct node_labels;
struct event_loop;

/* True ends the search. */
typedef bool node_visit(void *to, const struct target *target);

struct node_view {
	struct metrics *metrics;
	struct event_loop *waiting; /* the agent's loop */
	struct node_labels *labels;
	size_t tool_count;
	/* Visits the nodes that a tool traces now. Returns the one for which `visit` returned true, or NULL. */
	const struct target *(*search)(const void *data, size_t tool, node_visit *visit, void *to);
	const void *data; /* the first argument of search() */
};

/* Like search(), in the nodes of all tools. A node that several tools trace is visited several times. */
const struct target *node_view_search(const struct node_view *view, node_visit *visit, void *to);

/* A node that is traced now, or NULL. */
const struct target *node_view_find(const struct node_view *view, pid_t pid, uint64_t start_time);

#endif
