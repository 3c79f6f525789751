/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How nodes are: how busy their schedulers are, what waits for them, how much they do and have. Read from their memory
 * without a probe, of VITALS_MOST nodes at most; nodes beyond are counted. At most VITALS_LOOKS nodes are looked at ten
 * times a second, and VITALS_READ nodes are read each second, in turn, so that many of them do not cost more.
 */
#ifndef ERLBPF_SERVE_AGENT_VITALS_H
#define ERLBPF_SERVE_AGENT_VITALS_H

#define VITALS_MOST 256
#define VITALS_LOOKS 16
#define VITALS_READ 32

struct agent;
struct agent_vitals;

/* The agent, and what it waits with, must outlive it. NULL, explained. */
struct agent_vitals *agent_vitals_new(struct agent *agent);
void agent_vitals_free(struct agent_vitals *vitals);

/* Each second: nodes that have come and gone; and reads some. */
void agent_vitals_tick(struct agent_vitals *vitals);

/* To the agent's metrics, at each reading: what was read last. */
void agent_vitals_tell(const struct agent_vitals *vitals);

#endif
