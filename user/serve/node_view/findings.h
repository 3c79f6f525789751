/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with the nodes, as metrics: the agent watches one node after the other as `erlbpf why` does
 * (user/why/), each for some seconds. What was found holds until the node is watched again.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_FINDINGS_H
#define ERLBPF_SERVE_NODE_VIEW_FINDINGS_H

struct json_object;
struct findings;
struct node_view;

/* NULL and errno. */
struct findings *findings_new(const struct node_view *view);
void findings_free(struct findings *findings);

/* Each second: begins with the next node, or ends with the present one. */
void findings_tick(struct findings *findings);

/*
 * {"watches": true, "nodes": [{"os_pid", "node", "age_s", "findings": [{"rule", "severity", "process", "text",
 * "command"}]}]}: of the nodes that are traced and were watched. Of NULL: nothing is watched. The caller's.
 */
struct json_object *findings_json(struct findings *findings);

/* To the agent's metrics, at each reading. */
void findings_report(struct findings *findings);

#endif
