/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How nodes are: how busy their schedulers are, what waits for them, how much they do and have. Read from their memory
 * without a probe, of NODE_METRICS_MOST nodes at most; nodes beyond are counted. At most NODE_METRICS_LOOKS nodes are
 * looked at ten times a second, and NODE_METRICS_READ nodes are read each second, in turn, so that many of them do not
 * cost more.
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

/* Each second: nodes that have come and gone; and reads some. */
void node_metrics_tick(struct node_metrics *vitals);

/* To the agent's metrics, at each reading: what was read last. */
void node_metrics_report(const struct node_metrics *vitals);

#endif
