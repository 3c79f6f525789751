/* SPDX-License-Identifier: BSD-2-Clause */
/* Who sends to the process whose page is open: looked at while it is, in the messages of its mailbox, without a probe.
 */
#ifndef ERLBPF_SERVE_NODE_VIEW_PROCESS_SENDERS_H
#define ERLBPF_SERVE_NODE_VIEW_PROCESS_SENDERS_H

#include "node/atoms/pids.h"
#include "node/processes/processes.h"

struct process_senders;
struct json_object;
struct event_loop;

/* In the loop of `waiting`, which with all others has to outlive it. NULL: no memory. */
struct process_senders *process_senders_new(struct event_loop *waiting, const struct erl_pid_layout *pids,
					    struct processes *processes, const struct process *process);
void process_senders_free(struct process_senders *senders);

/* Whose they are. */
uint64_t process_senders_id(const struct process_senders *senders);

/* Lines for the page, as pairs of a title and a text. */
void process_senders_add(struct process_senders *senders, struct json_object *lines);

#endif
