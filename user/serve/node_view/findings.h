/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings about nodes as metrics. The agent watches one node after the other for some seconds, as `erlbpf why` does
 * (user/why/). Findings hold until the node is watched again.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_FINDINGS_H
#define ERLBPF_SERVE_NODE_VIEW_FINDINGS_H

struct json_object;
struct findings;
struct node_view;

/* NULL and errno. */
struct findings *findings_new(const struct node_view *view);
void findings_free(struct findings *findings);

/* Call each second: starts watching the next node, or finishes the current one. */
void findings_tick(struct findings *findings);

/*
 * {"watches": true, "nodes": [{"os_pid", "node", "age_s", "findings": [{"rule", "severity", "process", "text",
 * "command"}]}]} for traced nodes that were watched; NULL: findings are not enabled. The caller frees it.
 */
struct json_object *findings_json(struct findings *findings);

/* Adds findings to the metrics at each reading. */
void findings_report(struct findings *findings);

#endif
