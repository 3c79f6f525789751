/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with the nodes, as metrics: the agent watches one node after the other as `erlbpf why` does
 * (user/why/), each for some seconds. What was found holds until the node is watched again.
 */
#ifndef ERLBPF_SERVE_FINDINGS_H
#define ERLBPF_SERVE_FINDINGS_H

struct agent;
struct findings;

/* The agent must outlive it. NULL and errno. */
struct findings *findings_new(struct agent *agent);
void findings_free(struct findings *findings);

/* Each second: begins with the next node, or ends with the present one. */
void findings_tick(struct findings *findings);

/* To the agent's metrics, at each reading. */
void findings_tell(struct findings *findings);

#endif
