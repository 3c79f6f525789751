/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load of nodes: utilisation of schedulers, run queue, reductions, processes, memory. Read from the nodes' memory
 * without a probe, for at most NODE_METRICS_MOST nodes; others are counted. To bound the cost, NODE_METRICS_LOOKS nodes
 * are sampled ten times a second, and NODE_METRICS_READ nodes read each second, in turn.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_NODE_METRICS_H
#define ERLBPF_SERVE_NODE_VIEW_NODE_METRICS_H

#define NODE_METRICS_MOST 256
#define NODE_METRICS_LOOKS 16
#define NODE_METRICS_READ 32

struct node_metrics;
struct node_view;

/* NULL: the error is printed. */
struct node_metrics *node_metrics_new(const struct node_view *view);
void node_metrics_free(struct node_metrics *vitals);

/* Call each second: finds started and ended nodes, and reads some. */
void node_metrics_tick(struct node_metrics *vitals);

/* Adds the last values to the metrics at each reading. */
void node_metrics_report(const struct node_metrics *vitals);

#endif
